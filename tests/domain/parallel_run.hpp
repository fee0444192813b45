// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faults/run_files.hpp"
#include "support/comes_true.hpp"
#include "support/executable/commands.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

/// Runs of the executable under mpirun, as a user starts it.
namespace apsis::testing {

inline std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// Rows of the log of a run without the wall times.
inline std::string log_rows(std::filesystem::path const& run) {
  return result_of(files_of(run)).at("conservation.csv");
}

/// Adds the option to share a GPU to commands that use several ranks, because a test machine may
/// have only one GPU.
inline std::string with_shared_gpus(std::string const& arguments) {
  auto const command = arguments.substr(0, arguments.find(' '));
  bool const shares = command == "run" || command == "verify" || command == "bench";
  if (!on_a_device() || !shares) return arguments;
  return command + " --share-gpus" + arguments.substr(command.size());
}

/// Lines of the log of the run, with its header.
inline std::size_t lines_of_log(Scratch const& scratch) {
  return occurrences(content(scratch / "run/conservation.csv"), "\n");
}

/// Run of several ranks in the background; `prefix` is inserted before the executable.
class ParallelRun {
 public:
  ParallelRun(Scratch const& scratch, int processes, std::string const& arguments,
              std::string const& prefix = "")
      : scratch_(scratch) {
    std::string const command = "cd '" + scratch.path().string() + "'; exec </dev/null '" +
                                APSIS_TEST_MPIRUN + "' -n " + std::to_string(processes) + " " +
                                prefix + " '" + executable() + "' " + with_shared_gpus(arguments) +
                                " >out 2>err";
    mpirun_ = fork();
    if (mpirun_ == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
  }
  ~ParallelRun() {
    if (mpirun_ == 0) return;
    kill(mpirun_, SIGKILL);
    waitpid(mpirun_, nullptr, 0);
    for (auto const process : processes()) kill(process, SIGKILL);
  }
  ParallelRun(ParallelRun const&) = delete;
  ParallelRun& operator=(ParallelRun const&) = delete;

  pid_t mpirun() const { return mpirun_; }
  /// Whether mpirun has ended.
  bool is_over() const {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(mpirun_), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid != 0;
  }

  /// Running processes of this run, in no order.
  std::vector<pid_t> processes() const {
    std::vector<pid_t> ids;
    for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
      auto const name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::error_code error;
      auto const directory = std::filesystem::read_symlink(entry.path() / "cwd", error);
      auto const runs = std::filesystem::read_symlink(entry.path() / "exe", error);
      if (!error && directory == scratch_.path() && runs == executable()) {
        ids.push_back(static_cast<pid_t>(std::stol(name)));
      }
    }
    return ids;
  }

  /// Waits for the end of the run, fails if it hangs or leaves processes behind, and returns its
  /// result.
  Result wait() {
    int raw = 0;
    auto const started = processes();
    auto lines = lines_of_log(scratch_);
    while (!comes_true([&] { return waitpid(mpirun_, &raw, WNOHANG) != 0; })) {
      auto const before = std::exchange(lines, lines_of_log(scratch_));
      if (lines != before) continue;  // slow, not hanging: other tests share the device
      FAIL("hangs with " << processes().size() << " of " << started.size() << " processes, "
                         << lines << " lines in the log:\n"
                         << content(scratch_ / "out") << content(scratch_ / "err"));
    }
    mpirun_ = 0;
    // A process that is ending has no executable link any more, but still holds its locks.
    auto const is_ended = [](pid_t process) {
      auto const status = content("/proc/" + std::to_string(process) + "/stat");
      auto const state = status.find_first_not_of(' ', status.rfind(')') + 1);
      return status.empty() || (state != std::string::npos && status[state] == 'Z');
    };
    if (!comes_true([&] {
          return processes().empty() && std::all_of(started.begin(), started.end(), is_ended);
        })) {
      FAIL("leaves processes behind");
    }
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw), content(scratch_ / "out"),
            content(scratch_ / "err")};
  }

 private:
  Scratch const& scratch_;
  pid_t mpirun_;
};

inline Result run_parallel(int processes, std::string const& arguments, Scratch const& scratch,
                           std::string const& prefix = "") {
  return ParallelRun(scratch, processes, arguments, prefix).wait();
}

/// Error messages of the program, without messages of mpirun and warnings about few processors.
inline std::string errors_in(std::string const& text) {
  std::string errors;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("apsis: error: ", 0) == 0) errors += line + "\n";
  }
  return errors;
}

/// Deck with five blocks of 128 bodies; each of up to four ranks has some.
inline std::string const deck = R"({
  "bodies": {"generator": "plummer", "count": 600, "seed": 3},
  "gravity": {"softening": 0.03125},
  "integrator": {"name": "hermite4", "time_step": 0.015625, "stepping": {"mode": "block"}},
  "diagnostics": {"structure": {"interval": 0.25}, "pair_distances": {"interval": 0.25},
                  "lagrangian_radii": {"interval": 0.25},
                  "trajectories": {"interval": 0.25, "bodies": [0, 599]},
                  "force_error_sample": {"interval": 0.25, "seed": 1, "bodies": 50},
                  "potential_error_sample": {"interval": 0.25, "seed": 1, "bodies": 50}},
  "output": {"conservation_interval": 0.03125, "checkpoint_interval": 0.125,
             "checkpoint_wall_interval": 0, "snapshot_interval": 0.25,
             "snapshot_accelerations": true, "snapshot_potentials": true,
             "render": [{"interval": 0.25, "width": 96, "height": 54}]},
  "run": {"steps": 48}
})";

inline bool wait_for_checkpoint(Scratch const& scratch) {
  return comes_true([&] { return !committed(files_of(scratch / "run")).empty(); });
}

/// Result files of the deck on one rank.
inline Files expected_result(Scratch const& scratch, std::string const& options = "") {
  scratch.write("deck.json", deck);
  auto const alone = run_apsis("run deck.json --output alone --quiet" + options, scratch);
  INFO(alone.err);
  REQUIRE(alone.status == 0);
  return result_of(files_of(scratch / "alone"));
}

}  // namespace apsis::testing
