// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/two_sum.hpp"

#include <Kokkos_Core.hpp>

/// Formulas of the Hermite schemes for one coordinate of one body (`Value` a number) or of several
/// (a pack); used with shared and with individual time steps. `before` and `after` are at the start
/// and the end of a step of length dt.
namespace apsis::integrators {

/// Acceleration and its derivatives; Hermite schemes of order 4 use the first two.
template <class Value>
struct Force {
  Value acceleration{}, jerk{}, snap{};
};

/// Derivatives of the acceleration that are not evaluated, from the interpolation through both
/// ends of a step, at its end: the second and third with order 4, the third, fourth and fifth with
/// order 6.
template <class Value>
struct HigherDerivatives {
  Value derivative[3]{};
};

/// A state in two numbers: position + position_low, velocity + velocity_low. The low parts are the
/// rounding errors of the last additions (Kahan 1965, CACM 8, 40), so that a step rounds its
/// increment instead of the sum, and close bodies keep the digits of their separation.
template <class Value>
struct State {
  Value position, velocity;
  Value position_low{}, velocity_low{};
};

/// Predictor: the Taylor series up to the crackle, the third derivative of the acceleration, which
/// comes from the interpolation over the last step. The velocity is rounded to one number.
template <class Value, class Real>
KOKKOS_INLINE_FUNCTION State<Value> predicted(State<Value> const& start, Force<Value> const& force,
                                              Value const& crackle, Real dt) {
  Value const a = force.acceleration, j = force.jerk, s = force.snap;
  Real const third = dt / Real(3), fourth = dt / Real(4), fifth = dt / Real(5), half = dt / Real(2);
  State<Value> end = start;
  end.position_low = add_exactly<Value>(
      end.position,
      dt * (start.velocity + half * (a + third * (j + fourth * (s + fifth * crackle)))) +
          start.position_low);
  end.velocity += dt * (a + half * (j + third * (s + fourth * crackle))) + start.velocity_low;
  end.velocity_low = Value{};
  return end;
}

/// Predicts the acceleration by the same Taylor series; the evaluation of a snap needs it.
template <class Value, class Real>
KOKKOS_INLINE_FUNCTION Value predicted_acceleration(Force<Value> const& force, Value const& crackle,
                                                    Real dt) {
  return force.acceleration +
         dt * (force.jerk + dt / Real(2) * (force.snap + dt / Real(3) * crackle));
}

/// Corrector. Order 4: Makino & Aarseth 1992, PASJ 44, 141, equations 3 to 6, in the form of Hut,
/// Makino & McMillan 1995, ApJ 443, L93. Order 6: Nitadori & Makino 2008, New Astron. 13, 498,
/// equations 10 and 11. Both parts of the state are advanced.
template <int order, class Value, class Real>
KOKKOS_INLINE_FUNCTION State<Value> corrected(State<Value> const& start, Force<Value> const& before,
                                              Force<Value> const& after, Real dt) {
  Real const half = dt / Real(2);
  Value velocity_terms, position_terms;
  if constexpr (order == 4) {
    Real const twelfth = dt * dt / Real(12);
    velocity_terms = twelfth * (before.jerk - after.jerk);
    position_terms = twelfth * (before.acceleration - after.acceleration);
  } else {
    Real const tenth = dt * dt / Real(10), last = dt * dt * dt / Real(120);
    velocity_terms = tenth * (before.jerk - after.jerk) + last * (before.snap + after.snap);
    position_terms =
        tenth * (before.acceleration - after.acceleration) + last * (before.jerk + after.jerk);
  }
  State<Value> end = start;
  end.velocity_low = add_exactly<Value>(
      end.velocity,
      (half * (before.acceleration + after.acceleration) + velocity_terms) + start.velocity_low);
  end.position_low = add_exactly<Value>(
      end.position, (half * (start.velocity + end.velocity) + position_terms) + start.position_low);
  return end;
}

/// Higher derivatives at the end of the step, from the interpolation over it.
template <int order, class Value, class Real>
KOKKOS_INLINE_FUNCTION HigherDerivatives<Value> interpolated(Force<Value> const& before,
                                                             Force<Value> const& after, Real dt) {
  HigherDerivatives<Value> higher;
  if constexpr (order == 4) {
    Value const change = before.acceleration - after.acceleration;
    Value const second =
        -(Real(6) * change + dt * (Real(4) * before.jerk + Real(2) * after.jerk)) / (dt * dt);
    Value const third =
        (Real(12) * change + Real(6) * dt * (before.jerk + after.jerk)) / (dt * dt * dt);
    higher.derivative[0] = second + dt * third;
    higher.derivative[1] = third;
  } else {
    // The polynomial of degree 5 about the middle, in units of half a step.
    Real const h = dt / Real(2);
    Value const a = after.acceleration - before.acceleration;
    Value const j_sum = h * (after.jerk + before.jerk), j = h * (after.jerk - before.jerk);
    Value const s_sum = h * h * (after.snap + before.snap), s = h * h * (after.snap - before.snap);
    Value const c3 = (Real(5) * (j_sum - a) - s) / Real(8);
    Value const c4 = (s_sum - j) / Real(16);
    Value const c5 = (s - Real(3) * (j_sum - a)) / Real(16);
    Real const h3 = h * h * h;
    higher.derivative[0] = (Real(6) * c3 + Real(24) * c4 + Real(60) * c5) / h3;
    higher.derivative[1] = (Real(24) * c4 + Real(120) * c5) / (h3 * h);
    higher.derivative[2] = Real(120) * c5 / (h3 * h * h);
  }
  return higher;
}

/// Time step criterion: longest step of a body [time]. a[k] is the absolute value of the k-th
/// derivative of its acceleration. Order 4: Aarseth 1985 (Multiple Time Scales, 377), equation 9,
/// with eta inside the root. Order 6: Nitadori & Makino 2008, equation 15, where eta multiplies the
/// step. The result is infinite or NaN, and any step is allowed, if the higher derivatives are 0.
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
