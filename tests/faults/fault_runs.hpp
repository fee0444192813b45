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

/// Short runs that are broken off in every way that can be thought of, and what must become of
/// them.
namespace apsis::testing {

/// What a single case throws when a promise is broken.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void expect(bool kept, std::string const& promise) {
  if (!kept) throw Broken(promise);
}

/// Whether every byte is tried instead of the places that differ in kind. Takes several minutes.
inline bool is_full() {
  return std::getenv("APSIS_TEST_FULL") != nullptr;
}

/// Does each of the cases, as many at a time as there are cores, and reports those that fail. What
/// is tested here is the host's alone, and a process takes half a second to wake a device: there
/// one case in 61 is done, eight at least. Returns how many were.
inline std::size_t for_all(std::string const& what, std::size_t all,
                           std::function<void(ApsisServer&, std::size_t)> const& one) {
  std::size_t const apart = on_a_device() ? std::clamp<std::size_t>(all / 8, 1, 61) : 1;
  std::size_t const cases = (all + apart - 1) / apart;
  std::atomic<std::size_t> next{0};
  std::mutex reporting;
  std::vector<std::string> failures;
  auto const work = [&] {
    try {
      ApsisServer server;
      for (std::size_t i; (i = next++) < cases;) {
        auto const k = i * apart;
        try {
          one(server, k);
        } catch (std::exception const& error) {
          std::lock_guard const guard(reporting);
          failures.push_back(what + ", case " + std::to_string(k) + ": " +
                             std::string(error.what()).substr(0, 2000));
        }
      }
    } catch (std::exception const& error) {
      std::lock_guard const guard(reporting);
      failures.push_back(what + ": " + error.what());
    }
  };
  std::vector<std::thread> workers;
  auto const cores = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < std::min(cores, 8U); ++i) workers.emplace_back(work);
  for (auto& worker : workers) worker.join();
  MESSAGE(what << ": " << cases << " of " << all << " cases, " << failures.size() << " broken");
  for (std::size_t i = 0; i < std::min<std::size_t>(failures.size(), 8); ++i) {
    FAIL_CHECK(failures[i]);
  }
  CHECK(cases > 0);
  CHECK(failures.empty());
  return cases;
}

/// Three bodies for a few steps, or others. Times are in steps of 1/16.
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

/// A deck and what becomes of it when nothing is in its way.
struct Experiment {
  std::string name;
  std::string deck;
  Files expected;
  long calls = 0, bytes = 0, places = 0;

  Experiment(std::string of, std::string text) : name(std::move(of)), deck(std::move(text)) {
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

  Ended run(ApsisServer& server, std::vector<std::string> const& options,
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

  /// A run in an empty directory.
  Ended start(ApsisServer& server, Environment const& faults) const {
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
/// Goes back, and takes lines of the log and a snapshot with it.
inline Experiment const& retrying_run() {
  static Experiment const run("retries", deck(leapfrog, R"(, "snapshot_interval": 0.25)",
                                              R"("conservation": {"on_violation": "retry",
                                                  "max_relative_energy_error": 2e-5}, )"));
  return run;
}

/// Cells are opened by what was found at the step before, and by what a sample of bodies showed.
inline Experiment const& cells_run() {
  static Experiment const run(
      "cells",
      deck(R"({"name": "leapfrog_kdk", "time_step": 0.0625, "stepping": {"mode": "block"}})", "",
           R"("gravity": {"solver": "fmm", "softening": 0.03}, )",
           R"({"generator": "plummer", "count": 300, "seed": 2})"));
  return run;
}

/// Which calls of a run a fault strikes: all, or one in a few, for what many tests cover.
struct Calls {
  Experiment const& run;
  long apart = 1;

  std::size_t cases() const { return static_cast<std::size_t>((run.calls + apart - 1) / apart); }
  std::string call(std::size_t k) const {
    return std::to_string(1 + static_cast<long>(k) * apart + static_cast<long>(k) % apart);
  }
  std::string of(std::string const& fault) const {
    auto const which = apart == 1 ? "every call" : "one call in " + std::to_string(apart);
    return fault + " at " + which + " of " + run.name;
  }
};

/// Everything that Apsis says is lines of one grammar.
inline void expect_grammar(Ended const& ended) {
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

/// The generation that a run said it goes on from; beyond all if it said that it is finished.
inline std::uint64_t resumed_from(Ended const& ended) {
  if (occurrences(ended.out, " is finished: ") == 1) return ~std::uint64_t{0};
  std::string const words = "resumes from generation ";
  auto const at = ended.out.find(words);
  expect(at != std::string::npos, "does not say what it goes on from: " + ended.text());
  return std::stoull(ended.out.substr(at + words.size()));
}

/// Whether a run went on from a generation that was whole before the first manifest.
inline bool missed_its_manifest(Ended const& ended) {
  return ended.status() == 0 && occurrences(ended.err, "manifest.json is missing") == 1;
}

/// Goes on with what a process left that was cut short, and holds the end against the run that was
/// not: from the newest generation that was committed at least; anew only if there was none.
enum class Anew { try_it, leave_it };
inline void expect_recovery(ApsisServer& server, Experiment const& experiment,
                            Environment const& faults = {}, Anew anew = Anew::try_it) {
  auto const generations = committed(files_of(Experiment::directory(server)));
  auto resumed = experiment.run(server, {"--resume"}, faults);
  if (!faults.empty() && resumed.killed()) return expect_recovery(server, experiment);
  expect_grammar(resumed);
  if (generations.empty() && missed_its_manifest(resumed)) {
    return experiment.expect_result(server, "from a generation without its manifest");
  }
  if (generations.empty()) {
    expect(resumed.status() == 74 && occurrences(resumed.err, "\n") == 1,
           "nothing was committed: " + resumed.text());
    if (anew == Anew::leave_it) return;
    auto const again = experiment.run(server, {"--force", "--quiet"});
    expect(again.status() == 0 && again.err.empty(), "with --force: " + again.text());
    experiment.expect_result(server, "with --force");
    return;
  }
  expect(resumed.status() == 0 && resumed.err.empty(),
         "generation " + std::to_string(generations[0]) + " was committed: " + resumed.text());
  expect(resumed_from(resumed) >= generations[0],
         "generation " + std::to_string(generations[0]) + " was lost");
  experiment.expect_result(server, "from generation " + std::to_string(generations[0]));
}

}  // namespace apsis::testing
