// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/driver/stop_conditions.hpp>

namespace apsis::driver {

/// Looks whether a run is to stop. What depends on the bodies comes first, and so depends on no
/// clock: runs that are not interrupted stop at the same step.
template <class Real>
class StopWatch {
 public:
  explicit StopWatch(StopConditions conditions) : conditions_(std::move(conditions)) {}

  /// Looks at the bodies at a synchronised time, `seconds` after this process began the run, of
  /// which it needs `reserve` before a limit of the clock to end well. The stop file is looked for
  /// twenty times a second. Fences `space` if it looks at bodies.
  std::optional<Stop> look(ExecutionSpace const& space, Bodies<Real> const& bodies, double seconds,
                           double reserve = 0.0);

 private:
  bool stop_file_exists(double seconds);

  StopConditions conditions_;
  double next_look_ = 0.0;  ///< for the stop file [s]
};

extern template class StopWatch<float>;
extern template class StopWatch<double>;

}  // namespace apsis::driver
