// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

/// Hermite schemes in one coordinate of one body; shared by shared and individual time steps.
/// `before` and `after` are a step of length dt apart.
namespace apsis::integrators {

/// Acceleration and its derivatives; Hermite schemes of order 4 use the first two.
template <class Real>
struct Force {
  Real acceleration{}, jerk{}, snap{};
};

/// What the interpolation through both ends says of the derivatives that nobody evaluated, at the
/// end of the step: the second and third of the acceleration with order 4, the third, fourth and
/// fifth with order 6.
template <class Real>
struct HigherDerivatives {
  Real of[3]{};
};

template <class Real>
struct State {
  Real position, velocity;
};

/// Taylor series; terms beyond the snap are those of the interpolation of the last step.
template <class Real>
KOKKOS_INLINE_FUNCTION State<Real> predicted(State<Real> const& at, Force<Real> const& force,
                                             Real crackle, Real dt) {
  Real const a = force.acceleration, j = force.jerk, s = force.snap;
  Real const third = dt / Real(3), fourth = dt / Real(4), fifth = dt / Real(5), half = dt / Real(2);
  return {
      at.position + dt * (at.velocity + half * (a + third * (j + fourth * (s + fifth * crackle)))),
      at.velocity + dt * (a + half * (j + third * (s + fourth * crackle)))};
}

/// The same of the acceleration, which a snap is evaluated with.
template <class Real>
KOKKOS_INLINE_FUNCTION Real predicted_acceleration(Force<Real> const& force, Real crackle,
                                                   Real dt) {
  return force.acceleration +
         dt * (force.jerk + dt / Real(2) * (force.snap + dt / Real(3) * crackle));
}

/// Order 4: Makino & Aarseth 1992, PASJ 44, 141, equations 3 to 6, in the form of Hut, Makino &
/// McMillan 1995, ApJ 443, L93. Order 6: Nitadori & Makino 2008, New Astron. 13, 498, equations 10
/// and 11.
template <int order, class Real>
KOKKOS_INLINE_FUNCTION State<Real> corrected(State<Real> const& at, Force<Real> const& before,
                                             Force<Real> const& after, Real dt) {
  Real const half = dt / Real(2);
  if constexpr (order == 4) {
    Real const twelfth = dt * dt / Real(12);
    Real const v = at.velocity + (half * (before.acceleration + after.acceleration) +
                                  twelfth * (before.jerk - after.jerk));
    return {at.position +
                (half * (at.velocity + v) + twelfth * (before.acceleration - after.acceleration)),
            v};
  } else {
    Real const tenth = dt * dt / Real(10), last = dt * dt * dt / Real(120);
    Real const v =
        at.velocity + (half * (before.acceleration + after.acceleration) +
                       (tenth * (before.jerk - after.jerk) + last * (before.snap + after.snap)));
    return {at.position +
                (half * (at.velocity + v) + (tenth * (before.acceleration - after.acceleration) +
                                             last * (before.jerk + after.jerk))),
            v};
  }
}

/// The interpolation's higher derivatives at the end of the step.
template <int order, class Real>
KOKKOS_INLINE_FUNCTION HigherDerivatives<Real> interpolated(Force<Real> const& before,
                                                            Force<Real> const& after, Real dt) {
  HigherDerivatives<Real> higher;
  if constexpr (order == 4) {
    Real const change = before.acceleration - after.acceleration;
    Real const second =
        -(Real(6) * change + dt * (Real(4) * before.jerk + Real(2) * after.jerk)) / (dt * dt);
    Real const third =
        (Real(12) * change + Real(6) * dt * (before.jerk + after.jerk)) / (dt * dt * dt);
    higher.of[0] = second + dt * third;
    higher.of[1] = third;
  } else {
    // The polynomial of degree 5 about the middle, in units of half a step.
    Real const h = dt / Real(2);
    Real const a = after.acceleration - before.acceleration;
    Real const j_sum = h * (after.jerk + before.jerk), j = h * (after.jerk - before.jerk);
    Real const s_sum = h * h * (after.snap + before.snap), s = h * h * (after.snap - before.snap);
    Real const c3 = (Real(5) * (j_sum - a) - s) / Real(8);
    Real const c4 = (s_sum - j) / Real(16);
    Real const c5 = (s - Real(3) * (j_sum - a)) / Real(16);
    Real const h3 = h * h * h;
    higher.of[0] = (Real(6) * c3 + Real(24) * c4 + Real(60) * c5) / h3;
    higher.of[1] = (Real(24) * c4 + Real(120) * c5) / (h3 * h);
    higher.of[2] = Real(120) * c5 / (h3 * h * h);
  }
  return higher;
}

/// The longest step of a body, from the lengths of its acceleration's derivatives, the 0th first.
/// Order 4: Aarseth 1985 (Multiple Time Scales, 377), equation 9, with eta inside the root; order
/// 6: Nitadori & Makino 2008, equation 15, where eta multiplies the step. A body whose higher
/// derivatives vanish may take any step.
template <int order>
KOKKOS_INLINE_FUNCTION double longest_step(double const (&a)[order], double eta) {
  if constexpr (order == 4) {
    return Kokkos::sqrt(eta * (a[0] * a[2] + a[1] * a[1]) / (a[1] * a[3] + a[2] * a[2]));
  } else {
    double const low = a[0] * a[2] + a[1] * a[1];
    double const high = a[3] * a[5] + a[4] * a[4];
    return eta * Kokkos::pow(low / high, 1.0 / 6.0);
  }
}

}  // namespace apsis::integrators
