// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/signals.hpp>

#include <atomic>
#include <cerrno>
#include <ctime>

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
std::atomic<long long> last_interrupt{-1};  ///< [ns], of the monotonic clock
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<long long>::is_always_lock_free,
              "a handler must not wait for a lock");

constexpr long long impatience = 5'000'000'000;  ///< [ns]

extern "C" void on_signal(int signal) {
  int const kept_errno = errno;
  if (signal == SIGUSR1) {
    checkpoint_wanted = true;
  } else {
    if (signal == SIGINT) {
      timespec now{};
      clock_gettime(CLOCK_MONOTONIC, &now);
      long long const at = now.tv_sec * 1'000'000'000LL + now.tv_nsec;
      long long const before = last_interrupt.exchange(at);
      if (before >= 0 && at - before < impatience) {
        // Delivered when this handler returns; the caller sees a process that died of it.
        std::signal(SIGINT, SIG_DFL);
        std::raise(SIGINT);
      }
    }
    stop_signal = signal;
  }
  errno = kept_errno;
}

void forget_requests() {
  stop_signal = 0;
  checkpoint_wanted = false;
  last_interrupt = -1;
}

}  // namespace

Signals::Signals() {
  forget_requests();
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
  for (std::size_t i = 0; i < before_.size(); ++i)
    sigaction(caught_signals[i].number, &before_[i], nullptr);
  forget_requests();
}

int Signals::stop() {
  return stop_signal;
}

bool Signals::take_checkpoint_request() {
  return checkpoint_wanted.exchange(false);
}

std::string signal_name(int signal) {
  for (auto const& [number, name] : caught_signals) {
    if (number == signal) return name;
  }
  return "signal " + std::to_string(signal);
}

}  // namespace apsis::driver
