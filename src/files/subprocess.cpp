// SPDX-License-Identifier: Apache-2.0
#include "subprocess.hpp"

#include "system_calls.hpp"
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

namespace apsis::files {

namespace {

/// Size of the address space of this process [bytes]; 0 if unknown.
std::uint64_t mapped_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Limits the memory of this process and silences its error output. With sanitizers it only
/// disables core files: they map more memory than any limit allows, and their reports must be
/// visible.
void limit([[maybe_unused]] std::uint64_t bytes) {
  rlimit const no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
#ifndef APSIS_SANITIZED
  int const null_device = ::open("/dev/null", O_WRONLY);
  ::dup2(null_device, STDERR_FILENO);
  rlimit memory{};
  auto const mapped = mapped_bytes();
  if (mapped == 0 || ::getrlimit(RLIMIT_AS, &memory) != 0) return;
  memory.rlim_cur = std::min<rlim_t>(memory.rlim_cur, mapped + bytes);
  ::setrlimit(RLIMIT_AS, &memory);
#endif
}

/// Whether the memory limit of this process leaves less than `bytes` for further allocations.
bool has_less_memory_than(std::uint64_t bytes) {
  rlimit memory{};
  return ::getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur < mapped_bytes() + bytes;
}

[[noreturn]] void run_child(std::function<void()> const& work,
                            std::function<bool(Pipe&)> const& transfer,
                            SubprocessLimits const& limits, int descriptor) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Reset the signal handlers of the program.
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
  bool is_sent = false;
  try {
    work();
    is_sent = transfer(pipe);
  } catch (...) {
  }
  ::_exit(is_sent ? 0 : 1);
}

}  // namespace

bool Pipe::pass_bytes(void* bytes, std::size_t count) {
  auto* next = static_cast<char*>(bytes);
  while (count > 0) {
    auto const passed = uninterrupted([&] {
      return sends_ ? ::write(descriptor_, next, count) : ::read(descriptor_, next, count);
    });
    if (passed <= 0) return false;
    next += passed;
    count -= static_cast<std::size_t>(passed);
  }
  return true;
}

std::string run_in_subprocess(std::function<void()> const& work,
                              std::function<bool(Pipe&)> const& transfer,
                              SubprocessLimits const& limits) {
  Problem const problem{"process", "cannot read files in a subprocess", "", ""};
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error(errno, problem);
  bool const memory_is_limited = has_less_memory_than(limits.bytes);
  pid_t const child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    run_child(work, transfer, limits, ends[1]);
  }
  int const code = errno;
  ::close(ends[1]);
  Pipe pipe(ends[0], false, limits.longest);
  bool is_received = false;
  try {
    is_received = child > 0 && transfer(pipe);
  } catch (...) {
    ::close(ends[0]);
    if (child > 0) ::waitpid(child, nullptr, 0);
    throw;
  }
  ::close(ends[0]);
  if (child < 0) throw system_error(code, problem);
  int status = 0;
  uninterrupted([&] { return ::waitpid(child, &status, 0); });
  if (is_received) return "";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return "not finished after " + std::to_string(limits.seconds) + " s";
  }
  if (memory_is_limited) throw system_error(ENOMEM, problem);
  if (WIFSIGNALED(status)) return ::strsignal(WTERMSIG(status));
  return "it needs too much memory";
}

}  // namespace apsis::files
