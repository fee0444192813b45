// SPDX-License-Identifier: Apache-2.0
/// Tests of what a terminal gets: lines that fit, and colours.
#include "support/executable/commands.hpp"

#include <algorithm>
#include <sstream>

using namespace apsis::testing;

namespace {

/// Longest line of a text with line feeds.
std::size_t longest_line(std::string const& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();  // added by a terminal
    longest = std::max(longest, line.size());
  }
  return longest;
}

}  // namespace

TEST_CASE("tables fit a terminal") {
  Scratch const scratch;
  for (auto const* command :
       {"bench --bodies 64 --kernel all", "verify --problem two_body_orbit"}) {
    CAPTURE(command);
    auto const run = run_apsis(command, scratch);
    CHECK(run.status == 0);
    CHECK(longest_line(run.out) <= 80);
  }
  for (unsigned short const columns : {80, 100}) {
    auto const list = run_apsis_on_terminal("list", scratch, columns);
    CHECK(longest_line(list.out) <= columns);
    CHECK(longest_line(list.out) > columns - 15u);
  }
  CHECK(longest_line(run_apsis("list", scratch).out) > 100);  // a line for each entry
}

TEST_CASE("a terminal shows verdicts and errors in colours, unless they are unwanted") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  std::string const green = "\033[32m", red = "\033[1;31m";
  CHECK(contains(run_apsis_on_terminal("run deck.json", scratch).out, green + "conserved"));
  CHECK(contains(run_apsis_on_terminal("run deck.json --force --set "
                                       "conservation.max_relative_energy_error=1e-30",
                                       scratch)
                     .out,
                 red + "not_conserved"));
  CHECK(contains(run_apsis_on_terminal("run missing.json", scratch).out, red + "apsis: error:"));
  for (auto const* environment : {"NO_COLOR=1 TERM=xterm", "TERM=dumb", "TERM="}) {
    CAPTURE(environment);
    auto const plain = run_apsis_on_terminal("run missing.json", scratch, 80, environment);
    CHECK(contains(plain.out, "apsis: error:"));
    CHECK_FALSE(contains(plain.out, "\033"));
  }
  CHECK_FALSE(contains(run_apsis("run missing.json", scratch).err, "\033"));
}
