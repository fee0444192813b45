// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/run/observer.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <sstream>

using namespace apsis;

TEST_CASE("progress display on a terminal and in a pipe") {
  auto const run = apsis::testing::configured(
      R"({"bodies": {"generator": "plummer", "count": 100}, "integrator": {"time_step": 0.01},
          "run": {"steps": 200}})",
      {});
  auto const bodies = simulation::make_simulation(run, testing::sample_bodies(100));
  bodies->advance(99);  // and one force evaluation at the start
  run::RunStatus const status{50, 200, 0.5, 1e-7, 2.0};
  std::ostringstream lines, terminal;
  auto const pipe_display = run::progress({run::ProgressStyle::lines, &lines});
  pipe_display->update(*bodies, status);
  pipe_display->update(*bodies, status);  // too soon for another line
  CHECK(lines.str() ==
        "step 50/200  t 0.5   25.0%  |dE/E| 1.00e-07  5.00e+05 interactions/s  6 s left\n");
  // The remaining time follows the estimate at first and the measured rate later.
  auto const left = [&](double expected, double seconds, std::uint64_t step) {
    std::ostringstream out;
    run::progress({run::ProgressStyle::lines, &out})
        ->update(*bodies, {step, 200, 0.5, 1e-7, seconds, nullptr, expected, 0, seconds});
    auto const text = out.str();
    return text.substr(text.rfind("  ") + 2);
  };
  CHECK(left(100.0, 0.0, 0) == "2 min left\n");
  CHECK(left(100.0, 0.01, 1) == "99 s left\n");  // the rate alone would give 2 s
  CHECK(left(0.7, 0.1, 1) == "1.7 s left\n");    // the rate alone would give 20 s
  CHECK(left(10.0, 40.0, 100) == "40 s left\n");
  // A terminal wraps a line that fills it, so that a line is shorter, and its most useful parts
  // stay.
  for (int const columns : {300, 92, 80, 60, 40, 25, 8, 1}) {
    CAPTURE(columns);
    std::ostringstream out;
    run::progress({run::ProgressStyle::terminal, &out, [&] { return columns; }})
        ->update(*bodies, {123456789, 200000000, 0.123456789, 1e-7, 2.0});
    auto const text = out.str().substr(std::string("\r\033[2K").size());
    CHECK(text.size() < static_cast<std::size_t>(std::max(2, columns)));
    CHECK(testing::contains(text, "interactions/s") == (columns >= 100));
    CHECK(testing::contains(text, "step ") == (columns >= 80));
    CHECK(testing::contains(text, "|dE/E|") == (columns >= 25));
    CHECK(testing::contains(text, "61.7%") == (columns >= 8));
  }
  auto const terminal_display = run::progress({run::ProgressStyle::terminal, &terminal});
  terminal_display->update(*bodies, status);
  terminal_display->end(*bodies, status);
  CHECK(terminal.str().front() == '\r');
  CHECK(terminal.str().back() == '\n');
  std::ostringstream objects;
  run::progress({run::ProgressStyle::json, &objects})->update(*bodies, status);
  CHECK(
      objects.str() ==
      R"({"kind":"progress","step":50,"steps":200,"time":0.5,"relative_energy_error":1e-07,"left":"6 s"})"
      "\n");
  lines.str("");
  pipe_display->note("something");
  CHECK(lines.str() == "something\n");
  terminal.str("");
  terminal_display->note("something");
  CHECK(terminal.str() == "\r\033[2Ksomething\n");
}
