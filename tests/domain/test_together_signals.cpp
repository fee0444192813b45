// SPDX-License-Identifier: Apache-2.0
#include "parallel_run.hpp"

#include <csignal>
#include <random>

/// Ranks that receive signals or end in a crash.
using namespace apsis::testing;

TEST_CASE("promise: a signal to mpirun or to any rank stops all ranks with a checkpoint") {
  Scratch const scratch;
  // Long enough for a signal, where ranks share a device with other tests too.
  std::string const longer = std::string(" --set run.steps=") + (on_a_device() ? "160" : "480");
  auto const expected = expected_result(scratch, longer);
  std::mt19937_64 random(7);
  for (int round = 0; round < 4; ++round) {
    CAPTURE(round);
    std::filesystem::remove_all(scratch / "run");
    ParallelRun run(scratch, 3, "run deck.json --output run" + longer);
    REQUIRE(wait_for_checkpoint(scratch));
    auto const processes = run.processes();
    REQUIRE(processes.size() == 3);
    // mpirun forwards SIGUSR2 but handles SIGTERM itself.
    kill(round == 0 ? run.mpirun() : processes[random() % 3], round == 3 ? SIGTERM : SIGUSR2);
    auto const ended = run.wait();
    CHECK(ended.status == 75);
    CHECK(errors_in(ended.err) == "");  // a requested stop is no error
    CHECK(occurrences(ended.err, "apsis: note: signal: stopped ") == 1);
    CHECK(contains(ended.err, round == 3 ? "by SIGTERM" : "by SIGUSR2"));
    auto const last =
        run_parallel(2, "run deck.json --output run --resume --quiet" + longer, scratch);
    CHECK(last.status == 0);
    CHECK(difference(expected, result_of(files_of(scratch / "run"))) == "");
  }
}

TEST_CASE("promise: SIGUSR1 to any rank writes one checkpoint and the run continues") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  ParallelRun run(
      scratch, 3,
      "run deck.json --output run --set run.steps=480 --set output.checkpoint_interval=null");
  REQUIRE(comes_true([&] { return lines_of_log(scratch) >= 3; }));
  auto const processes = run.processes();
  REQUIRE(processes.size() == 3);
  for (auto const process : processes) kill(process, SIGUSR1);
  auto const ended = run.wait();
  CHECK(ended.status == 0);
  auto const count = occurrences(ended.out, "checkpoint after step");
  CHECK((count >= 1 && count <= 3));  // the signals may arrive in different steps
}

TEST_CASE(
    "promise: kill -9 of any rank at any time ends all; fewer ranks resume to the same bits") {
  Scratch const scratch;
  auto const expected = expected_result(scratch);
  std::mt19937_64 random(11);
  int kills = 0;
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    std::filesystem::remove_all(scratch / "run");
    for (int processes = 4; processes > 1; --processes) {
      CAPTURE(processes);
      ParallelRun run(scratch, processes, "run deck.json --output run --resume-if-possible");
      auto const count = static_cast<std::size_t>(processes);
      auto const lines = lines_of_log(scratch) + random() % 6;
      REQUIRE(comes_true([&] {
        auto const running = run.processes().size();
        return (running == count && lines_of_log(scratch) >= lines) || run.is_over();
      }));
      auto const running = run.processes();
      if (running.empty()) break;  // the run has already ended
      kill(running[random() % running.size()], SIGKILL);
      auto const ended = run.wait();
      CHECK((ended.status == 137 || ended.status == 0));
      kills += ended.status == 137;
    }
    auto const last = run_apsis("run deck.json --output run --resume-if-possible", scratch);
    INFO(last.err);
    CHECK(last.status == 0);
    CHECK(difference(expected, result_of(files_of(scratch / "run"))) == "");
  }
  MESSAGE(kills << " kills");
  CHECK(kills >= 3);
}

TEST_CASE("promise: a crash of one rank ends all ranks") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  for (int const signal : {SIGABRT, SIGSEGV}) {
    CAPTURE(signal);
    std::filesystem::remove_all(scratch / "run");
    ParallelRun run(scratch, 3, "run deck.json --output run --set run.steps=4800");
    REQUIRE(wait_for_checkpoint(scratch));
    auto const processes = run.processes();
    REQUIRE(processes.size() == 3);
    kill(processes[static_cast<std::size_t>(signal) % 3], signal);
    auto const ended = run.wait();
    CHECK(ended.status == 70);
    CHECK(contains(ended.err, "apsis: error: internal: died in a library"));
  }
}
