// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <sys/resource.h>
#include <thread>

namespace apsis::testing {

/// Time after which a test assumes that an operation hangs. Even busy machines are faster.
inline constexpr std::chrono::seconds patience{180};

/// Waits for an event in another thread or process. Returns false if it does not happen in time.
template <class Condition>
bool comes_true(Condition const& condition) {
  auto const give_up = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Returns the wall time of `work` [s]. Compare it with `patience` only.
template <class Work>
double seconds_of(Work const& work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns the processor time of `work` in this process and its waited-for children [s]. Other load
/// on the machine does not count.
template <class Work>
double processor_seconds_of(Work const& work) {
  auto const now = [] {
    double seconds = 0.0;
    for (int const who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage usage{};
      getrusage(who, &usage);
      for (timeval const& time : {usage.ru_utime, usage.ru_stime}) {
        seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
      }
    }
    return seconds;
  };
  double const before = now();
  work();
  return now() - before;
}

}  // namespace apsis::testing
