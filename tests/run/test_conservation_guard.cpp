// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/measurement.hpp"
#include "files/file.hpp"
#include "support/contains.hpp"
#include "support/log_line.hpp"
#include "support/scratch.hpp"
#include "support/suites.hpp"
#include <apsis/run/loop.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

using namespace apsis;
using apsis::testing::contains;

namespace {

/// Kepler orbit with a = 1 and e = 0.5, from apocentre through the pericentre at t = pi. The error
/// of the leapfrog falls by a factor of four with each halving of the step: 7.7e-3, 1.9e-3
/// and 4.9e-4 at t = 3; 1.4e-4 and 3.6e-5 at t = 2. Logged every 8 steps.
std::string const orbit = R"({
  "bodies": {"list": [
    {"mass": 0.5, "position": [0.75, 0, 0], "velocity": [0, 0.2886751345948129, 0]},
    {"mass": 0.5, "position": [-0.75, 0, 0], "velocity": [0, -0.2886751345948129, 0]}]},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.0625},
  "run": {"end_time": 8}, "output": {"conservation_interval": 0.5}})";

struct Run {
  run::Outcome outcome;
  std::vector<std::string> log;    ///< without the header and the wall time
  std::vector<std::string> table;  ///< structure.csv without the header
  std::size_t snapshots = 0;
  std::string messages;
};

std::vector<std::string> lines_of(std::filesystem::path const& file) {
  std::istringstream stream(files::read_file(file));
  std::vector<std::string> lines;
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) lines.push_back(line);
  return lines;
}

Run run_deck(deck::Configuration const& configuration) {
  apsis::testing::Scratch const scratch;
  run::RunDirectory directory(scratch / "run", run::Existing::replace);
  directory.prepare();
  std::ostringstream out;
  Run run;
  {
    run::RunOutput output(configuration, directory, "{}", {run::ProgressStyle::lines, &out});
    run.outcome = run::simulate(configuration, simulation::make_bodies(configuration), output);
  }
  for (auto const& line : lines_of(directory.conservation())) {
    run.log.push_back(testing::without_wall_seconds_field(line));
  }
  if (!configuration.diagnostics.empty()) run.table = lines_of(directory.table("structure.csv"));
  while (std::filesystem::exists(directory.snapshot(run.snapshots))) ++run.snapshots;
  run.messages = out.str();
  return run;
}

deck::Configuration guarded_run(std::vector<std::string> const& overrides) {
  return deck::configure(orbit, "deck", overrides).configuration;
}

deck::Configuration retrying_run(std::string const& limit,
                                 std::string const& precision = "double") {
  return guarded_run({"conservation.on_violation=retry",
                      "conservation.max_relative_energy_error=" + limit,
                      "gravity.precision=" + precision});
}

/// Returns the log of a run that halves its step at these steps and has no limits.
std::vector<std::string> log_of(deck::Configuration const& run,
                                std::vector<std::uint64_t> const& halvings, std::uint64_t end) {
  auto const bodies = simulation::make_simulation(run, simulation::make_bodies(run));
  diagnostics::Conservation conservation;
  std::vector<std::string> log;
  for (std::uint64_t step = 0; step <= end; ++step) {
    if (step > 0) bodies->advance();
    if (step % run.output.conservation_steps == 0) {
      conservation.add(bodies->measure());
      log.push_back(testing::without_wall_seconds_field(
          diagnostics::conservation_row(step, run.time(step), conservation, 0.0)));
    }
    for (auto i = std::count(halvings.begin(), halvings.end(), step); i > 0; --i) {
      bodies->mark();
      bodies->roll_back();
    }
  }
  return log;
}

/// Returns the log of a run that halves its step before the first line that exceeds the limit, at
/// most twice. The log ends at a third violation.
std::vector<std::string> guarded_log(deck::Configuration const& run) {
  auto const error = [](std::string row) {
    for (int i = 0; i < 5; ++i) row.erase(0, row.find(',') + 1);
    return std::stod(row);
  };
  std::vector<std::uint64_t> halvings;
  while (true) {
    auto log = log_of(run, halvings, run.steps);
    auto const broken = std::find_if(log.begin(), log.end(), [&](std::string const& row) {
      return error(row) > *run.limits.max_relative_energy_error;
    });
    if (broken == log.end()) return log;
    if (halvings.size() == 2) return {log.begin(), broken + 1};
    halvings.push_back(std::stoull(*(broken - 1)));
  }
}

std::string guard_problems(std::vector<std::string> const& overrides) {
  try {
    guarded_run(overrides);
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("stop and retry need a limit") {
  CHECK(contains(guard_problems({"conservation.on_violation=retry"}),
                 "deck: conservation.on_violation: 'retry' without a limit"));
  CHECK(contains(guard_problems({"conservation.on_violation=stop"}), "'stop' without a limit"));
  CHECK(guard_problems({"conservation.on_violation=report"}).empty());
  CHECK(guard_problems({"conservation.on_violation=stop", "conservation.max_momentum_error=1"})
            .empty());
  // There is only one problem.
  auto const wrong =
      guard_problems({"conservation.on_violation=stop", "conservation.max_momentum_error=-1"});
  CHECK(wrong.find("without a limit") == std::string::npos);
}

TEST_CASE("a violation is reported at the end, or ends the run at its line of the log") {
  std::string const limit = "conservation.max_relative_energy_error=3e-3";
  auto const reported = run_deck(guarded_run({limit}));
  CHECK(reported.outcome.exit == ExitStatus::not_conserved);
  CHECK(reported.outcome.steps == 128);
  CHECK(reported.outcome.stop.reason == run::StopReason::end);
  auto const stopped = run_deck(guarded_run({limit, "conservation.on_violation=stop"}));
  CHECK(stopped.outcome.exit == ExitStatus::not_conserved);
  CHECK(stopped.outcome.steps == 48);
  CHECK(stopped.outcome.stop.reason == run::StopReason::violation);
  CHECK(stopped.outcome.retries == 0);
  auto const same = reported.log;
  CHECK(stopped.log == std::vector<std::string>(same.begin(), same.begin() + 7));
}

TEST_CASE(
    "retry with one halving: conserved, and bit-identical to a run that halved its step there" *
    testing::thread_counts) {
  for (auto const* precision : {"double", "mixed", "single"}) {
    CAPTURE(precision);
    auto const configuration = retrying_run("3e-3", precision);
    auto const run = run_deck(configuration);
    CHECK(run.outcome.exit == ExitStatus::conserved);
    CHECK(run.outcome.retries == 1);
    CHECK(run.outcome.steps == 128);
    CHECK(run.outcome.stop.reason == run::StopReason::end);
    CHECK(run.outcome.conservation.max_relative_energy_error < 3e-3);
    CHECK(run.outcome.conservation.max_relative_energy_error > 1e-3);
    // Within the limit at step 40, beyond it at step 48.
    CHECK(run.log == log_of(configuration, {40}, 128));
    // One force evaluation at the start and at the restart, one per step, two after the halving.
    CHECK(run.outcome.interactions == 4 * (1 + 48 + 1 + 2 * 88));
    CHECK(contains(run.messages, "retry 1 of 2: relative energy error 0.007"));
    CHECK(contains(run.messages,
                   "exceeds the limit 0.003 after step 48 at time 3; goes on with half "
                   "the step after step 40 at time 2.5\n"));
  }
}

TEST_CASE("retry with two halvings from one time") {
  auto const configuration = retrying_run("1e-3");
  auto const run = run_deck(configuration);
  CHECK(run.outcome.exit == ExitStatus::conserved);
  CHECK(run.outcome.retries == 2);
  CHECK(run.log == log_of(configuration, {40, 40}, 128));
}

TEST_CASE("after two retries a violation ends the run and stays in the log") {
  auto const configuration = retrying_run("1e-4");
  auto const run = run_deck(configuration);
  CHECK(run.outcome.exit == ExitStatus::not_conserved);
  CHECK(run.outcome.stop.reason == run::StopReason::violation);
  CHECK(run.outcome.retries == 2);
  CHECK(run.outcome.steps == 48);
  CHECK(run.outcome.problems.size() == 1);
  CHECK(run.outcome.conservation.max_relative_energy_error > 1e-4);
  // Violations at step 32 with whole steps, and at step 48 with half and quarter steps.
  CHECK(run.log == log_of(configuration, {24, 40}, 48));
}

TEST_CASE("a run within its limits equals one without limits") {
  auto const guarded = run_deck(retrying_run("1e-2"));
  CHECK(guarded.outcome.retries == 0);
  CHECK(guarded.outcome.exit == ExitStatus::conserved);
  CHECK(guarded.log == run_deck(guarded_run({})).log);
}

TEST_CASE("every stepper rolls back to exactly the earlier state" * testing::thread_counts) {
  struct Method {
    std::string name, stepping, limit;
  };
  for (auto const& method : {Method{"yoshida6", R"({"mode": "fixed"})", "1e-7"},
                             Method{"hermite4", R"({"mode": "fixed"})", "1e-4"},
                             Method{"hermite4", R"({"mode": "adaptive", "eta": 0.1})", "1e-4"},
                             Method{"hermite4", R"({"mode": "block", "eta": 0.1})", "1e-4"},
                             Method{"leapfrog_kdk", R"({"mode": "adaptive"})", "1e-5"}}) {
    CAPTURE(method.name);
    CAPTURE(method.stepping);
    auto const configuration =
        guarded_run({"conservation.on_violation=retry", "gravity.softening=0.01",
                     "conservation.max_relative_energy_error=" + method.limit,
                     "integrator.name=" + method.name, "integrator.stepping=" + method.stepping});
    auto const run = run_deck(configuration);
    CHECK(run.outcome.retries >= 1);
    CHECK(run.log == guarded_log(configuration));
  }
}

TEST_CASE("tables have no rows of times that were rolled back") {
  auto configuration =
      guarded_run({"conservation.on_violation=retry", "conservation.max_relative_energy_error=3e-3",
                   R"(diagnostics.structure={"interval": 0.125})"});
  auto const run = run_deck(configuration);
  CHECK(run.outcome.retries == 1);
  // One line every two steps, in order.
  REQUIRE(run.table.size() == 65);
  for (std::size_t i = 0; i < run.table.size(); ++i) CHECK(std::stoul(run.table[i]) == 2 * i);
}

TEST_CASE("the snapshot of the time of a roll-back is not lost") {
  auto const configuration =
      guarded_run({"conservation.on_violation=retry", "conservation.max_relative_energy_error=3e-3",
                   "output.snapshot_interval=0.5"});
  auto const run = run_deck(configuration);
  CHECK(run.outcome.retries == 1);
  CHECK(run.snapshots == 17);
}
