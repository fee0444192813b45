// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

#include <cstdint>
#include <limits>

/// Findings of a StepWatch. Bodies are identified by their index among all bodies of the run. The
/// operators += select one of two findings by a total order, so the result does not depend on the
/// order in which findings are combined.
namespace apsis::integrators {

/// Least cosine of the angle between the velocity of a pair and its line at which it approaches:
/// after a plastic bounce the radial velocity is rounding.
inline constexpr double least_approach = 1e-14;

/// Squared distance of an unknown approach. A constant, because device code cannot call
/// std::numeric_limits functions.
inline constexpr double no_approach = std::numeric_limits<double>::infinity();

/// Closest approach of two bodies.
struct Approach {
  double squared = no_approach;         ///< squared distance [length^2]
  double time = 0.0;                    ///< [time]
  std::uint64_t first = 0, second = 0;  ///< first < second

  APSIS_INLINE_FUNCTION bool is_known() const { return squared < no_approach; }
  /// Selects the closer approach; of equally close ones the earlier; of those the one with the
  /// lower indices.
  APSIS_INLINE_FUNCTION Approach& operator+=(Approach const& b) {
    bool const better = b.squared != squared ? b.squared < squared
                        : b.time != time     ? b.time < time
                        : b.first != first   ? b.first < first
                                             : b.second < second;
    if (better) *this = b;
    return *this;
  }
};

/// Contact of the surfaces of two approaching bodies, or the closest point of their approach,
/// within a step.
struct Meeting {
  double time = 0.0;                    ///< [time]
  double distance = 0.0;                ///< [length]
  double speed = 0.0;                   ///< relative [length / time]
  std::uint64_t first = 0, second = 0;  ///< first < second
  int is_contact = 0;
};

/// Coarsest (worst resolved) passage of a massless body by a massive one: measure = dt sqrt(G m
/// f(r)), where f = r^-3 without softening. It is 2 pi dt / P on a circular orbit of period P.
struct Passage {
  double measure = 0.0;
  double distance = 0.0;  ///< distance at the time of the measure [length]
  double time = 0.0;      ///< [time]
  std::uint64_t body = 0, massive = 0;

  APSIS_INLINE_FUNCTION bool is_known() const { return measure > 0.0; }
  /// Selects the coarser passage; of equally coarse ones the earlier; of those the one with the
  /// lower indices.
  APSIS_INLINE_FUNCTION Passage& operator+=(Passage const& b) {
    bool const better = b.measure != measure ? b.measure > measure
                        : b.time != time     ? b.time < time
                        : b.body != body     ? b.body < body
                                             : b.massive < massive;
    if (better) *this = b;
    return *this;
  }
};

/// Largest measure of a passage that a scheme resolves. A passage of a near-parabolic orbit with
/// the measure M at its pericentre q has the following energy error (largest of 40 phases, equal
/// for e = 0.99 and 0.9999, in units of G m / q, with steps of equal length):
///   M                    0.4     0.5     0.6     0.8     1.0     1.3
///   leapfrog             5e-6    8e-5    5e-4    5e-3    2e-2    8e-2
///   Yoshida, order 4     9e-6    2e-4    1e-3    2e-2    8e-2    4e-1
///   Runge-Kutta 4        6e-4    2e-3    4e-3    2e-2    4e-2    2e-1
///   Hermite 4            6e-4    2e-3    6e-3    3e-2    1e-1    8e+1
///   Kahan & Li, order 8  5e-9    4e-8    8e-8    1e-5    1e-4    1e-3
/// and for M = 0.5, 1.0, 1.4 (three phases): Blanes & Casas 8 1e-9, 2e-6, 4e-5; Sofroniou &
/// Spaletta 8 9e-8, 3e-5, 4e-4; Hermite 6 1e-3, 9e-2, 2. The energy of the orbit is (1 - e) / 2 in
/// these units. The limits are 1.0 for symplectic schemes of order >= 6 and 0.6 for all other
/// schemes. At them the error, relative to the energy of an orbit with e = 0.99, is at most 3e-2,
/// and 0.11 (leapfrog) to 1 (Hermite); ten times that for e = 0.999. Schemes with steps of their
/// own resolve all passages.
inline constexpr double coarsest_measure(int order, bool symplectic) {
  return symplectic && order >= 6 ? 1.0 : 0.6;
}

}  // namespace apsis::integrators
