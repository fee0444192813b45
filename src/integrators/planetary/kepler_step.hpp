// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes/double_packs.hpp"
#include "lanes/simd.hpp"
#include <apsis/core/backend.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <numbers>

/// Motion on a conic section, for a pack of bodies at a time. All lanes are independent: the bits
/// of a lane do not depend on the other lanes.
namespace apsis::integrators {

/// Bodies of one call: a vector register on the host, one body in a GPU thread.
inline constexpr int orbit_lanes = on_gpu ? 1 : simd::pack_lanes<double>;
using OrbitLanes = simd::Pack<double, orbit_lanes>::type;

namespace orbit {

KOKKOS_FORCEINLINE_FUNCTION OrbitLanes all_lanes(double value) {
  return OrbitLanes{} + value;
}
template <class Mask>
KOKKOS_FORCEINLINE_FUNCTION OrbitLanes select(Mask const& mask, OrbitLanes yes, OrbitLanes no) {
  return mask ? yes : no;
}
KOKKOS_FORCEINLINE_FUNCTION OrbitLanes absolute(OrbitLanes x) {
  return select(x < 0.0, -x, x);
}
KOKKOS_FORCEINLINE_FUNCTION OrbitLanes smaller(OrbitLanes a, OrbitLanes b) {
  return select(a < b, a, b);
}
KOKKOS_FORCEINLINE_FUNCTION OrbitLanes larger(OrbitLanes a, OrbitLanes b) {
  return select(a > b, a, b);
}
KOKKOS_FORCEINLINE_FUNCTION OrbitLanes square_root(OrbitLanes x) {
  return simd::square_root(x);
}
/// The nearest integer, for |x| < 2^51; beyond that x itself.
KOKKOS_FORCEINLINE_FUNCTION OrbitLanes nearest(OrbitLanes x) {
  OrbitLanes const shift = select(absolute(x) < 0x1p51, all_lanes(0x1.8p52), OrbitLanes{});
  return (x + shift) - shift;
}
template <class Mask>
KOKKOS_FORCEINLINE_FUNCTION bool any(Mask const& mask) {
  return simd::double_mask_of<orbit_lanes>(mask) != 0;
}

/// Stumpff's functions c0 ... c3 of one argument z.
struct Stumpff {
  OrbitLanes c0, c1, c2, c3;
};

/// Returns Stumpff's functions. Series for |z| <= 0.16; larger arguments are quartered before and
/// doubled back afterwards. The doubling takes c0 = 1 - z c2 and c1 = 1 - z c3: with c0 = 2 c0^2 -
/// 1 each doubling would multiply the rounding error by 4.
KOKKOS_INLINE_FUNCTION Stumpff stumpff(OrbitLanes z) {
  constexpr double largest = 0.16;
  constexpr int most_quarterings = 60;
  OrbitLanes y = z, quarterings{};
  for (int i = 0; i < most_quarterings && any(absolute(y) > largest); ++i) {
    auto const is_large = absolute(y) > largest;
    y = select(is_large, 0.25 * y, y);
    quarterings = select(is_large, quarterings + 1.0, quarterings);
  }
  // Terms (-y)^k / (2k + 2)! and (-y)^k / (2k + 3)!, k = 6 ... 0.
  constexpr double even[]{1.1470745597729725e-11,
                          -2.08767569878681e-09,
                          2.7557319223985888e-07,
                          -2.4801587301587302e-05,
                          1.3888888888888889e-03,
                          -4.1666666666666664e-02,
                          0.5};
  constexpr double odd[]{7.6471637318198164e-13,  -1.6059043836821613e-10, 2.505210838544172e-08,
                         -2.7557319223985893e-06, 1.984126984126984e-04,   -8.3333333333333332e-03,
                         0.16666666666666666};
  OrbitLanes c2 = all_lanes(even[0]), c3 = all_lanes(odd[0]);
  for (int k = 1; k < 7; ++k) {
    c2 = c2 * y + even[k];
    c3 = c3 * y + odd[k];
  }
  OrbitLanes c1 = 1.0 - y * c3, c0 = 1.0 - y * c2;
  while (any(quarterings > 0.0)) {
    auto const is_quartered = quarterings > 0.0;
    OrbitLanes const doubled_c3 = 0.25 * (c2 + c0 * c3), doubled_c2 = 0.5 * (c1 * c1);
    y = select(is_quartered, 4.0 * y, y);
    c3 = select(is_quartered, doubled_c3, c3);
    c2 = select(is_quartered, doubled_c2, c2);
    c1 = 1.0 - y * c3;
    c0 = 1.0 - y * c2;
    quarterings = quarterings - 1.0;
  }
  return {c0, c1, c2, c3};
}

/// Constants of the orbits and the time to advance. Notation of Wisdom & Hernandez 2015.
struct Conic {
  OrbitLanes mu, inverse_mu;
  OrbitLanes inverse_r0;          ///< of the distance at the start
  OrbitLanes beta;                ///< 2 mu / r0 - v^2: > 0 for an ellipse, < 0 for a hyperbola
  OrbitLanes root, inverse_root;  ///< of |beta|
  OrbitLanes h_squared;           ///< square of the angular momentum
  OrbitLanes eccentricity;        ///< with a rounding error of 1e-8 near 0
  OrbitLanes eta;                 ///< r . v
  OrbitLanes time;                ///< >= 0
};

/// Upper bound of the universal variable s. The distance is never below the pericentre; an ellipse
/// advances by at most half a period, in which the eccentric anomaly changes by at most pi + 2 e;
/// on a hyperbola the anomaly is below 300 for all times that double holds.
KOKKOS_INLINE_FUNCTION OrbitLanes largest_variable(Conic const& conic) {
  constexpr double margin = 1.0000001;  // for the rounding error of the eccentricity
  OrbitLanes const e = conic.eccentricity;
  OrbitLanes const by_pericentre =
      select(conic.h_squared > 0.0, margin * conic.time * (conic.mu * (1.0 + e)) / conic.h_squared,
             all_lanes(1e300));
  OrbitLanes const angle =
      select(conic.beta > 0.0, margin * std::numbers::pi + 2.0 * e, all_lanes(300.0));
  return smaller(by_pericentre, angle * conic.inverse_root);
}

/// First guess of the universal variable: for short times the inverse series of Kepler's equation
/// to the fourth order, otherwise the mean anomaly of an ellipse, or the logarithm of the time on a
/// hyperbola.
KOKKOS_INLINE_FUNCTION OrbitLanes guess_variable(Conic const& conic, OrbitLanes zeta) {
  OrbitLanes const linear = conic.time * conic.inverse_r0;
  OrbitLanes const bend = linear * conic.eta * conic.inverse_r0;
  // The terms of second to fourth order of Kepler's equation, relative to the first.
  OrbitLanes const a = 0.5 * bend, square = linear * linear;
  OrbitLanes const b = (zeta * conic.inverse_r0) * square * (1.0 / 6.0);
  OrbitLanes const c = (conic.beta * square) * bend * (-1.0 / 24.0);
  OrbitLanes const third = 2.0 * (a * a) - b, fourth = 5.0 * a * (b - a * a) - c;
  OrbitLanes const series = linear + select((absolute(bend) < 0.5) & (absolute(b) < 0.1),
                                            linear * (third + fourth - a), OrbitLanes{});
  OrbitLanes const angle = linear * conic.root;
  OrbitLanes const mean = conic.time * conic.beta * conic.inverse_mu;
  OrbitLanes guess = select(conic.beta > 0.0, select(angle < 0.6, series, mean), series);
  OrbitLanes const far = select(conic.beta > 0.0, OrbitLanes{}, angle);
  if (!any(far > 1.0)) return guess;
  OrbitLanes const root = conic.root;
  OrbitLanes const scale =
      (root * root / conic.inverse_r0 + conic.eta * root + conic.mu) / (root * root * root);
  for (int i = 0; i < orbit_lanes; ++i) {
    double const k = simd::lane<double>(scale, i);
    if (!(simd::lane<double>(far, i) > 1.0 && k > 0.0)) continue;
    double const time = simd::lane<double>(conic.time, i);
    simd::set_lane<double>(guess, i, std::log(2.0 * time / k + 1.0) / simd::lane<double>(root, i));
  }
  return guess;
}

}  // namespace orbit

/// Motion along an orbit: x' = x + f x + g v, v' = v + f_rate x + g_rate v (Gauss's functions, f
/// and g_rate less 1), and what the motion tells about the orbit.
struct OrbitStep {
  OrbitLanes f, g, f_rate, g_rate;
  OrbitLanes h_squared, eccentricity;

  /// Whether a body turns by more than sqrt(`limit`) in a time dt at its pericentre, where its
  /// angular velocity is mu^2 (1 + e)^2 / h^3.
  KOKKOS_FORCEINLINE_FUNCTION auto is_coarse(OrbitLanes mu, double dt_squared, double limit) const {
    OrbitLanes const speed = mu * (1.0 + eccentricity), squared = speed * speed;
    return dt_squared * (squared * squared) > limit * (h_squared * h_squared * h_squared);
  }
};

/// Computes the motion of each lane by `dt` [time] on its orbit about a fixed centre of gravity
/// `mu` > 0 [length^3 / time^2] at the origin. Any eccentricity and any sign and length of dt; a
/// radial orbit is reflected at the centre. Never NaN if position and velocity are finite, the
/// position is not 0, and the result is representable. Relative errors: a few 1e-16 times the
/// condition of the problem.
///
/// Universal variables (Wisdom & Hernandez 2015, MNRAS 453, 3015; Mikkola & Innanen 1999, Celest.
/// Mech. 74, 59). Kepler's equation is solved by Laguerre's method as of Conway 1986 (Celest. Mech.
/// 39, 199; Danby 1987, Celest. Mech. 40, 303), n = 5, within a bracket.
///
/// Rounding errors have no bias: any s gives a point of the orbit, if g and r are computed from the
/// same s, and the determinant of the motion, which multiplies the angular momentum, is set to 1.
KOKKOS_INLINE_FUNCTION OrbitStep orbit_step(OrbitLanes const (&x)[3], OrbitLanes const (&v)[3],
                                            OrbitLanes mu, OrbitLanes dt) {
  using namespace orbit;
  OrbitLanes const r0_squared = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  OrbitLanes const v_squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  OrbitLanes const projection = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
  OrbitLanes const r0 = square_root(r0_squared);
  Conic conic;
  conic.mu = mu;
  conic.inverse_mu = 1.0 / mu;
  conic.inverse_r0 = 1.0 / r0;
  conic.beta = 2.0 * mu * conic.inverse_r0 - v_squared;
  conic.root = square_root(absolute(conic.beta));
  conic.inverse_root = 1.0 / conic.root;
  conic.h_squared = larger(r0_squared * v_squared - projection * projection, OrbitLanes{});
  conic.eccentricity = square_root(larger(
      1.0 - conic.h_squared * conic.beta * (conic.inverse_mu * conic.inverse_mu), OrbitLanes{}));
  // Whole periods of an ellipse are removed. Then time runs forwards: backwards means forwards with
  // the opposite velocity.
  constexpr double turn = 2.0 * std::numbers::pi;
  OrbitLanes const cubed_root = conic.root * absolute(conic.beta);
  OrbitLanes const periods =
      nearest(select(conic.beta > 0.0, dt * cubed_root * (conic.inverse_mu / turn), OrbitLanes{}));
  OrbitLanes rest = dt;
  if (any(periods != 0.0)) {
    rest = select(periods != 0.0, dt - periods * (turn * mu / cubed_root), dt);
  }
  OrbitLanes const sign = select(rest < 0.0, all_lanes(-1.0), all_lanes(1.0));
  conic.time = sign * rest;
  conic.eta = sign * projection;
  OrbitLanes const zeta = mu - conic.beta * r0;

  OrbitLanes low{}, high = largest_variable(conic);
  OrbitLanes s = larger(smaller(guess_variable(conic, zeta), high), low);
  OrbitLanes G0{}, G1{}, G2{}, G3{}, r = r0, rest_of_s{}, last_change = all_lanes(1e300);
  auto is_found = s != s;
  constexpr int most_iterations = 60;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    auto const c = stumpff(conic.beta * (s * s));
    G0 = c.c0;
    G1 = s * c.c1;
    G2 = (s * s) * c.c2;
    G3 = (s * s) * (s * c.c3);
    r = r0 + (conic.eta * G1 + zeta * G2);
    OrbitLanes const f = ((r0 * G1 - conic.time) + conic.eta * G2) + mu * G3;
    OrbitLanes const curvature = conic.eta * c.c0 + zeta * G1;
    high = select(f <= 0.0, high, smaller(high, s));
    low = select(f <= 0.0, larger(low, s), low);
    OrbitLanes const change =
        -5.0 * f / (r + square_root(absolute(16.0 * r * r - 20.0 * f * curvature)));
    OrbitLanes next = s + change;
    auto const is_inside = (next >= low) & (next <= high);
    next = select(is_inside, next, 0.5 * (low + high));
    // The method is of third order: after a small change s is exact, and the functions at s +
    // change are those at s and two more terms. The last condition is for last digits that
    // alternate.
    OrbitLanes const size = absolute(change);
    auto const is_last = is_inside & (size <= 3e-6 * s) & (size * conic.root <= 3e-6);
    rest_of_s = select(is_last, change, OrbitLanes{});
    is_found = is_found | is_last | (absolute(next - s) <= 3e-16 * absolute(next)) | (f == 0.0) |
               ((size >= last_change) & (size <= 1e-13 * s));
    last_change = size;
    if (simd::double_mask_of<orbit_lanes>(is_found) == first_lanes(orbit_lanes)) break;
    if (iteration + 1 < most_iterations) s = select(is_found, s, next);
  }

  // The functions at s + rest_of_s, to second order.
  OrbitLanes const half = 0.5 * rest_of_s, G1_before = G1, G2_before = G2;
  G1 = G1 + rest_of_s * (G0 - half * (conic.beta * G1));
  G2 = G2 + rest_of_s * (G1_before + half * G0);
  r = r0 + (conic.eta * G1 + zeta * G2);
  OrbitLanes const inverse_r = 1.0 / r, fall = mu * G2;
  OrbitStep step;
  step.f = -fall * conic.inverse_r0;
  step.g = sign * (r0 * G1 + conic.eta * G2);
  if (any(conic.beta < 0.0)) {  // far out on a hyperbola these terms nearly cancel
    G3 = G3 + rest_of_s * (G2_before + half * G1_before);
    step.g = select(conic.beta < 0.0, sign * (conic.time - mu * G3), step.g);
  }
  OrbitLanes const f_rate = -sign * (mu * G1) * (conic.inverse_r0 * inverse_r);
  OrbitLanes const g_rate = -fall * inverse_r;
  OrbitLanes const excess = (step.f + g_rate) + (step.f * g_rate - f_rate * step.g);
  // On a hyperbola and near a radial orbit the terms may be huge, and their sum is rounding.
  OrbitLanes const error =
      select((conic.beta > 0.0) & (absolute(excess) < 1e-10), excess, OrbitLanes{});
  step.f_rate = f_rate - error * f_rate;
  step.g_rate = g_rate - (error + error * g_rate);
  step.h_squared = conic.h_squared;
  step.eccentricity = conic.eccentricity;
  return step;
}

/// Advances each lane by `dt` [time] on its orbit, see orbit_step().
KOKKOS_INLINE_FUNCTION OrbitStep kepler_step(OrbitLanes (&x)[3], OrbitLanes (&v)[3], OrbitLanes mu,
                                             OrbitLanes dt) {
  auto const step = orbit_step(x, v, mu, dt);
  for (int axis = 0; axis < 3; ++axis) {
    OrbitLanes const position = x[axis], velocity = v[axis];
    x[axis] = position + (step.f * position + step.g * velocity);
    v[axis] = velocity + (step.f_rate * position + step.g_rate * velocity);
  }
  return step;
}

}  // namespace apsis::integrators
