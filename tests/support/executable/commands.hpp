// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "process.hpp"
#include "support/contains.hpp"
#include "support/log_line.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <vector>

/// Helpers of the tests of the executable.
namespace apsis::testing {

/// Checks the exit status, and that each line of standard error is an error message with the
/// program's name. A requested stop (75) is a note.
inline void check_errors(Result const& result, int status) {
  std::string const head = status == 75 ? "apsis: note: " : "apsis: error: ";
  INFO(result.err);
  CHECK(result.status == status);
  REQUIRE(!result.err.empty());
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.rfind(head, 0) == 0);
  }
}

inline std::string const small = R"({
  "title": "a small run",
  "bodies": {"generator": "plummer", "count": 100, "seed": 3},
  "gravity": {"softening": 0.05},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.01},
  "run": {"steps": 20},
  "output": {"conservation_interval": 0.05},
  "conservation": {"max_relative_energy_error": 1e-3, "max_momentum_error": 1e-12}
})";

inline std::vector<std::vector<std::string>> table(std::filesystem::path const& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(content(csv));
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

/// Returns the log without the column of the wall time, which differs between runs.
inline std::string without_wall_seconds(std::filesystem::path const& csv) {
  std::string text;
  for (auto row : table(csv)) {
    if (row.size() > wall_seconds_column) {
      row.erase(row.begin() + static_cast<std::ptrdiff_t>(wall_seconds_column));
    }
    for (auto const& field : row) text += field + ",";
    text += "\n";
  }
  return text;
}

}  // namespace apsis::testing
