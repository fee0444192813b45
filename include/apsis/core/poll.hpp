// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <functional>

namespace apsis {

/// Callback between the parts of a long computation, with the fraction that is done. It throws
/// Interrupted to end the computation. An empty one is never called, and there is one part.
using Poll = std::function<void(double done)>;

/// Thrown by a Poll. The computation has no result, and nothing else was changed.
struct Interrupted final : std::exception {
  char const* what() const noexcept override { return "interrupted by a stop request"; }
};

/// Stopwatch of a computation's parts.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Wall time of work(poll) [s]: extrapolated from its first part if it takes longer than `enough`.
template <class Work>
double extrapolated_time(Work const& work, double enough = 0.05) {
  double seconds = 0.0;
  Stopwatch const watch;
  try {
    work(Poll([&](double done) {
      double const passed = watch.seconds();
      if (passed < enough || !(done > 0.0)) return;
      seconds = passed / done;
      throw Interrupted();
    }));
  } catch (Interrupted const&) {
    return seconds;
  }
  return watch.seconds();
}

}  // namespace apsis
