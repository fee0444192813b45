// SPDX-License-Identifier: Apache-2.0
#include "support/executable/background.hpp"

#include <csignal>
#include <map>

using namespace apsis::testing;

TEST_CASE("a directory name that is too long for the system is an input/output error") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  for (auto const* option : {"", "--force ", "--resume "}) {
    auto const run = run_apsis(
        "run deck.json " + std::string(option) + "--output " + std::string(300, 'x'), scratch);
    check_errors(run, 74);
    CHECK(contains(run.err, "File name too long"));
  }
}

TEST_CASE("a finished run says so at once and with its original status") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  for (auto const* limit : {"null", "1e-30"}) {
    auto const command =
        std::string("run deck.json --set conservation.max_momentum_error=") + limit;
    int const status = run_apsis(command + " --force", scratch).status;
    auto const log = content(scratch / "deck.run/conservation.csv");
    auto const summary = content(scratch / "deck.run/summary.json");
    for (auto const* option : {" --resume", " --resume-if-possible"}) {
      auto const again = run_apsis(command + option, scratch);
      CHECK(again.status == status);
      CHECK(contains(again.out, "deck.run: is finished: after step 40 at time 0.625, "));
      CHECK(contains(again.out, "to continue it, give a later end (--set run.end_time="));
      CHECK(again.out.find('\n') == again.out.size() - 1);
      if (status != 0) check_errors(again, 1);
    }
    CHECK(content(scratch / "deck.run/conservation.csv") == log);
    CHECK(content(scratch / "deck.run/summary.json") == summary);
  }
  // A run killed before it wrote its summary is not finished.
  std::filesystem::remove(scratch / "deck.run/summary.json");
  CHECK(run_apsis("run deck.json --resume --set conservation.max_momentum_error=1e-30", scratch)
            .status == 1);
  CHECK(summary_of(scratch / "deck.run")["steps"] == 40);
}

TEST_CASE("promise: files damaged after the end of a run are rewritten and never trusted") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json", scratch).status == 0);
  auto const left = log_of(scratch / "deck.run");
  auto const path = scratch / "deck.run/conservation.csv";
  auto const log = content(path);
  // The last row is written after the last checkpoint, which does not contain it.
  auto flipped = log;
  flipped[log.rfind('\n', log.size() - 2) + 5] ^= 1;
  for (auto const& damaged :
       {flipped, log.substr(0, log.size() - 4), log + "41,0.7\n", log + "a half line"}) {
    CAPTURE(damaged.size());
    scratch.write("deck.run/conservation.csv", damaged);
    auto const again = run_apsis("run deck.json --resume", scratch);
    CHECK(again.status == 0);
    CHECK(contains(again.out, "resumes from generation"));
    CHECK(log_of(scratch / "deck.run") == left);
  }
  CHECK(contains(run_apsis("run deck.json --resume", scratch).out, "is finished"));
}

TEST_CASE("promise: a finished run continued to a later end has the bits of an uninterrupted run") {
  Scratch const scratch;
  // The deck has no output keys: only the end is written.
  scratch.write("deck.json", R"({
    "bodies": {"generator": "plummer", "count": 64, "seed": 3}, "gravity": {"softening": 0.05},
    "integrator": {"name": "hermite4", "time_step": 0.015625, "stepping": {"mode": "block"}},
    "run": {"end_time": 3.125}, "diagnostics": {"structure": {}}})");
  auto const first = run_apsis("run deck.json", scratch);
  CHECK(first.status == 0);
  CHECK(std::filesystem::exists(scratch / "deck.run/snapshot_000000.h5"));
  CHECK(summary_of(scratch / "deck.run")["checkpoint_step"] == 200);
  auto const longer = run_apsis("run deck.json --resume --set run.end_time=6.375", scratch);
  CHECK(longer.err == "");
  CHECK(longer.status == 0);
  CHECK(summary_of(scratch / "deck.run")["resumed_from_step"] == 200);
  // Its log keeps the original interval, a hundredth of the first end.
  REQUIRE(run_apsis("run deck.json --output whole --set run.end_time=6.375 "
                    "--set output.conservation_interval=0.03125",
                    scratch)
              .status == 0);
  CHECK(log_of(scratch / "deck.run") == log_of(scratch / "whole"));
  for (auto const* file : {"structure.csv", "snapshot_000000.h5"}) {
    CAPTURE(file);
    bool const same = content(scratch / "deck.run" / file) == content(scratch / "whole" / file);
    CHECK(same);
  }
  CHECK_FALSE(std::filesystem::exists(scratch / "deck.run/snapshot_000001.h5"));
  // The deck's own end is now in the past; the advice in the message works.
  for (auto const* option : {" --resume", " --resume --allow-deck-change"}) {
    auto const behind = run_apsis(std::string("run deck.json") + option, scratch);
    check_errors(behind, 65);
    CHECK(contains(behind.err,
                   "run.end_time: is before the checkpoint (the run has reached 6.375 and would "
                   "end at 3.125); give a later end, --set run.end_time=..."));
  }
  CHECK(run_apsis("run deck.json --resume --set run.end_time=6.5", scratch).status == 0);
  // An interrupted run with another end than the deck's reports that end.
  auto const cut = run_apsis(
      "run deck.json --resume --set run.end_time=1e4 --set run.max_wall_time=0.5 "
      "--allow-deck-change",
      scratch);
  check_errors(cut, 75);
  auto const short_of = run_apsis("run deck.json --resume", scratch);
  check_errors(short_of, 65);
  CHECK(contains(short_of.err, "give the end that it was begun with, --set run.end_time=10000"));
  // The resolved deck of the run contains that end.
  auto const left = run_apsis(
      "run deck.run/deck.resolved.json --output deck.run --resume --set run.max_wall_time=0.5",
      scratch);
  check_errors(left, 75);
  CHECK(contains(left.out, "resumes from generation"));
}

TEST_CASE("the directory of a run can be given instead of its deck, to resume and to check it") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  auto const cut = run_apsis(
      "run deck.json --set integrator.time_step=0.0078125 --set run.max_wall_time=1e-9", scratch);
  check_errors(cut, 75);
  CHECK(contains(cut.err, "go on with 'apsis run deck.run --resume'"));
  // Without its original options it is a different run. This is reported before the errors that
  // follow.
  auto const other = run_apsis(
      "run deck.json --resume --set integrator.time_step=0.3 --set output.snapshot_interval=0.7",
      scratch);
  check_errors(other, 65);
  CHECK(contains(other.err.substr(0, other.err.find('\n')),
                 "deck.run: cannot be continued with this deck; continue it unchanged, 'apsis run "
                 "deck.run --resume'"));
  CHECK(contains(run_apsis("run deck.json --resume", scratch).err,
                 "or go on with 'apsis run deck.run --resume'"));
  check_errors(run_apsis("run deck.run", scratch), 64);
  auto const checked = run_apsis("check deck.run", scratch);
  CHECK(checked.status == 0);
  CHECK(contains(checked.out, "deck.run/deck.resolved.json: good"));
  auto const resumed =
      run_apsis("run deck.run --resume --allow-deck-change --set run.max_wall_time=null", scratch);
  CHECK(resumed.status == 0);
  CHECK(contains(resumed.out, "resumes from generation"));
  check_errors(run_apsis("run nothing.run --resume", scratch), 74);
  // Restarted with its original options, also without a checkpoint.
  std::filesystem::remove_all(scratch / "deck.run/checkpoint");
  auto const original_deck = content(scratch / "deck.run/deck.resolved.json");
  auto const again = run_apsis("run deck.run --force --set run.max_wall_time=null", scratch);
  CHECK(again.status == 0);
  CHECK_FALSE(contains(again.out, "resumes"));
  CHECK(content(scratch / "deck.run/deck.resolved.json") == original_deck);
  // Without its resolved deck the directory is not a run.
  std::filesystem::remove(scratch / "deck.run/deck.resolved.json");
  auto const bare = run_apsis("run deck.run --resume", scratch);
  check_errors(bare, 74);
  CHECK(contains(bare.err, "not that of a run: it has no deck.resolved.json"));
}

TEST_CASE("a resolved deck that is removed during a run is written again at its end") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  Background run("run deck.json " + endless_run, scratch);
  await_start(run);
  std::filesystem::remove(scratch / "deck.run/deck.resolved.json");
  run.send(SIGTERM);
  CHECK(run.wait() == 75);
  CHECK(contains(run.err(), "deck.resolved.json: was removed during the run; it is there again"));
  CHECK(std::filesystem::exists(scratch / "deck.run/deck.resolved.json"));
}

TEST_CASE(
    "tables and pictures cannot be added or removed on resume, which is reported in one line") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json --set run.steps=20", scratch).status == 0);
  for (auto const* change : {"diagnostics.pair_distances={}", "diagnostics.structure=null",
                             "'output.render=[{\"name\":\"a\",\"interval\":0.0625}]'"}) {
    for (auto const* option : {"", " --allow-deck-change"}) {
      auto const run =
          run_apsis("run deck.json --resume --set " + std::string(change) + option, scratch);
      CAPTURE(change);
      check_errors(run, 65);
      CHECK(contains(run.err, "give the deck as it was (this cannot change in a run)"));
      CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
    }
  }
}

TEST_CASE("the message about a run without checkpoint does not suggest to run it without --force") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  {
    Background killed("run deck.json " + endless_run, scratch);
    await_start(killed);
    killed.send(SIGKILL);
    killed.wait();
  }
  auto const anew = run_apsis("run deck.json " + endless_run, scratch);
  check_errors(anew, 74);
  CHECK(contains(anew.err, "with --output, or give --force"));
  auto const again = run_apsis("run deck.json --resume " + endless_run, scratch);
  check_errors(again, 74);
  CHECK(contains(again.err, "start it again with --force"));
}

TEST_CASE("a run ended by a conservation limit is not reported as resumable") {
  Scratch const scratch;
  scratch.write("deck.json", content(inputs() / "validation/pythagorean_must_fail.json"));
  CHECK(run_apsis("run deck.json --set conservation.on_violation=stop", scratch).status == 1);
  auto const again =
      run_apsis("run deck.json --set conservation.on_violation=stop --resume", scratch);
  CHECK(again.status == 1);
  CHECK(contains(again.out, "a limit ended it there"));
  CHECK_FALSE(contains(again.out, "to continue it, give a later end"));
}

TEST_CASE("a deck may disable all output of the final state") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  REQUIRE(run_apsis("run deck.json --set output.final_state=false", scratch).status == 0);
  CHECK_FALSE(std::filesystem::exists(scratch / "deck.run/snapshot_000000.h5"));
  CHECK_FALSE(std::filesystem::exists(scratch / "deck.run/checkpoint"));
  auto const again = run_apsis("run deck.json --resume --set output.final_state=false", scratch);
  CHECK(again.status == 0);
  CHECK(contains(again.out, "is finished"));
  auto const longer = run_apsis("run deck.json --resume --set run.steps=30", scratch);
  check_errors(longer, 74);
  CHECK(contains(longer.err, "holds no committed checkpoint"));
}

TEST_CASE("--resume-if-possible begins a run, resumes it and reports that it is finished") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  std::string const command = "run deck.json --resume-if-possible ";
  check_errors(run_apsis(command + "--force", scratch), 64);
  // First the directory is missing; then the run was killed before its first checkpoint.
  {
    Background killed(command + endless_run, scratch);
    await_start(killed);
    killed.send(SIGKILL);
    killed.wait();
  }
  auto const stopped = run_apsis(command + "--set run.max_wall_time=0.2 " + endless_run, scratch);
  check_errors(stopped, 75);
  auto const on = run_apsis(command + "--set run.max_wall_time=0.2 " + endless_run, scratch);
  check_errors(on, 75);
  CHECK(contains(on.out, "resumes from generation 1"));
  std::filesystem::remove_all(scratch / "deck.run");
  CHECK(run_apsis(command, scratch).status == 0);
  CHECK(contains(run_apsis(command, scratch).out, "is finished"));
}

TEST_CASE("a directory that holds a run is not overwritten without --force") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  CHECK(run_apsis("run deck.json", scratch).status == 0);
  auto const before = content(scratch / "deck.run/summary.json");
  auto const refused = run_apsis("run deck.json", scratch);
  check_errors(refused, 74);
  CHECK(contains(refused.err, "--force"));
  CHECK(content(scratch / "deck.run/summary.json") == before);
  // Errors of the deck are reported first.
  auto const both = run_apsis("run deck.json --set gravity.softning=1", scratch);
  check_errors(both, 65);
  CHECK(contains(both.err, "did you mean 'softening'?"));
  CHECK(run_apsis("run deck.json --force", scratch).status == 0);
  CHECK(content(scratch / "deck.run/summary.json") != before);
  scratch.write("file", "");
  check_errors(run_apsis("run deck.json --output file", scratch), 74);
  check_errors(run_apsis("run deck.json --output file/below", scratch), 74);
}

TEST_CASE("promise: two runs never write into one directory, and nothing is overwritten unasked") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  Background run("run deck.json " + endless_run, scratch);
  await_start(run);
  run.send(SIGUSR1);
  run.await("deck.run/checkpoint/manifest.json");
  for (auto const* lock : {"there", "removed"}) {
    CAPTURE(lock);
    if (lock == std::string("removed")) std::filesystem::remove(scratch / "deck.run/.lock");
    for (auto const* option : {"", "--force", "--resume"}) {
      auto const second = run_apsis("run deck.json " + endless_run + option, scratch);
      check_errors(second, 74);
      CHECK(contains(second.err, "another run is writing there"));
    }
  }
  run.send(SIGTERM);
  CHECK(run.wait() == 75);
  // The lock is released when the process ends, also by a kill.
  std::filesystem::remove_all(scratch / "deck.run");
  {
    Background killed("run deck.json " + endless_run, scratch);
    await_start(killed);
    killed.send(SIGKILL);
    CHECK(killed.wait() == 128 + SIGKILL);
  }
  check_errors(run_apsis("run deck.json", scratch), 74);
  auto const none = run_apsis("run deck.json --resume " + endless_run, scratch);
  check_errors(none, 74);
  CHECK(contains(none.err, "no checkpoint"));
  // Files of the user survive --force.
  scratch.write("deck.run/notes.txt", "mine");
  std::filesystem::create_directories(scratch / "deck.run/checkpoint");
  scratch.write("deck.run/checkpoint/notes.txt", "mine too");
  CHECK(run_apsis("run deck.json --force", scratch).status == 0);
  CHECK(content(scratch / "deck.run/notes.txt") == "mine");
  CHECK(content(scratch / "deck.run/checkpoint/notes.txt") == "mine too");
}

TEST_CASE("promise: --force never removes input files of the new run") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json --quiet", scratch).status == 0);
  auto const log = content(scratch / "deck.run/conservation.csv");
  std::string const from_snapshot =
      "--set bodies.generator=null --set bodies.count=null --set bodies.seed=null "
      "--set bodies.file=deck.run/snapshot_000002.h5";
  for (auto const& command : {"run deck.json " + from_snapshot,
                              std::string("run deck.run/deck.resolved.json --output deck.run")}) {
    CAPTURE(command);
    auto const refused = run_apsis(command + " --force", scratch);
    check_errors(refused, 74);
    CHECK(contains(refused.err, "belongs to the run that --force replaces"));
    CHECK(std::filesystem::exists(scratch / "deck.run/snapshot_000002.h5"));
    CHECK(std::filesystem::exists(scratch / "deck.run/deck.resolved.json"));
    CHECK(content(scratch / "deck.run/conservation.csv") == log);
  }
  CHECK(run_apsis("run deck.json --output other --force " + from_snapshot, scratch).status == 0);
}

TEST_CASE("promise: a run is replaced only by one that has begun") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json --quiet", scratch).status == 0);
  auto const files = [&] {
    std::map<std::string, std::string> entries;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(scratch / "deck.run")) {
      auto const name = entry.path().lexically_relative(scratch.path()).string();
      entries[name] = entry.is_regular_file() ? content(entry.path()) : "directory";
    }
    return entries;
  };
  auto const before = files();
  // The new run cannot write its deck, because files may not grow to its size.
  auto const err = scratch / "limited.err";
  std::string const shell =
      "cd '" + scratch.path().string() + "' && (ulimit -f 1; '" + executable() +
      "' run deck.json --force --quiet --set title=" + std::string(1500, 't') + ") >/dev/null 2>'" +
      err.string() + "'";
  int const raw = std::system(("bash -c \"" + shell + "\"").c_str());
  CHECK(WEXITSTATUS(raw) == 74);
  CHECK(contains(content(err), "the previous run was restored"));
  CHECK(files() == before);
  CHECK(run_apsis("run deck.json --force --quiet --set bodies.seed=4", scratch).status == 0);
  auto const after = files();
  CHECK(after.size() == before.size());
  CHECK(after.at("deck.run/structure.csv") != before.at("deck.run/structure.csv"));
}
