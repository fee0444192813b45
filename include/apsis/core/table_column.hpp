// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/units.hpp>

#include <string>
#include <vector>

namespace apsis {

/// One column of a table that a run writes. The header of the file and the description beside it
/// are both made from a list of these.
struct TableColumn {
  std::string name;
  std::string doc;  ///< one line
  Dimension dimension = dimension::none;
  std::string own_unit{};  ///< of what is not measured in the run's units, such as wall time
  bool whole = false;      ///< an integer
  /// Tradition wants it in km/s too: where the run has units, a second column says it.
  bool also_in_km_s = false;
};

/// The names with commas between them.
inline std::string header_line(std::vector<TableColumn> const& columns) {
  std::string line;
  for (auto const& column : columns) line += (line.empty() ? "" : ",") + column.name;
  return line;
}

}  // namespace apsis
