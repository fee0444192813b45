// SPDX-License-Identifier: Apache-2.0
#include "core/signals.hpp"

#include <atomic>
#include <cerrno>
#include <string_view>
#include <unistd.h>

namespace apsis {

namespace {

struct CaughtSignal {
  int number;
  char const* name;
};
constexpr CaughtSignal caught_signals[]{{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},
                                        {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"},
                                        {SIGHUP, "SIGHUP"},   {SIGUSR1, "SIGUSR1"}};

std::atomic<int> requested_stop{0};
std::atomic<bool> checkpoint_requested{false};
std::atomic<bool> was_interrupted{false};
std::atomic<int> answer_descriptor{-1};  ///< file descriptor for the answer to SIGINT; -1: none
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a handler must not wait for a lock");

constexpr std::string_view answer =
    "\napsis: finishes this step, then writes a checkpoint; again to end now\n";

extern "C" void on_signal(int signal) {
  int const saved_errno = errno;
  if (signal == SIGUSR1) {
    checkpoint_requested = true;
  } else {
    if (signal == SIGINT) {
      if (was_interrupted.exchange(true)) {
        // Delivered when this handler returns: it ends the process, as the status shows its parent.
        std::signal(SIGINT, SIG_DFL);
        std::raise(SIGINT);
      } else if (answer_descriptor >= 0) {
        [[maybe_unused]] auto const written =
            ::write(answer_descriptor, answer.data(), answer.size());
      }
    }
    requested_stop = signal;
  }
  errno = saved_errno;
}

void forget_requests() {
  requested_stop = 0;
  checkpoint_requested = false;
  was_interrupted = false;
}

}  // namespace

Signals::Signals(int descriptor, Until until) : until_(until) {
  forget_requests();
  answer_descriptor = descriptor;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (auto const& [number, name] : caught_signals) {
    struct sigaction previous {};
    sigaction(number, nullptr, &previous);
    if (previous.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
    previous_.push_back(previous);
  }
}

Signals::~Signals() {
  answer_descriptor = -1;
  if (until_ == Until::end_of_process) return;
  for (std::size_t i = 0; i < previous_.size(); ++i)
    sigaction(caught_signals[i].number, &previous_[i], nullptr);
  forget_requests();
}

int Signals::stop_signal() {
  return requested_stop;
}

int Signals::take_stop_signal() {
  return requested_stop.exchange(0);
}

bool Signals::take_checkpoint_request() {
  return checkpoint_requested.exchange(false);
}

void Signals::stop_answering() {
  answer_descriptor = -1;
}

void Signals::deliver(int signal) {
  if (signal == SIGUSR1) {
    checkpoint_requested = true;
  } else if (requested_stop == 0) {
    requested_stop = signal;
  }
}

std::string signal_name(int signal) {
  for (auto const& [number, name] : caught_signals) {
    if (number == signal) return name;
  }
  return "signal " + std::to_string(signal);
}

}  // namespace apsis
