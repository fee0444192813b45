// SPDX-License-Identifier: Apache-2.0
#include "faults/fault_runs.hpp"

using namespace apsis::testing;

namespace {

/// Compares the result of a run with the expected one, except for the failures that it reported.
void expect_result_but_for_failures(ApsisServer& server, Experiment const& run,
                                    std::string const& messages) {
  auto expected = run.expected;
  auto actual = result_of(files_of(Experiment::directory(server)));
  auto missing =
      occurrences(messages, "apsis: warning: ") == 0 ? 0 : occurrences(messages, "snapshot failed");
  std::erase_if(expected, [&](auto const& file) {
    bool const excused =
        missing > 0 && file.first.rfind("snapshot_", 0) == 0 && actual.count(file.first) == 0;
    if (excused) --missing;
    return excused;
  });
  if (messages.find("checkpoint failed") != std::string::npos) {
    auto const of_checkpoint = [](auto const& file) {
      return file.first.rfind("the last checkpoint's", 0) == 0 || file.first == "summary.json" ||
             (file.first.rfind("checkpoint/", 0) == 0 && file.first.ends_with(".tmp"));
    };
    std::erase_if(expected, of_checkpoint);
    std::erase_if(actual, of_checkpoint);
  }
  auto const differences = difference(expected, actual);
  expect(differences.empty(), differences + " (it said: " + messages + ")");
}

/// A run with disk errors must be complete, or report why it is not and be resumable.
void expect_intact_or_reported(ApsisServer& server, Experiment const& run,
                               ProcessState const& ended) {
  expect_grammar(ended);
  expect(ended.status() == 0 || ended.status() == 74, ended.text());
  expect(ended.file_faults == 0 || !ended.err.empty(),
         "a failure was passed over: " + ended.text());
  expect(ended.faults > 0 || ended.err.empty(), "complains of nothing: " + ended.text());
  if (ended.status() == 0) expect_result_but_for_failures(server, run, ended.err);
  auto const generations = committed(files_of(Experiment::directory(server)));
  auto const resumed = run.run(server, {"--resume"});
  expect_grammar(resumed);
  if (generations.empty() && resumed_without_manifest(resumed)) {
    return expect_result_but_for_failures(server, run, resumed.err);
  }
  if (generations.empty()) {
    expect(ended.status() == 74, "no checkpoint, and no word about it: " + ended.text());
    expect(resumed.status() == 74, "nothing was committed: " + resumed.text());
    return;
  }
  expect(resumed.status() == 0, "could not go on: " + resumed.text());
  expect(find_generation(resumed) >= generations[0], "a generation was lost");
  expect_result_but_for_failures(server, run,
                                 occurrences(ended.err, "snapshot failed") > 0 ? ended.err : "");
}

void inject_at_calls(Calls const& calls, std::string const& fault) {
  auto const& run = calls.run;
  run_cases(calls.describe(fault), calls.cases(), [&](ApsisServer& server, std::size_t k) {
    auto const ended =
        run.start(server, {"APSIS_FAULT=" + fault, "APSIS_FAULT_CALL=" + calls.call(k)});
    try {
      expect_intact_or_reported(server, run, ended);
    } catch (Broken const& broken) {
      throw Broken(std::string(broken.what()) + "; the run: " + ended.text());
    }
  });
}

/// Injects faults into a run that resumes from the middle.
void inject_at_resumed_calls(Calls const& calls, std::string const& fault) {
  auto const& run = calls.run;
  Files half_way;
  {
    ApsisServer server;
    run.start(server, {"APSIS_FAULT_BYTE=" + std::to_string(run.bytes * 3 / 4)});
    half_way = files_of(Experiment::directory(server));
  }
  REQUIRE_FALSE(committed(half_way).empty());
  run_cases(
      calls.describe(fault) + " that resumes", calls.cases() * 3 / 4,
      [&](ApsisServer& server, std::size_t k) {
        put_files(Experiment::directory(server), half_way);
        auto const ended = run.run(server, {"--resume"},
                                   {"APSIS_FAULT=" + fault, "APSIS_FAULT_CALL=" + calls.call(k)});
        expect_grammar(ended);
        auto const status = ended.status();
        expect(status == 0 || status == 74 || (status == 65 && fault == "eio"), ended.text());
        expect(ended.file_faults == 0 || !ended.err.empty(), "passed over: " + ended.text());
        if (status == 0) expect_result_but_for_failures(server, run, ended.err);
        auto const resumed = run.run(server, {"--resume"});
        expect_grammar(resumed);
        expect(resumed.status() == 0, "could not go on: " + resumed.text() + "; " + ended.text());
        bool const of_snapshot = occurrences(ended.err, "snapshot failed") > 0;
        expect_result_but_for_failures(server, run, of_snapshot ? ended.err : "");
      });
}

/// The fault must have no visible effect.
void expect_no_effect(Calls const& calls, std::string const& fault) {
  auto const& run = calls.run;
  run_cases(calls.describe(fault), calls.cases(), [&](ApsisServer& server, std::size_t k) {
    auto const ended =
        run.start(server, {"APSIS_FAULT=" + fault, "APSIS_FAULT_CALL=" + calls.call(k)});
    expect(ended.status() == 0 && ended.err.empty(), ended.text());
    run.expect_result(server, ended.text());
  });
}

}  // namespace

TEST_CASE("promise: a failed read or write is reported and loses nothing that was committed") {
  inject_at_calls({hermite_run()}, "eio");
  inject_at_calls({snapshot_run()}, "eio");
  inject_at_calls({retrying_run(), 3}, "eio");
  inject_at_resumed_calls({hermite_run()}, "eio");
  inject_at_resumed_calls({snapshot_run(), 3}, "eio");
}

TEST_CASE("promise: a full disk is reported and loses nothing that was committed") {
  inject_at_calls({hermite_run()}, "enospc");
  inject_at_calls({snapshot_run(), 3}, "enospc");
  inject_at_calls({hermite_run()}, "full");
  inject_at_calls({snapshot_run(), 3}, "full");
  inject_at_resumed_calls({hermite_run()}, "full");
}

TEST_CASE("promise: an interrupted or partial read or write is continued") {
  expect_no_effect({hermite_run()}, "short");
  expect_no_effect({hermite_run()}, "intr");
  expect_no_effect({snapshot_run(), 3}, "short");
  expect_no_effect({snapshot_run()}, "intr");
}

TEST_CASE(
    "promise: a disk too full for snapshots stops the run at the third one, with an intact "
    "checkpoint") {
  Experiment const run("many snapshots", deck(leapfrog, R"(, "snapshot_interval": 0.0625)"));
  long snapshot_calls = 0;
  {
    ApsisServer server;
    snapshot_calls = run.start(server, {"APSIS_FAULT_ONLY=snapshot"}).calls;
  }
  REQUIRE(snapshot_calls > 100);
  std::atomic<std::size_t> ended_at_the_third{0}, continued{0};
  auto const cases = run_cases(
      "a full disk for snapshots only", static_cast<std::size_t>(snapshot_calls / 3),
      [&](ApsisServer& server, std::size_t k) {
        auto const ended =
            run.start(server, {"APSIS_FAULT=full", "APSIS_FAULT_ONLY=snapshot",
                               "APSIS_FAULT_CALL=" + std::to_string(3 * k + k % 3 + 1)});
        expect_grammar(ended);
        auto const failed = occurrences(ended.err, "apsis: warning: ");
        auto const snapshot_warnings = occurrences(ended.err, "snapshot failed: ");
        expect(failed == snapshot_warnings, "another warning: " + ended.text());
        bool const lacks_final_state =
            occurrences(ended.err, "the final state was not written") == 1;
        if (ended.status() == 0 || lacks_final_state) {
          expect(lacks_final_state == (ended.status() == 74), "another status: " + ended.text());
          expect(failed <= 2, "went on too long: " + ended.text());
          ++continued;
          if (!lacks_final_state) expect_result_but_for_failures(server, run, ended.err);
        } else {
          expect(ended.status() == 74 && failed == 2 && occurrences(ended.err, "3 snapshots") == 1,
                 "ended before the third: " + ended.text());
          ++ended_at_the_third;
        }
        bool const any = !committed(files_of(Experiment::directory(server))).empty();
        auto const resumed = run.run(server, {"--resume", "--quiet"});
        expect_grammar(resumed);
        expect(resumed.status() == (any ? 0 : 74), resumed.text());
        if (any) expect_result_but_for_failures(server, run, ended.err);
      });
  CHECK(ended_at_the_third > cases / 9);
  CHECK(continued > cases / 37);
}
