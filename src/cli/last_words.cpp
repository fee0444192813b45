// SPDX-License-Identifier: Apache-2.0
#include "application.hpp"
#include "messages.hpp"
#include <apsis/core/error.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace apsis::cli {

namespace {

bool exit_is_intended = false;

/// Uses only functions that a signal handler may call.
[[noreturn]] void end_process(FixedMessage const& message) {
  auto const line = message.line();
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(static_cast<int>(ExitStatus::internal));
}

extern "C" void on_death(int /*signal*/) {
  end_process(
      {"apsis: error: internal: died in a library (the machine or its limits may be the "
       "cause); check ulimit -a and the device\n",
       R"({"kind":"error","where":"internal","problem":"died in a library",)"
       R"("why":"the machine or its limits may be the cause",)"
       R"("advice":"check ulimit -a and the device"})"
       "\n"});
}

[[noreturn]] void end_by_library() {
  end_process(
      {"apsis: error: internal: ended by a library (it could not get threads or memory); "
       "check ulimit -u and ulimit -v\n",
       R"({"kind":"error","where":"internal","problem":"ended by a library",)"
       R"("why":"it could not get threads or memory","advice":"check ulimit -u and ulimit -v"})"
       "\n"});
}

extern "C" void on_exit_of_process() {
  if (!exit_is_intended) end_by_library();
}

}  // namespace

void report_unintended_exit() {
  static bool is_registered = false;
  if (std::exchange(is_registered, true)) return;
  std::atexit(on_exit_of_process);
  std::set_terminate(end_by_library);
  for (int const number : {SIGABRT, SIGSEGV, SIGBUS}) {
    struct sigaction before {
    }, action{};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;  // a sanitizer has its own handler
    action.sa_handler = on_death;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

int intend_exit(int status) {
  exit_is_intended = true;
  return status;
}

}  // namespace apsis::cli
