// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/units.hpp>

#include <string>
#include <vector>

namespace apsis {

/// One column of a table that a run writes. Both the header line of the file and its metadata are
/// generated from a list of columns.
struct TableColumn {
  std::string name;
  std::string doc;  ///< one line
  Dimension dimension = dimension::none;
  std::string fixed_unit{};  ///< unit of a column outside the run's units, such as wall time
  bool whole = false;        ///< whether the values are integers
  /// With physical units, a second column gives the value in km/s, as is usual for this quantity.
  bool also_in_km_s = false;
  bool text = false;  ///< whether the values are texts
};

/// The column names separated by commas.
inline std::string header_line(std::vector<TableColumn> const& columns) {
  std::string line;
  for (auto const& column : columns) line += (line.empty() ? "" : ",") + column.name;
  return line;
}

}  // namespace apsis
