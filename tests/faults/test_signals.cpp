// SPDX-License-Identifier: Apache-2.0
#include "faults/fault_runs.hpp"
#include "support/comes_true.hpp"

#include <chrono>
#include <random>

using namespace apsis::testing;

namespace {

void wait(std::chrono::microseconds time) {
  std::this_thread::sleep_for(time);
}

bool wait_for(std::filesystem::path const& file) {
  return comes_true([&] { return std::filesystem::exists(file); });
}

/// A separate process that can be sent signals, like a job of a batch system.
class Process {
 public:
  Process(Scratch const& scratch, std::vector<std::string> const& options, std::string const& deck,
          std::string const& threads = "1")
      : scratch_(scratch) {
    std::string words = "exec '" + executable() + "' run '" + scratch.write("deck.json", deck) +
                        "' --output '" + (scratch / "run").string() + "'";
    if (on_threads()) words += " --threads " + threads;
    for (auto const& option : options) words += " " + option;
    words += " >'" + (scratch / "stdout").string() + "' 2>'" + (scratch / "stderr").string() + "'";
    child_ = spawn({"/bin/sh", "-c", words}, with_own_environment({"OMP_PROC_BIND=false"}));
  }
  void send(int signal) const { kill(child_, signal); }
  ProcessState wait_for_end() const {
    int status = 0;
    waitpid(child_, &status, 0);
    ProcessState ended;
    ended.raw = status;
    ended.out = content(scratch_ / "stdout");
    ended.err = content(scratch_ / "stderr");
    return ended;
  }

 private:
  Scratch const& scratch_;
  pid_t child_;
};

std::string const long_deck =
    R"({"bodies": {"generator": "pythagorean"}, "run": {"steps": 24000},
        "integrator": {"name": "leapfrog_kdk", "time_step": 0.0009765625},
        "diagnostics": {"pair_distances": {"interval": 0.09765625}},
        "output": {"conservation_interval": 0.048828125, "checkpoint_interval": 0.9765625,
                   "snapshot_interval": 7.8125, "checkpoint_wall_interval": 0}})";

}  // namespace

TEST_CASE(
    "promise: signals at any time stop a run with status 75, and the resumed run has the same "
    "bits") {
  Scratch const scratch;
  using Clock = std::chrono::steady_clock;
  auto const time_of = [&](std::vector<std::string> const& options) {
    auto const begin = Clock::now();
    REQUIRE(Process(scratch, options, long_deck).wait_for_end().status() == 0);
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
  };
  auto const start = time_of({"--quiet", "--set", "run.steps=0"});
  auto const whole = time_of({"--quiet", "--force"});
  auto const expected = result_of(files_of(scratch / "run"));
  std::mt19937_64 random(4);
  // Within the first quarter of the run: a device takes longer to start than the host to finish.
  std::uniform_int_distribution<long> microseconds(2000, start + (whole - start) / 4);
  int const stopping[]{SIGTERM, SIGINT, SIGUSR2, SIGUSR1, SIGHUP, SIGXCPU};
  int stops = 0, checkpoints = 0, rounds = 0;
  for (; rounds < 6 || (stops < 10 && rounds < 60); ++rounds) {
    CAPTURE(rounds);
    std::filesystem::remove_all(scratch / "run");
    bool committed_any = false, is_finished = false;
    for (int part = 0; part < 400 && !is_finished; ++part) {
      auto const before = files_of(scratch / "run");
      std::vector<std::string> options;
      if (committed_any) options.push_back("--resume");
      if (!committed_any && !before.empty()) options.push_back("--force");
      Process const process(scratch, options, long_deck);
      int const signal = stopping[random() % std::size(stopping)];
      wait(std::chrono::microseconds(microseconds(random)));
      process.send(signal);
      auto const ended = process.wait_for_end();
      auto const text = "signal " + std::to_string(signal) + ": " + ended.text();
      CAPTURE(text);
      committed_any = !committed(files_of(scratch / "run")).empty();
      if (ended.by_signal() != 0) {
        // The signal arrived before its handler was installed: nothing may have happened yet.
        REQUIRE(ended.by_signal() == signal);
        REQUIRE(difference(result_of(before), result_of(files_of(scratch / "run"))) == "");
        continue;
      }
      if (signal == SIGUSR1) REQUIRE(ended.status() == 0);
      if (ended.out.find("checkpoint after step") != std::string::npos) {
        CHECK(signal == SIGUSR1);
        ++checkpoints;
      }
      is_finished = ended.status() == 0;
      if (is_finished) break;
      REQUIRE(ended.status() == 75);
      CHECK(occurrences(ended.err, "\n") == 1);
      CHECK(occurrences(ended.err, "apsis: note: ") == 1);
      REQUIRE(committed_any);
      ++stops;
    }
    REQUIRE(is_finished);
    REQUIRE(difference(expected, result_of(files_of(scratch / "run"))) == "");
  }
  MESSAGE(stops << " stops and " << checkpoints << " checkpoints by signals in " << rounds
                << " runs");
  CHECK(stops >= 10);
}

TEST_CASE("promise: a signal to a finished run does not change its status") {
  Scratch const scratch;
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    std::filesystem::remove_all(scratch / "run");
    Process const process(scratch, {"--set run.steps=10"}, long_deck);
    REQUIRE(wait_for(scratch / "run/summary.json"));
    process.send(SIGTERM);
    CHECK(process.wait_for_end().raw == 0);
  }
}

TEST_CASE("promise: SIGUSR1 writes a checkpoint and the run continues") {
  Scratch const scratch;
  Process const process(scratch, {"--set output.checkpoint_interval=null"}, long_deck);
  REQUIRE(wait_for(scratch / "run/conservation.csv"));
  process.send(SIGUSR1);
  auto const ended = process.wait_for_end();
  CHECK(ended.status() == 0);
  CHECK(ended.err == "");
  CHECK(occurrences(ended.out, "checkpoint after step") == 1);
  CHECK(committed(files_of(scratch / "run")).size() == 2);  // this one, and the final one
}

TEST_CASE("promise: a second SIGINT ends a run at once") {
  Scratch const scratch;
  // One step takes seconds, also on a device.
  std::string const count = on_a_device() ? "1500000" : "60000";
  Process const process(scratch, {},
                        R"({"bodies": {"generator": "plummer", "seed": 1, "count": )" + count +
                            R"(}, "run": {"steps": 3}, "gravity": {"softening": 0.01},
              "integrator": {"time_step": 0.01}})");
  REQUIRE(wait_for(scratch / "run/conservation.csv"));
  process.send(SIGINT);
  REQUIRE(comes_true([&] { return contains(content(scratch / "stdout"), "again to end now"); }));
  process.send(SIGINT);
  // A run that finished its step would end with 75.
  CHECK(process.wait_for_end().by_signal() == SIGINT);
}
