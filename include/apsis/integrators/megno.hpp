// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/saved_state.hpp>

namespace apsis::integrators {

/// Indicators of chaos along an orbit since its start.
struct Megno {
  double megno = 0.0;  ///< Y; oscillates about 2 on regular orbits
  double mean = 0.0;   ///< mean of Y over time; tends to 2, or grows as lyapunov_exponent time / 2
  double lyapunov_exponent = 0.0;  ///< mean growth rate of the tangent vector [1 / time]
};

/// Mean exponential growth of nearby orbits (Cincotta & Simo 2000, A&AS 147, 205, equations 2 and
/// 3) of a tangent vector d:
///   Y(t) = (2 / t) integral of s d(ln |d|),   mean(t) = (1 / t) integral of Y ds
/// The integrals are sums over steps, at the middle of each step: for steps of equal length the
/// MEGNO of a map (Cincotta, Giordano & Simo 2003, Physica D 182, 151).
class MegnoSum {
 public:
  /// Adds a step of dt [time], in which ln |d| grew by `growth`. The direction of time has no
  /// effect.
  void add(double dt, double growth);
  /// All 0 before the first step.
  Megno value() const;
  void exchange(SavedState& state, std::string const& name);

 private:
  double elapsed_ = 0.0;   ///< [time]
  double growth_ = 0.0;    ///< ln |d| since the start
  double weighted_ = 0.0;  ///< integral of s d(ln |d|) [time]
  double last_ = 0.0;      ///< Y
  double sum_ = 0.0;       ///< integral of Y [time]
};

}  // namespace apsis::integrators
