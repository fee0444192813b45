// SPDX-License-Identifier: Apache-2.0
#include "rehearsal.hpp"

#include <apsis/core/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define APSIS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define APSIS_SANITIZED 1
#endif

namespace apsis::io {

namespace {

/// Sanitizers map more than any limit allows, and what they say must be seen.
void limit([[maybe_unused]] std::uint64_t bytes) {
  rlimit const no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
#ifndef APSIS_SANITIZED
  int const nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDERR_FILENO);
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit memory{};
  if (pages == 0 || ::getrlimit(RLIMIT_AS, &memory) != 0) return;
  memory.rlim_cur = std::min<rlim_t>(
      memory.rlim_max, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + bytes);
  ::setrlimit(RLIMIT_AS, &memory);
#endif
}

/// The other process: says so if it comes to the end.
[[noreturn]] void act(std::function<void()> const& play, std::uint64_t bytes, unsigned seconds,
                      int stage) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // What the program does about signals is not for this process.
  for (int const number : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    std::signal(number, SIG_DFL);
  }
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarm, nullptr);
  ::alarm(seconds);
  limit(bytes);
  char const done = 1;
  try {
    play();
  } catch (Error const&) {  // heard again in earnest
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(::write(stage, &done, 1) == 1 ? 0 : 1);
}

}  // namespace

std::string rehearse(std::function<void()> const& play, std::uint64_t bytes, unsigned seconds) {
  std::array<int, 2> stage{};
  if (::pipe2(stage.data(), O_CLOEXEC) != 0) return "";  // then without
  pid_t const actor = ::fork();
  if (actor == 0) act(play, bytes, seconds, stage[1]);
  ::close(stage[1]);
  char done = 0;
  while (actor > 0 && ::read(stage[0], &done, 1) < 0 && errno == EINTR) {
  }
  ::close(stage[0]);
  int status = 0;
  while (actor > 0 && ::waitpid(actor, &status, 0) < 0 && errno == EINTR) {
  }
  if (done == 1 || actor < 0) return "";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return "not done after " + std::to_string(seconds) + " s";
  }
  if (WIFSIGNALED(status)) return ::strsignal(WTERMSIG(status));
  return "it wants too much memory";
}

}  // namespace apsis::io
