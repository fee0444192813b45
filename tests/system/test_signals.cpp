// SPDX-License-Identifier: Apache-2.0
#include "support/executable/background.hpp"

#include <csignal>
#include <set>

/// Signals to a run.
using namespace apsis::testing;

TEST_CASE("promise: a stop signal leaves a checkpoint and status 75") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  for (int const signal : {SIGTERM, SIGINT, SIGUSR2, SIGXCPU, SIGHUP}) {
    CAPTURE(signal);
    std::filesystem::remove_all(scratch / "deck.run");
    Background run("run deck.json " + endless_run, scratch);
    await_start(run);
    run.send(signal);
    CHECK(run.wait() == 75);
    CHECK(contains(run.err(), "apsis: note: signal: stopped after step "));
    CHECK(contains(run.err(), "go on with 'apsis run deck.run --resume'"));
    auto const stopped = summary_of(scratch / "deck.run");
    CHECK(stopped["stop_reason"] == "signal");
    CHECK(stopped["status"] == "stopped");
    CHECK(stopped["checkpoint_step"] == stopped["steps"]);
    // The run resumes from it, to an end not much later.
    auto const steps = std::to_string(stopped["steps"].get<std::int64_t>() + 8);
    auto const resumed = run_apsis(
        "run deck.json --resume --allow-deck-change " + endless_run + "--set run.steps=" + steps,
        scratch);
    CHECK(resumed.status == 0);
    CHECK(summary_of(scratch / "deck.run")["resumed_from_step"] == stopped["steps"]);
  }
}

TEST_CASE("a stop within a step that takes long takes it back, and the resumed run has all bits") {
  Scratch const scratch;
  // A pair that turns 40 000 times in a step, and a third body: a step takes seconds.
  std::string const pair = R"({"bodies": {"list": [
      {"mass": 1, "position": [0, 0, 0]}, {"mass": 0.5, "semi_major_axis": 0.01},
      {"mass": 1e-3, "semi_major_axis": 5}]}, "gravity": {"softening": 0},
      "output": {"conservation_interval": 200},
      "integrator": {"time_step": 200, )";
  for (
      std::string const scheme :
      {R"("name": "gauss_radau15"}, "run": {"steps": 2}})",
       R"("name": "hermite4", "stepping": {"mode": "adaptive", "eta": 0.005}}, "run": {"steps": 2}})"}) {
    CAPTURE(scheme);
    scratch.write("deck.json", pair + scheme);
    std::filesystem::remove_all(scratch / "deck.run");
    std::filesystem::remove_all(scratch / "whole");
    auto const whole = run_apsis("run deck.json --output whole", scratch);
    REQUIRE(whole.status == 0);
    Background run("run deck.json", scratch);
    await_start(run);
    run.send(SIGTERM);
    CHECK(run.wait() == 75);
    auto const stopped = summary_of(scratch / "deck.run");
    CHECK(stopped["steps"] == 0);
    CHECK(stopped["checkpoint_step"] == 0);
    CHECK(run_apsis("run deck.json --resume", scratch).status == 0);
    CHECK(log_of(scratch / "deck.run") == log_of(scratch / "whole"));
  }
}

TEST_CASE("SIGUSR1 writes a checkpoint and the run continues") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  Background run("run deck.json " + endless_run, scratch);
  await_start(run);
  CHECK_FALSE(std::filesystem::exists(scratch / "deck.run/checkpoint/manifest.json"));
  run.send(SIGUSR1);
  run.await("deck.run/checkpoint/manifest.json");
  auto const first = content(scratch / "deck.run/checkpoint/manifest.json");
  run.send(SIGUSR1);
  CHECK(
      comes_true([&] { return content(scratch / "deck.run/checkpoint/manifest.json") != first; }));
  run.send(SIGTERM);
  CHECK(run.wait() == 75);
  // The last two generations exist, and no other files.
  std::set<std::string> files;
  for (auto const& entry : std::filesystem::directory_iterator(scratch / "deck.run/checkpoint")) {
    files.insert(entry.path().filename().string());
  }
  CHECK(files ==
        std::set<std::string>{"generation_000002.bin", "generation_000003.bin", "manifest.json"});
}

TEST_CASE("a first SIGINT is answered at once, a second one ends the process") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  // One step takes seconds. A run that finishes it would end with 75.
  Background run("run deck.json --set run.steps=100 --set diagnostics=null --set bodies.count=" +
                     std::string(on_a_device() ? "1500000 " : "60000 ") +
                     "--set integrator.stepping.mode=fixed --set integrator.stepping.eta=null "
                     "--set output.snapshot_interval=null",
                 scratch);
  run.await("deck.run/conservation.csv");
  run.send(SIGINT);
  run.await_output("finishes this step, then writes a checkpoint; again to end now");
  run.send(SIGINT);
  CHECK(run.wait() == 128 + SIGINT);
}
