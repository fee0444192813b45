// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include "support/comes_true.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

/// Runs that are interrupted and resumed, some of them in the background.
namespace apsis::testing {

inline std::string const resumed_deck = R"({
  "bodies": {"generator": "plummer", "count": 64, "seed": 3},
  "gravity": {"softening": 0.05},
  "integrator": {"name": "hermite4", "time_step": 0.015625, "stepping": {"mode": "block"}},
  "run": {"steps": 40},
  "output": {"conservation_interval": 0.0625, "checkpoint_interval": 0.109375,
             "snapshot_interval": 0.15625},
  "diagnostics": {"structure": {"interval": 0.03125}}})";

/// Options of an endless run of few bodies, which only a signal ends.
inline std::string const endless_run =
    "--set run.steps=1000000000 --set output.conservation_interval=1e4 "
    "--set output.checkpoint_interval=1e4 "
    "--set output.snapshot_interval=1e6 --set diagnostics=null ";

inline std::string log_of(std::filesystem::path const& run) {
  return without_wall_seconds(run / "conservation.csv");
}

inline nlohmann::json summary_of(std::filesystem::path const& run) {
  return nlohmann::json::parse(content(run / "summary.json"));
}

/// Run in the background that can be sent signals.
class Background {
 public:
  Background(std::string const& arguments, Scratch const& scratch) : scratch_(scratch) {
    child_ = fork();
    if (child_ == 0) {
      std::string const command = "cd '" + scratch.path().string() + "' && exec '" + executable() +
                                  "' " + arguments + " >background.out 2>background.err </dev/null";
      execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
  }
  ~Background() {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
  }
  void send(int signal) const { kill(child_, signal); }
  /// Waits until a file of the run exists.
  void await(std::string const& file) const {
    REQUIRE(comes_true([&] { return std::filesystem::exists(scratch_ / file); }));
  }
  /// Waits until a file of the run has `lines` lines.
  void await_lines(std::string const& file, std::size_t lines) const {
    REQUIRE(comes_true([&] { return occurrences(content(scratch_ / file), "\n") >= lines; }));
  }
  /// Waits until the run has printed a text.
  void await_output(std::string const& text) const {
    REQUIRE(comes_true([&] { return contains(content(scratch_ / "background.out"), text); }));
  }
  /// Returns the exit status, or 128 + the signal that ended the run.
  int wait() {
    int raw = 0;
    waitpid(child_, &raw, 0);
    child_ = -1;
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  }
  std::string err() const { return content(scratch_ / "background.err"); }

 private:
  Scratch const& scratch_;
  pid_t child_;
};

/// Waits until the log of the run has its first row; the run then takes its first step.
inline void await_start(Background const& run) {
  run.await_lines("deck.run/conservation.csv", 2);
}

}  // namespace apsis::testing
