// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/scratch.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <pty.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

/// Runs the executable as a user does.
namespace apsis::testing {

/// Returns a path that the build provides and the environment may replace, so that tests can be
/// copied to a machine with an accelerator.
inline std::string setting_or_default(char const* variable, std::string const& built) {
  auto const* value = std::getenv(variable);
  return value != nullptr ? value : built;
}
inline std::string executable() {
  return setting_or_default("APSIS_EXECUTABLE", APSIS_TEST_EXECUTABLE);
}
inline std::filesystem::path inputs() {
  return setting_or_default("APSIS_INPUTS", APSIS_TEST_INPUTS);
}
inline bool on_threads() {
  return std::string(APSIS_TEST_BACKEND) == "openmp";
}
inline bool on_a_device() {
  return !on_threads() && std::string(APSIS_TEST_BACKEND) != "serial";
}

/// Sanitizers need several times the time and memory, and map far more memory than that.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

struct Result {
  int status;
  std::string out;
  std::string err;
};

/// Runs `apsis <arguments>` through the shell in `directory`.
inline Result run_apsis(std::string const& arguments, Scratch const& scratch,
                        std::string const& environment = "") {
  auto const out = scratch / "stdout", err = scratch / "stderr";
  std::string const command = "cd '" + scratch.path().string() + "' && " + environment + " '" +
                              executable() + "' " + arguments + " >'" + out.string() + "' 2>'" +
                              err.string() + "' </dev/null";
  int const raw = std::system(command.c_str());
  return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw), content(out), content(err)};
}

/// Result of a run under limits.
struct LimitedResult : Result {
  bool in_time;
  double seconds;    ///< processor time, including its child processes [s]
  double mebibytes;  ///< peak of resident memory, including its child processes
};

/// Runs `apsis <arguments>` through the shell in `directory`. Kills it and its processes after two
/// minutes, and limits its memory. `in_time` means less than `seconds` of processor time, because
/// the machine may be busy. `environment` may be any prefix of a command, also a command that feeds
/// its input.
inline LimitedResult run_apsis_limited(std::string const& arguments, Scratch const& scratch,
                                       double seconds, std::string const& environment = "") {
  auto const out = scratch / "stdout", err = scratch / "stderr";
  std::string const command = "cd '" + scratch.path().string() + "' && exec </dev/null >'" +
                              out.string() + "' 2>'" + err.string() + "'; " + environment + " '" +
                              executable() + "' " + arguments;
  using Clock = std::chrono::steady_clock;
  pid_t const child = fork();
  if (child == 0) {
    setpgid(0, 0);
    // Only where the process maps little more than it uses; drivers of devices map far more.
    if (!on_a_device() && !is_sanitized) {
      rlimit const addresses{rlim_t{8} << 30, rlim_t{8} << 30};
      setrlimit(RLIMIT_AS, &addresses);
    }
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  LimitedResult result{};
  rusage usage{};
  int raw = 0;
  auto const give_up = Clock::now() + std::chrono::minutes(is_sanitized ? 20 : 2);
  bool ended = false;
  while (!ended && Clock::now() < give_up) {
    ended = wait4(child, &raw, WNOHANG, &usage) == child;
    if (!ended) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (!ended) {
    kill(-child, SIGKILL);
    wait4(child, &raw, 0, &usage);
  }
  auto const seconds_of = [](timeval const& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  result.seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  result.in_time = ended && result.seconds < seconds;
  result.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  result.mebibytes = static_cast<double>(usage.ru_maxrss) / 1024.0;
  result.out = content(out);
  result.err = content(err);
  return result;
}

/// Runs `apsis <arguments>` on a terminal of its own; both streams arrive in `out`. `environment`:
/// assignments of a shell.
inline Result run_apsis_on_terminal(std::string const& arguments, Scratch const& scratch,
                                    unsigned short columns = 80,
                                    std::string const& environment = "TERM=xterm") {
  std::string const command = "cd '" + scratch.path().string() + "' && export " + environment +
                              " && exec '" + executable() + "' " + arguments;
  int terminal = -1;
  winsize size{};
  size.ws_row = 24;
  size.ws_col = columns;
  pid_t const child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  Result result{};
  std::array<char, 4096> buffer{};
  for (ssize_t n; (n = read(terminal, buffer.data(), buffer.size())) > 0;) {
    result.out.append(buffer.data(), static_cast<std::size_t>(n));
  }
  int raw = 0;
  waitpid(child, &raw, 0);
  close(terminal);
  result.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  return result;
}

}  // namespace apsis::testing
