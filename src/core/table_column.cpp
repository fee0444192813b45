// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/table_column.hpp>

namespace apsis {

std::string header_line(std::vector<TableColumn> const& columns) {
  std::string line;
  for (auto const& column : columns) line += (line.empty() ? "" : ",") + column.name;
  return line;
}

}  // namespace apsis
