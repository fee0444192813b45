// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/inline_function.hpp>

#include <cstdint>
#include <limits>

/// Findings of a StepWatch. Bodies are given by their numbers among all bodies of the run. The
/// operators += keep one of two findings by a total order, so that the result does not depend on
/// the order in which findings are combined.
namespace apsis::integrators {

/// The distance squared of an approach that is not known. A constant: device code calls no function
/// of the host's library.
inline constexpr double no_approach = std::numeric_limits<double>::infinity();

/// The closest approach of two bodies.
struct Approach {
  double squared = no_approach;         ///< distance squared [length^2]
  double time = 0.0;                    ///< [time]
  std::uint64_t first = 0, second = 0;  ///< first < second

  APSIS_INLINE_FUNCTION bool is_known() const { return squared < no_approach; }
  /// Keeps the closer one, else the earlier one, else that of the lower numbers.
  APSIS_INLINE_FUNCTION Approach& operator+=(Approach const& b) {
    bool const better = b.squared != squared ? b.squared < squared
                        : b.time != time     ? b.time < time
                        : b.first != first   ? b.first < first
                                             : b.second < second;
    if (better) *this = b;
    return *this;
  }
};

/// The coarsest passage of a massless body by a massive one: measure = dt sqrt(G m f(r)), where
/// f = r^-3 without softening. It is 2 pi dt / P on a circular orbit of period P.
struct Passage {
  double measure = 0.0;
  double distance = 0.0;  ///< where the measure was taken [length]
  double time = 0.0;      ///< [time]
  std::uint64_t body = 0, massive = 0;

  APSIS_INLINE_FUNCTION bool is_known() const { return measure > 0.0; }
  /// Keeps the coarser one, else the earlier one, else that of the lower numbers.
  APSIS_INLINE_FUNCTION Passage& operator+=(Passage const& b) {
    bool const better = b.measure != measure ? b.measure > measure
                        : b.time != time     ? b.time < time
                        : b.body != body     ? b.body < body
                                             : b.massive < massive;
    if (better) *this = b;
    return *this;
  }
};

/// The measure above which a passage is beyond the resolution of a scheme. A passage
/// of a near-parabolic orbit with pericentre q that has the measure M there changes the energy by
/// (worst of 40 phases, e = 0.99 and 0.9999 alike, in units of G m / q; steps of equal length):
///   M                    0.4     0.5     0.6     0.8     1.0     1.3
///   leapfrog             5e-6    8e-5    5e-4    5e-3    2e-2    8e-2
///   Yoshida, order 4     9e-6    2e-4    1e-3    2e-2    8e-2    4e-1
///   Runge-Kutta 4        6e-4    2e-3    4e-3    2e-2    4e-2    2e-1
///   Hermite 4            6e-4    2e-3    6e-3    3e-2    1e-1    8e+1
///   Kahan & Li, order 8  5e-9    4e-8    8e-8    1e-5    1e-4    1e-3
/// and at 0.5, 1.0, 1.4 (three phases): Blanes & Casas 8 1e-9, 2e-6, 4e-5; Sofroniou & Spaletta 8
/// 9e-8, 3e-5, 4e-4; Hermite 6 1e-3, 9e-2, 2. The orbit's own energy is (1 - e) / 2 in these units.
/// So beyond the limits, 1.0 for symplectic schemes of order 6 and above and 0.6 for all others,
/// errors become of the order of one for orbits with e = 0.99 to 0.999.
inline constexpr double coarsest_measure(int order, bool symplectic) {
  return symplectic && order >= 6 ? 1.0 : 0.6;
}

}  // namespace apsis::integrators
