// SPDX-License-Identifier: Apache-2.0
#include "process_apart.hpp"

#include "sanitized.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/system_error.hpp>
#include <apsis/io/uninterrupted.hpp>

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

namespace apsis::io {

namespace {

/// Address space of this process; 0 if it is not known.
std::uint64_t mapped_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Sanitizers map more than any limit allows, and what they say must be seen.
void limit([[maybe_unused]] std::uint64_t bytes) {
  rlimit const no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
#ifndef APSIS_SANITIZED
  int const nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDERR_FILENO);
  rlimit memory{};
  auto const now = mapped_bytes();
  if (now == 0 || ::getrlimit(RLIMIT_AS, &memory) != 0) return;
  memory.rlim_cur = std::min<rlim_t>(memory.rlim_cur, now + bytes);
  ::setrlimit(RLIMIT_AS, &memory);
#endif
}

/// Whether a limit of this process leaves less than so much.
bool has_less_memory_than(std::uint64_t bytes) {
  rlimit memory{};
  return ::getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur < mapped_bytes() + bytes;
}

/// The other process.
[[noreturn]] void act(std::function<void()> const& work, std::function<bool(Pipe&)> const& found,
                      ApartLimits const& limits, int descriptor) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // What the program does about signals is not for this process.
  for (int const number : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE}) {
    std::signal(number, SIG_DFL);
  }
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarm, nullptr);
  ::alarm(limits.seconds);
  limit(limits.bytes);
  Pipe pipe(descriptor, true, limits.longest);
  bool done = false;
  try {
    work();
    done = found(pipe);
  } catch (...) {
  }
  ::_exit(done ? 0 : 1);
}

}  // namespace

bool Pipe::pass_bytes(void* bytes, std::size_t count) {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    auto const now = uninterrupted(
        [&] { return sends_ ? ::write(descriptor_, at, count) : ::read(descriptor_, at, count); });
    if (now <= 0) return false;
    at += now;
    count -= static_cast<std::size_t>(now);
  }
  return true;
}

std::string in_process_apart(std::function<void()> const& work,
                             std::function<bool(Pipe&)> const& found, ApartLimits const& limits) {
  Problem const problem{"process", "cannot read files apart from this one", "", ""};
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error(errno, problem);
  bool const memory_is_limited = has_less_memory_than(limits.bytes);
  pid_t const actor = ::fork();
  if (actor == 0) {
    ::close(ends[0]);
    act(work, found, limits, ends[1]);
  }
  int const code = errno;
  ::close(ends[1]);
  Pipe pipe(ends[0], false, limits.longest);
  bool done = false;
  try {
    done = actor > 0 && found(pipe);
  } catch (...) {
    ::close(ends[0]);
    if (actor > 0) ::waitpid(actor, nullptr, 0);
    throw;
  }
  ::close(ends[0]);
  if (actor < 0) throw system_error(code, problem);
  int status = 0;
  uninterrupted([&] { return ::waitpid(actor, &status, 0); });
  if (done) return "";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return "not done after " + std::to_string(limits.seconds) + " s";
  }
  if (memory_is_limited) throw system_error(ENOMEM, problem);
  if (WIFSIGNALED(status)) return ::strsignal(WTERMSIG(status));
  return "it wants too much memory";
}

}  // namespace apsis::io
