// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/scratch.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <pty.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

/// Runs the real executable as a user does.
namespace apsis::testing {

/// A path that the build gives and the environment may replace, so that tests can be carried to a
/// machine with the accelerator they need.
inline std::string given(char const* variable, std::string const& built) {
  auto const* value = std::getenv(variable);
  return value != nullptr ? value : built;
}
inline std::string executable() {
  return given("APSIS_EXECUTABLE", APSIS_TEST_EXECUTABLE);
}
inline std::filesystem::path inputs() {
  return given("APSIS_INPUTS", APSIS_TEST_INPUTS);
}
inline bool on_threads() {
  return std::string(APSIS_TEST_BACKEND) == "openmp";
}
inline bool on_a_device() {
  return !on_threads() && std::string(APSIS_TEST_BACKEND) != "serial";
}

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

/// Runs `apsis <arguments>` on a terminal of its own; both streams arrive in `out`.
inline Result run_apsis_on_terminal(std::string const& arguments, Scratch const& scratch) {
  std::string const command =
      "cd '" + scratch.path().string() + "' && exec '" + executable() + "' " + arguments;
  int terminal = -1;
  pid_t const child = forkpty(&terminal, nullptr, nullptr, nullptr);
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
