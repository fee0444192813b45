// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace apsis::testing {

/// Index of `wall_seconds` among the columns of conservation.csv, the only column that differs
/// between two runs of the same deck.
inline constexpr std::size_t wall_seconds_column = 16;

/// Returns a line of conservation.csv without `wall_seconds`.
inline std::string without_wall_seconds_field(std::string const& line) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < wall_seconds_column; ++i) {
    auto const comma = line.find(',', begin);
    if (comma == std::string::npos) return line;
    begin = comma + 1;
  }
  auto const end = line.find(',', begin);
  return line.substr(0, begin) + (end == std::string::npos ? "" : line.substr(end + 1));
}

}  // namespace apsis::testing
