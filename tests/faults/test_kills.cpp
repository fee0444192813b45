// SPDX-License-Identifier: Apache-2.0
#include "faults/fault_runs.hpp"

#include <algorithm>
#include <random>

using namespace apsis::testing;

namespace {
void inject_at_calls(Calls const& calls, std::string const& fault) {
  auto const& run = calls.run;
  run_cases(calls.describe(fault), calls.cases(), [&](ApsisServer& server, std::size_t k) {
    auto const ended =
        run.start(server, {"APSIS_FAULT=" + fault, "APSIS_FAULT_CALL=" + calls.call(k)});
    expect(ended.killed() || ended.status() == 0, ended.text());
    expect_recovery(server, run);
  });
}

/// Tries many places of a run. A stopped process leaves the same files as a killed one, so that one
/// run shows the directory at many places, one after the other.
void stop_at_places(Experiment const& run) {
  std::size_t const stops_per_run = on_a_device() ? 8 : 32;
  run_cases(
      "calls and writes of " + run.name + " (" + std::to_string(run.places) + ")",
      static_cast<std::size_t>(run.places) / stops_per_run + 1,
      [&](ApsisServer& server, std::size_t k) {
        static thread_local ApsisServer stopping;
        auto const first = k * stops_per_run, last = first + stops_per_run - 1;
        auto ended = run.start(
            stopping, {"APSIS_FAULT_STOPS=" + std::to_string(first) + " " + std::to_string(last)});
        std::size_t stops = 0, tried = 0;
        Files before;
        for (; ended.stopped(); ended = stopping.continue_process(), ++stops) {
          auto files = files_of(Experiment::directory(stopping));
          if (stops > 0 && files == before) continue;  // as after a read
          put_files(Experiment::directory(server), files);
          before = std::move(files);
          try {
            expect_recovery(server, run, {}, tried++ % 16 == 0 ? Restart::attempt : Restart::skip);
          } catch (std::exception const& error) {
            while (ended.stopped()) ended = stopping.continue_process();
            throw Broken("at place " + std::to_string(first + stops) + ": " + error.what());
          }
        }
        expect(ended.status() == 0, ended.text());
        // The digits of the wall time make the last place uncertain.
        auto const left = static_cast<std::size_t>(run.places) - first;
        expect(stops == stops_per_run || left < stops_per_run + 100, "a place was left out");
      });
}
}  // namespace

TEST_CASE("promise: a process may die before any call and within any write") {
  stop_at_places(hermite_run());
  stop_at_places(leapfrog_run());
  stop_at_places(snapshot_run());
}

TEST_CASE("promise: kill -9 at any system call loses nothing that was committed") {
  inject_at_calls({hermite_run(), 3}, "kill");
  inject_at_calls({snapshot_run(), 7}, "kill");
  inject_at_calls({retrying_run(), 3}, "kill");
  inject_at_calls({cells_run(), 5}, "kill");
}

TEST_CASE("promise: a loss of power at any call loses nothing that was committed") {
  inject_at_calls({hermite_run()}, "power");
  inject_at_calls({snapshot_run(), 4}, "power");
}

TEST_CASE("promise: kill -9 of a run that resumes loses nothing either") {
  for (auto const* run : {&hermite_run(), &snapshot_run(), &retrying_run(), &cells_run()}) {
    run_cases("kill and kill again " + run->name, 40, [&](ApsisServer& server, std::size_t k) {
      std::mt19937_64 random(k);
      auto const random_up_to = [&](long limit) {
        return std::to_string(std::uniform_int_distribution<long>(0, limit)(random));
      };
      run->start(server, {"APSIS_FAULT_BYTE=" + random_up_to(run->bytes)});
      bool const at_a_call = k % 2 == 0;
      expect_recovery(server, *run,
                      at_a_call ? Environment{"APSIS_FAULT=kill",
                                              "APSIS_FAULT_CALL=" + random_up_to(run->calls / 2)}
                                : Environment{"APSIS_FAULT_BYTE=" + random_up_to(run->bytes / 2)});
    });
  }
}

TEST_CASE("promise: kill -9 of a run that replaces another leaves one of the two") {
  auto const& run = snapshot_run();
  run_cases("kill a run that replaces another", 300, [&](ApsisServer& server, std::size_t k) {
    auto const first = run.start(server, {});
    expect(first.status() == 0, first.text());
    auto const* const fault = k % 4 == 3 ? "APSIS_FAULT=power" : "APSIS_FAULT=kill";
    run.run(server, {"--force", "--quiet"}, {fault, "APSIS_FAULT_CALL=" + std::to_string(1 + k)});
    auto const resumed = run.run(server, {"--resume"});
    expect_grammar(resumed);
    if (resumed.status() == 0) return run.expect_result(server, "after the kill");
    // The old run must be intact until the new one has a line in its log.
    auto const log = content(Experiment::directory(server) / "conservation.csv");
    expect(std::count(log.begin(), log.end(), '\n') > 1, "neither run is there: " + resumed.text());
  });
}
