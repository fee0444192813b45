// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/executable/process.hpp"

#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <mutex>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <vector>

namespace apsis::testing {

/// Environment settings for faulty_calls.cpp.
using Environment = std::vector<std::string>;

/// State of a process that has ended or is stopped.
struct ProcessState {
  long raw = 0;  ///< as returned by waitpid()
  long calls = 0, bytes = 0;
  long places = 0;       ///< number of places where it can be stopped
  long faults = 0;       ///< number of faults that were injected
  long file_faults = 0;  ///< number of faults after which a file may be incomplete
  std::string out, err;

  bool stopped() const { return WIFSTOPPED(static_cast<int>(raw)); }
  bool killed() const { return by_signal() == SIGKILL; }
  int by_signal() const { return WIFSIGNALED(static_cast<int>(raw)) ? WTERMSIG(raw) : 0; }
  /// Exit status; -1 if a signal ended the process.
  int status() const { return WIFEXITED(static_cast<int>(raw)) ? WEXITSTATUS(raw) : -1; }
  std::string text() const {
    return (by_signal() != 0 ? "signal " + std::to_string(by_signal())
                             : "status " + std::to_string(status())) +
           ", " + std::to_string(faults) + " faults, stderr: " + err;
  }
};

/// Returns these settings followed by the environment of this process.
inline Environment with_own_environment(Environment settings) {
  for (char** each = environ; *each != nullptr; ++each) settings.push_back(*each);
  return settings;
}

inline pid_t spawn(std::vector<std::string> const& words, Environment const& environment) {
  std::vector<char*> arguments, variables;
  for (auto const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  for (auto const& one : environment) variables.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  pid_t child = -1;
  int const error =
      posix_spawn(&child, words[0].c_str(), nullptr, nullptr, arguments.data(), variables.data());
  if (error != 0) throw std::runtime_error("cannot run " + words[0]);
  return child;
}

/// The executable, loaded once with faulty_calls.cpp, which runs its main() in a fork for each
/// command. For one thread at a time.
class ApsisServer {
 public:
  ApsisServer() {
    static std::mutex
        one_at_a_time;  // no child of another thread may inherit this end of the socket
    std::lock_guard const guard(one_at_a_time);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::runtime_error("no socket");
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    socket_ = ends[0];
    // All symbols are bound before the forks, and one thread is enough for three bodies.
    child_ = spawn(
        {executable()},
        with_own_environment({"LD_PRELOAD=" APSIS_FAULTY_CALLS, "LD_BIND_NOW=1",
                              "APSIS_FAULT_SERVER=" + std::to_string(ends[1]), "OMP_NUM_THREADS=1",
                              "OMP_PROC_BIND=false", "MALLOC_TOP_PAD_=4194304"}));
    ::close(ends[1]);
  }
  ApsisServer(ApsisServer const&) = delete;
  ApsisServer& operator=(ApsisServer const&) = delete;
  ~ApsisServer() {
    ::close(socket_);
    int status = 0;
    waitpid(child_, &status, 0);
  }

  Scratch const& scratch() const { return scratch_; }

  /// Runs `apsis <words>` in the scratch directory until it ends or stops.
  ProcessState run(std::vector<std::string> const& words, Environment const& settings = {}) {
    std::string request;
    auto const add = [&](std::string const& word) {
      request.append(word.c_str(), word.size() + 1);
    };
    add(scratch_.path().string());
    add((scratch_ / "stdout").string());
    add((scratch_ / "stderr").string());
    for (auto const& each : settings) add(each);
    add("");
    add("apsis");
    for (auto const& word : words) add(word);
    return exchange(request);
  }
  /// Lets the stopped process continue.
  ProcessState continue_process() { return exchange(""); }

 private:
  ProcessState exchange(std::string const& request) {
    std::uint64_t const size = request.size();
    send(&size, sizeof(size));
    send(request.data(), request.size());
    long reply[6];
    auto* cursor = reinterpret_cast<char*>(reply);
    for (std::size_t left = sizeof(reply); left > 0;) {
      auto const got = ::read(socket_, cursor, left);
      if (got <= 0) throw std::runtime_error("the executable could not be loaded with the faults");
      cursor += got;
      left -= static_cast<std::size_t>(got);
    }
    ProcessState ended{reply[0], reply[1], reply[2], reply[3], reply[4], reply[5], "", ""};
    if (ended.stopped()) return ended;
    ended.out = content(scratch_ / "stdout");
    ended.err = content(scratch_ / "stderr");
    return ended;
  }

  void send(void const* data, std::size_t bytes) {
    if (::send(socket_, data, bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes)) {
      throw std::runtime_error("the executable could not be loaded with the faults");
    }
  }

  Scratch scratch_;
  int socket_ = -1;
  pid_t child_ = -1;
};

}  // namespace apsis::testing
