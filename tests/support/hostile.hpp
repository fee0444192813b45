// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/commands.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace apsis::testing {

/// Wrong input and wrong surroundings, a row each: what a user sees is one line and an exit status,
/// soon, and no memory is taken for what a file only promises.
struct Hostile {
  std::string name;
  /// By the shell, in a directory where `small` is deck.json; $APSIS is the executable. May be
  /// empty.
  std::string make;
  std::string command;
  int status;
  std::vector<std::string>
      words;  ///< in the one line of the error; in all that is said if status is 0
  std::string environment = "";  ///< what stands before the command
  // On a host; a device's driver takes some of its own, and starts among other tests.
  double seconds = 10.0;  ///< of processors
  double mebibytes = 256.0;
};

inline void check_hostile(std::vector<Hostile> const& rows) {
  for (auto const& row : rows) {
    CAPTURE(row.name);
    Scratch const scratch;
    scratch.write("deck.json", small);
    std::string const make =
        "cd '" + scratch.path().string() + "' && APSIS='" + executable() + "' && " + row.make;
    if (!row.make.empty()) REQUIRE(std::system(make.c_str()) == 0);
    double const seconds = row.seconds + (on_a_device() ? 3.0 : 0.0);
    auto const result = run_apsis_limited(row.command, scratch, seconds, row.environment);
    INFO(result.err);
    CAPTURE(result.seconds);
    CHECK(result.status == row.status);
    if (!is_sanitized) {
      CHECK(result.in_time);
      CHECK(result.mebibytes < row.mebibytes + (on_a_device() ? 1024.0 : 0.0));
    }
    if (row.status != 0) {
      CHECK(result.err.rfind("apsis: error: ", 0) == 0);
      CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    }
    for (auto const& word : row.words) {
      CHECK(contains(row.status != 0 ? result.err : result.out + result.err, word));
    }
  }
}

}  // namespace apsis::testing
