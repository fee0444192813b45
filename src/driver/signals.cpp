// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/signals.hpp>

#include <atomic>
#include <cerrno>
#include <string_view>
#include <unistd.h>

namespace apsis::driver {

namespace {

struct Caught {
  int number;
  char const* name;
};
constexpr Caught caught_signals[]{{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGUSR2, "SIGUSR2"},
                                  {SIGXCPU, "SIGXCPU"}, {SIGHUP, "SIGHUP"}, {SIGUSR1, "SIGUSR1"}};

std::atomic<int> stop_signal{0};
std::atomic<bool> checkpoint_wanted{false};
std::atomic<bool> interrupted{false};
std::atomic<int> told{-1};  ///< file descriptor for the answer to SIGINT; -1: none
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a handler must not wait for a lock");

constexpr std::string_view answer =
    "\napsis: finishes this step, then writes a checkpoint; again to end now\n";

extern "C" void on_signal(int signal) {
  int const kept_errno = errno;
  if (signal == SIGUSR1) {
    checkpoint_wanted = true;
  } else {
    if (signal == SIGINT) {
      if (interrupted.exchange(true)) {
        // The signal is delivered when this handler returns, so the parent sees a process that it
        // ended.
        std::signal(SIGINT, SIG_DFL);
        std::raise(SIGINT);
      } else if (told >= 0) {
        [[maybe_unused]] auto const written = ::write(told, answer.data(), answer.size());
      }
    }
    stop_signal = signal;
  }
  errno = kept_errno;
}

void forget_requests() {
  stop_signal = 0;
  checkpoint_wanted = false;
  interrupted = false;
}

}  // namespace

Signals::Signals(int answers_to, Until until) : until_(until) {
  forget_requests();
  told = answers_to;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (auto const& [number, name] : caught_signals) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
    before_.push_back(before);
  }
}

Signals::~Signals() {
  told = -1;
  if (until_ == Until::end_of_process) return;
  for (std::size_t i = 0; i < before_.size(); ++i)
    sigaction(caught_signals[i].number, &before_[i], nullptr);
  forget_requests();
}

int Signals::stop() {
  return stop_signal;
}

int Signals::take_stop() {
  return stop_signal.exchange(0);
}

bool Signals::take_checkpoint_request() {
  return checkpoint_wanted.exchange(false);
}

void Signals::pass_on(int signal) {
  if (signal == SIGUSR1) {
    checkpoint_wanted = true;
  } else if (stop_signal == 0) {
    stop_signal = signal;
  }
}

std::string signal_name(int signal) {
  for (auto const& [number, name] : caught_signals) {
    if (number == signal) return name;
  }
  return "signal " + std::to_string(signal);
}

}  // namespace apsis::driver
