// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/extra_formula.hpp>

#include <cstddef>

/// Equations of motion of point masses to first post-Newtonian order in harmonic coordinates
/// (Einstein, Infeld & Hoffmann 1938; Newhall, Standish & Williams 1983, A&A 125, 150, equation 1,
/// with beta = gamma = 1). With d = x_j - x_i, the Newtonian potential U_i = sum over j of
/// G m_j / r_ij (positive) and the Newtonian acceleration g_j, the post-Newtonian acceleration a_i
/// of body i is
///
///   c^2 a_i = sum over j of G m_j / r^3 {
///               d [v_i^2 + 2 v_j^2 - 4 v_i . v_j - 3/2 (d . v_j)^2 / r^2
///                  + d . g_j / 2 - 4 U_i - U_j]
///               - d . (4 v_i - 3 v_j) (v_i - v_j) + 7/2 r^2 g_j }
///
/// U and g of all sources are computed first, so the cost is O(targets x sources). Numbers are
/// doubles, or jets for derivatives with respect to time.
namespace apsis::forces::eih {

/// State of a body.
template <class Number>
struct State {
  Number position[3];  ///< [length]
  Number velocity[3];  ///< [length / time], in the frame of the coordinates
};

/// A body with mass, and the Newtonian field of the other sources at its place.
template <class Number>
struct Source {
  State<Number> state;
  double strength;         ///< G m [length^3 / time^2]
  Number depth;            ///< U [length^2 / time^2]
  Number acceleration[3];  ///< g [length / time^2]
};

/// Value of `self` for a target that is not a source.
inline constexpr std::size_t no_source = ~std::size_t{0};

template <class Number>
KOKKOS_FORCEINLINE_FUNCTION Number dot(Number const (&a)[3], Number const (&b)[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Vector from a body to a source, and the Newtonian factors of the pair.
template <class Number>
struct Pair {
  Number d[3];
  Number inverse_square;  ///< 1 / r^2
  Number depth;           ///< G m / r
  Number factor;          ///< G m / r^3

  KOKKOS_FORCEINLINE_FUNCTION Pair(State<Number> const& body, Source<Number> const& source) {
    for (int axis = 0; axis < 3; ++axis) {
      d[axis] = source.state.position[axis] - body.position[axis];
    }
    inverse_square = Number(1.0) / dot(d, d);
    depth = Number(source.strength) * square_root(inverse_square);
    factor = depth * inverse_square;
  }
};

/// Sets the Newtonian field of the other sources at source `self`. O(count).
template <class Number>
KOKKOS_FUNCTION void set_field(Source<Number>* sources, std::size_t count, std::size_t self) {
  auto const body = sources[self].state;
  Number depth(0.0), acceleration[3] = {Number(0.0), Number(0.0), Number(0.0)};
  for (std::size_t j = 0; j < count; ++j) {
    if (j == self) continue;
    Pair<Number> const pair(body, sources[j]);
    depth += pair.depth;
    for (int axis = 0; axis < 3; ++axis) acceleration[axis] += pair.factor * pair.d[axis];
  }
  sources[self].depth = depth;
  for (int axis = 0; axis < 3; ++axis) sources[self].acceleration[axis] = acceleration[axis];
}

/// Returns the post-Newtonian acceleration of a body and, as its potential, e_i. The conserved
/// energy is the Newtonian energy plus the sum of m_i e_i:
///
///   c^2 e_i = 3/8 v_i^4 + U_i^2 / 2
///             + sum over j of G m_j / r [6 v_i^2 - 7 v_i . v_j - (d . v_i) (d . v_j) / r^2] / 4
///
/// (Will 1993, Theory and Experiment in Gravitational Physics, section 6.2). `self`: the source
/// that is this body, or no_source. O(count).
template <class Number>
KOKKOS_FUNCTION Push<Number> push_on(State<Number> const& body, Source<Number> const* sources,
                                     std::size_t count, std::size_t self, double over_c_squared) {
  auto const& v = body.velocity;
  Number const speed_squared = dot(v, v);
  Number depth(0.0), pair_energy(0.0);
  Number gravity[3] = {Number(0.0), Number(0.0), Number(0.0)};
  Number sum[3] = {Number(0.0), Number(0.0), Number(0.0)};
  for (std::size_t j = 0; j < count; ++j) {
    if (j == self) continue;
    auto const& source = sources[j];
    auto const& w = source.state.velocity;
    Pair<Number> const pair(body, source);
    Number const product = dot(v, w), along_v = dot(pair.d, v), along_w = dot(pair.d, w);
    Number const along_d =
        pair.factor * (speed_squared + Number(2.0) * dot(w, w) - Number(4.0) * product -
                       Number(1.5) * along_w * along_w * pair.inverse_square +
                       Number(0.5) * dot(pair.d, source.acceleration) - source.depth);
    Number const along_relative = pair.factor * (Number(3.0) * along_w - Number(4.0) * along_v);
    Number const along_acceleration = Number(3.5) * pair.depth;
    for (int axis = 0; axis < 3; ++axis) {
      gravity[axis] += pair.factor * pair.d[axis];
      sum[axis] += along_d * pair.d[axis] + along_relative * (v[axis] - w[axis]) +
                   along_acceleration * source.acceleration[axis];
    }
    depth += pair.depth;
    pair_energy += pair.depth * (Number(1.5) * speed_squared - Number(1.75) * product -
                                 Number(0.25) * along_v * along_w * pair.inverse_square);
  }
  Number const scale(over_c_squared);
  Push<Number> push;
  for (int axis = 0; axis < 3; ++axis) {
    push.acceleration[axis] = scale * (sum[axis] - Number(4.0) * depth * gravity[axis]);
  }
  push.potential = scale * (Number(0.375) * speed_squared * speed_squared + pair_energy +
                            Number(0.5) * depth * depth);
  return push;
}

}  // namespace apsis::forces::eih
