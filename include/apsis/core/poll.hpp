// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <functional>

namespace apsis {

/// Callback between the pieces of a long computation, called with the completed fraction. It throws
/// Interrupted to abort the computation. With an empty Poll the computation runs in one piece.
using Poll = std::function<void(double fraction)>;

/// Thrown by a Poll. The aborted computation has no result and no other effect.
struct Interrupted final : std::exception {
  char const* what() const noexcept override { return "interrupted by a stop request"; }
};

/// Measures the wall time since its construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Wall time of work(poll) [s]. If it takes longer than `sample_seconds`, the work is aborted and
/// the time extrapolated from the completed fraction.
template <class Work>
double extrapolated_time(Work const& work, double sample_seconds = 0.05) {
  double seconds = 0.0;
  Stopwatch const watch;
  try {
    work(Poll([&](double fraction) {
      double const passed = watch.seconds();
      if (passed < sample_seconds || !(fraction > 0.0)) return;
      seconds = passed / fraction;
      throw Interrupted();
    }));
  } catch (Interrupted const&) {
    return seconds;
  }
  return watch.seconds();
}

}  // namespace apsis
