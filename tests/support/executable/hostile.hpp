// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace apsis::testing {

/// Test of invalid input or a hostile environment, one row each. The user must get one line and an
/// exit status soon, and no memory may be allocated that a file only announces.
struct Hostile {
  std::string name;
  /// Shell command that prepares the test, in a directory where `small` is deck.json; $APSIS is the
  /// executable. May be empty.
  std::string prepare;
  std::string command;
  int status;
  std::vector<std::string>
      words;  ///< expected in the line of the error; if status is 0, anywhere in the output
  std::string environment = "";  ///< prefix of the command
  // Limits on a host. A device's driver needs resources of its own and starts beside other tests.
  double seconds = 10.0;  ///< processor time [s]
  double mebibytes = 256.0;
};

inline void check_hostile(std::vector<Hostile> const& rows) {
  for (auto const& row : rows) {
    CAPTURE(row.name);
    Scratch const scratch;
    scratch.write("deck.json", small);
    std::string const prepare_command =
        "cd '" + scratch.path().string() + "' && APSIS='" + executable() + "' && " + row.prepare;
    if (!row.prepare.empty()) REQUIRE(std::system(prepare_command.c_str()) == 0);
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
