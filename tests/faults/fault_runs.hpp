// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faults/apsis_server.hpp"
#include "faults/run_files.hpp"
#include "support/contains.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>

/// Short runs that are interrupted in many ways, and checks of their recovery.
namespace apsis::testing {

/// Thrown by a single case when a promise is broken.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void expect(bool is_true, std::string const& promise) {
  if (!is_true) throw Broken(promise);
}

/// Whether every case and every byte is tried instead of selected ones. Takes several minutes.
inline bool is_full() {
  return std::getenv("APSIS_TEST_FULL") != nullptr;
}

/// Runs `one` for one case in three, or for all of them if is_full(), with as many threads as
/// cores, and reports the cases that fail. The tested code runs on the host only, and a process
/// takes half a second to start a device: there one case in 61 is run, at least eight. Returns the
/// number of cases run.
inline std::size_t run_cases(std::string const& description, std::size_t case_count,
                             std::function<void(ApsisServer&, std::size_t)> const& one) {
  std::size_t const stride = on_a_device() ? std::clamp<std::size_t>(case_count / 8, 1, 61)
                             : is_full()   ? 1
                                           : 3;
  std::size_t const cases = (case_count + stride - 1) / stride;
  std::atomic<std::size_t> next{0};
  std::mutex reporting;
  std::vector<std::string> failures;
  auto const work = [&] {
    try {
      ApsisServer server;
      for (std::size_t i; (i = next++) < cases;) {
        // Each place within a stride in turn, because the calls of a run repeat themselves.
        auto const k = std::min(i * stride + i % stride, case_count - 1);
        try {
          one(server, k);
        } catch (std::exception const& error) {
          std::lock_guard const guard(reporting);
          failures.push_back(description + ", case " + std::to_string(k) + ": " +
                             std::string(error.what()).substr(0, 2000));
        }
      }
    } catch (std::exception const& error) {
      std::lock_guard const guard(reporting);
      failures.push_back(description + ": " + error.what());
    }
  };
  std::vector<std::thread> workers;
  auto const cores = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < std::min(cores, 8U); ++i) workers.emplace_back(work);
  for (auto& worker : workers) worker.join();
  MESSAGE(description << ": " << cases << " of " << case_count << " cases, " << failures.size()
                      << " broken");
  for (std::size_t i = 0; i < std::min<std::size_t>(failures.size(), 8); ++i) {
    FAIL_CHECK(failures[i]);
  }
  CHECK(cases > 0);
  CHECK(failures.empty());
  return cases;
}

/// Returns the deck of a few steps, of three bodies unless others are given. Times are in steps of
/// 1/16.
inline std::string deck(std::string const& integrator, std::string const& output,
                        std::string const& more = "",
                        std::string const& bodies = R"({"generator": "pythagorean"})") {
  return R"({"bodies": )" + bodies + R"(, "run": {"steps": 9}, "integrator": )" + integrator +
         R"(, "diagnostics": {"pair_distances": {"interval": 0.0625}}, )" + more +
         R"("output": {"conservation_interval": 0.125, "checkpoint_interval": 0.1875,)" +
         R"( "checkpoint_wall_interval": 0)" + output + "}}";
}
inline std::string const hermite =
    R"({"name": "hermite4", "time_step": 0.0625, "stepping": {"mode": "adaptive"}})";
inline std::string const leapfrog = R"({"name": "leapfrog_kdk", "time_step": 0.0625})";

/// A deck and its result without faults.
struct Experiment {
  std::string name;
  std::string deck;
  Files expected;
  long calls = 0, bytes = 0, places = 0;

  Experiment(std::string label, std::string text) : name(std::move(label)), deck(std::move(text)) {
    ApsisServer server;
    auto const ended = run(server, {});
    INFO(ended.text());
    REQUIRE(ended.status() == 0);
    REQUIRE(ended.err == "");
    REQUIRE(ended.calls > 50);
    calls = ended.calls;
    bytes = ended.bytes;
    places = ended.places;
    expected = result_of(files_of(directory(server)));
    REQUIRE(expected.count("the last checkpoint's bodies/position") == 1);
  }

  static std::filesystem::path directory(ApsisServer const& server) {
    return server.scratch() / "run";
  }

  ProcessState run(ApsisServer& server, std::vector<std::string> const& options,
                   Environment faults = {}) const {
    auto const file = server.scratch().write("deck.json", deck);
    auto const output = directory(server).string();
    std::vector<std::string> words{"run", file, "--output", output};
    if (on_threads()) words.insert(words.end(), {"--threads", "1"});
    words.insert(words.end(), options.begin(), options.end());
    faults.push_back("APSIS_FAULT_UNDER=" + output);
    if (is_full()) faults.push_back("APSIS_FAULT_EVERY=1");
    return server.run(words, faults);
  }

  /// Starts a run in an empty directory.
  ProcessState start(ApsisServer& server, Environment const& faults) const {
    std::filesystem::remove_all(directory(server));
    return run(server, {"--quiet"}, faults);
  }

  void expect_result(ApsisServer& server, std::string const& when) const {
    auto const differences = difference(expected, result_of(files_of(directory(server))));
    expect(differences.empty(), when + ": " + differences);
  }
};

inline Experiment const& hermite_run() {
  static Experiment const run("hermite4", deck(hermite, ""));
  return run;
}
inline Experiment const& leapfrog_run() {
  static Experiment const run("leapfrog", deck(leapfrog, ""));
  return run;
}
inline Experiment const& snapshot_run() {
  static Experiment const run("snapshots", deck(leapfrog, R"(, "snapshot_interval": 0.1875)"));
  return run;
}
/// A run that rolls back, and thereby removes lines of the log and a snapshot.
inline Experiment const& retrying_run() {
  static Experiment const run("retries", deck(leapfrog, R"(, "snapshot_interval": 0.25)",
                                              R"("conservation": {"on_violation": "retry",
                                                  "max_relative_energy_error": 2e-5}, )"));
  return run;
}

/// A run with the solver fmm. Its MAC uses accelerations of the previous step and a sample of
/// bodies.
inline Experiment const& cells_run() {
  static Experiment const run(
      "cells",
      deck(R"({"name": "leapfrog_kdk", "time_step": 0.0625, "stepping": {"mode": "block"}})", "",
           R"("gravity": {"solver": "fmm", "softening": 0.03}, )",
           R"({"generator": "plummer", "count": 300, "seed": 2})"));
  return run;
}

/// Selects the calls of a run that get a fault: all, or one in `stride`.
struct Calls {
  Experiment const& run;
  long stride = 1;

  std::size_t cases() const { return static_cast<std::size_t>((run.calls + stride - 1) / stride); }
  std::string call(std::size_t k) const {
    return std::to_string(1 + static_cast<long>(k) * stride + static_cast<long>(k) % stride);
  }
  std::string describe(std::string const& fault) const {
    auto const which = stride == 1 ? "every call" : "one call in " + std::to_string(stride);
    return fault + " at " + which + " of " + run.name;
  }
};

/// Checks that all messages follow one grammar.
inline void expect_grammar(ProcessState const& ended) {
  std::size_t errors = 0;
  for (std::size_t begin = 0, end; begin < ended.err.size(); begin = end + 1) {
    end = ended.err.find('\n', begin);
    expect(end != std::string::npos, "an unfinished line: " + ended.text());
    auto const line = ended.err.substr(begin, end - begin);
    bool const warning = line.rfind("apsis: warning: ", 0) == 0;
    bool const error = line.rfind("apsis: error: ", 0) == 0;
    expect(warning || error, "a line that is neither error nor warning: " + ended.text());
    expect(line.find("internal: ") == std::string::npos, "an internal error: " + ended.text());
    if (error) ++errors;
  }
  expect(ended.by_signal() == 0, "died: " + ended.text());
  expect((ended.status() != 0) == (errors > 0), "status and errors disagree: " + ended.text());
}

/// Returns the generation from which a run said it resumed; the largest number if it said that it
/// is finished.
inline std::uint64_t find_generation(ProcessState const& ended) {
  if (occurrences(ended.out, " is finished: ") == 1) return ~std::uint64_t{0};
  std::string const words = "resumes from generation ";
  auto const position = ended.out.find(words);
  expect(position != std::string::npos, "does not say what it goes on from: " + ended.text());
  return std::stoull(ended.out.substr(position + words.size()));
}

/// Whether a run resumed from a generation that was complete before the first manifest was written.
inline bool resumed_without_manifest(ProcessState const& ended) {
  return ended.status() == 0 && occurrences(ended.err, "manifest.json is missing") == 1;
}

/// Resumes an interrupted run and compares its result with that of an uninterrupted run. It must
/// resume from the newest committed generation or a later one. Only if none was committed it may
/// start again.
enum class Restart { attempt, skip };
inline void expect_recovery(ApsisServer& server, Experiment const& experiment,
                            Environment const& faults = {}, Restart restart = Restart::attempt) {
  auto const generations = committed(files_of(Experiment::directory(server)));
  auto resumed = experiment.run(server, {"--resume"}, faults);
  if (!faults.empty() && resumed.killed()) return expect_recovery(server, experiment);
  expect_grammar(resumed);
  if (generations.empty() && resumed_without_manifest(resumed)) {
    return experiment.expect_result(server, "from a generation without its manifest");
  }
  if (generations.empty()) {
    expect(resumed.status() == 74 && occurrences(resumed.err, "\n") == 1,
           "nothing was committed: " + resumed.text());
    if (restart == Restart::skip) return;
    auto const again = experiment.run(server, {"--force", "--quiet"});
    expect(again.status() == 0 && again.err.empty(), "with --force: " + again.text());
    experiment.expect_result(server, "with --force");
    return;
  }
  expect(resumed.status() == 0 && resumed.err.empty(),
         "generation " + std::to_string(generations[0]) + " was committed: " + resumed.text());
  expect(find_generation(resumed) >= generations[0],
         "generation " + std::to_string(generations[0]) + " was lost");
  experiment.expect_result(server, "from generation " + std::to_string(generations[0]));
}

}  // namespace apsis::testing
