// SPDX-License-Identifier: Apache-2.0
#include <apsis/cli/last_words.hpp>
#include <apsis/core/error.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace apsis::cli {

namespace {

bool ends_as_meant = false;

/// With what a signal's handler may do.
[[noreturn]] void end_process(std::string_view line) {
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(static_cast<int>(ExitStatus::internal));
}

extern "C" void on_death(int /*signal*/) {
  end_process(
      "apsis: error: internal: died in a library (the machine or its limits may be the "
      "cause); check ulimit -a and the device\n");
}

[[noreturn]] void end_by_library() {
  end_process(
      "apsis: error: internal: ended by a library (threads or memory that it could not get); "
      "check ulimit -u and ulimit -v\n");
}

extern "C" void on_exit_of_process() {
  if (!ends_as_meant) end_by_library();
}

}  // namespace

void keep_last_words() {
  static bool done = false;
  if (std::exchange(done, true)) return;
  std::atexit(on_exit_of_process);
  std::set_terminate(end_by_library);
  for (int const number : {SIGABRT, SIGSEGV, SIGBUS}) {
    struct sigaction before {
    }, action{};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;  // a sanitizer has more to say
    action.sa_handler = on_death;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

int meant(int status) {
  ends_as_meant = true;
  return status;
}

}  // namespace apsis::cli
