// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_NumericTraits.hpp>

#include <array>

/// Gauss-Radau scheme of order 15 (Everhart 1985, in Dynamics of Comets, 185; Rein & Spiegel 2015,
/// MNRAS 446, 1424). During a step of length dt, at the fraction s of it, the acceleration is the
/// polynomial
///   a(s) = a0 + b0 s + b1 s^2 + ... + b6 s^7
/// which equals the acceleration at its own positions at the 8 left Radau nodes h0 = 0 < ... < h7.
/// Integrated twice it gives the position, so b follows by iteration. In Newton's form
///   a(s) = a0 + s (g0 + (s - h1) (g1 + (s - h2) (g2 + ...)))
/// the acceleration at node n determines g_(n-1) from those before it.
///
/// The functions here are the formulas for one component of one body, or of a pack of bodies.
namespace apsis::integrators::radau {

/// Number of coefficients b, and of nodes after the first.
inline constexpr int terms = 7;

/// Coefficients of one component.
template <class Lanes>
using Coefficients = Lanes[terms];

/// Weights of b in the position and velocity at a fraction s of a step:
///   x = x0 + s dt v0 + (s dt)^2 / 2 (a0 + sum of position[k] b_k)
///   v = v0 + s dt (a0 + sum of velocity[k] b_k)
struct Weights {
  double fraction = 0.0;  ///< s
  double position[terms] = {}, velocity[terms] = {};
};

KOKKOS_INLINE_FUNCTION constexpr Weights weights_at(double fraction) {
  Weights weights{fraction};
  double power = 1.0;
  for (int k = 0; k < terms; ++k) {
    power *= fraction;
    weights.position[k] = power * 2.0 / ((k + 2) * (k + 3));
    weights.velocity[k] = power / (k + 2);
  }
  return weights;
}

/// A node h_n, n = 1 ... 7.
struct Node {
  int number = 0;  ///< n
  Weights weights;
  double over_gap[terms] = {};  ///< 1 / (h_n - h_k) for k < n
  double newton[terms] = {};    ///< coefficients of s (s - h_1) ... (s - h_(n-1)) at s^(j+1), j < n
};

/// Constants of the scheme; kernels get a copy.
struct Table {
  Node nodes[terms + 1];  ///< by number; entry 0 is not used
  Weights end = weights_at(1.0);
};

namespace detail {
/// Returns P_degree(x) and its derivative.
constexpr std::array<long double, 2> legendre(int degree, long double x) {
  long double before = 1.0L, value = x;
  for (int k = 2; k <= degree; ++k) {
    long double const next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  return {value, degree * (x * value - before) / (x * x - 1.0L)};
}

/// Returns 0 and the 7 other roots of P_7(2 s - 1) + P_8(2 s - 1), by Newton's method.
constexpr std::array<long double, terms + 1> left_radau_nodes() {
  std::array<long double, terms + 1> nodes{0.0L,    0.0563L, 0.1802L, 0.3526L,
                                           0.5472L, 0.7342L, 0.8853L, 0.9775L};
  for (int n = 1; n <= terms; ++n) {
    for (int iteration = 0; iteration < 8; ++iteration) {
      auto const seven = legendre(7, 2.0L * nodes[n] - 1.0L);
      auto const eight = legendre(8, 2.0L * nodes[n] - 1.0L);
      nodes[n] -= (seven[0] + eight[0]) / (2.0L * (seven[1] + eight[1]));
    }
  }
  return nodes;
}

constexpr Table make_table() {
  auto const h = left_radau_nodes();
  Table table;
  std::array<long double, terms> product{1.0L};  // s, then s (s - h_1), ...
  for (int n = 1; n <= terms; ++n) {
    auto& node = table.nodes[n];
    node.number = n;
    node.weights = weights_at(static_cast<double>(h[n]));
    for (int k = 0; k < n; ++k) {
      node.over_gap[k] = static_cast<double>(1.0L / (h[n] - h[k]));
      node.newton[k] = static_cast<double>(product[k]);
    }
    for (int k = terms - 1; k >= 0; --k) {
      product[k] = (k > 0 ? product[k - 1] : 0.0L) - h[n] * product[k];
    }
  }
  return table;
}
}  // namespace detail

inline constexpr Table constants = detail::make_table();

/// Returns a0 + sum of weight[k] b_k.
template <class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes weighted(Lanes const& a0, Coefficients<Lanes> const& b,
                                           double const (&weight)[terms]) {
  return ((weight[6] * b[6] + weight[5] * b[5]) + (weight[4] * b[4] + weight[3] * b[3])) +
         ((weight[2] * b[2] + weight[1] * b[1]) + (weight[0] * b[0] + a0));
}

/// Position relative to that at the start of the step. The step may differ between lanes.
template <class Lanes, class Time>
KOKKOS_FORCEINLINE_FUNCTION Lanes displacement(Weights const& at_node, Time const& dt,
                                               Lanes const& v0, Lanes const& a0,
                                               Coefficients<Lanes> const& b) {
  Time const time = at_node.fraction * dt;
  return time * v0 + (0.5 * time * time) * weighted<Lanes>(a0, b, at_node.position);
}

/// Velocity relative to that at the start of the step.
template <class Lanes, class Time>
KOKKOS_FORCEINLINE_FUNCTION Lanes velocity_change(Weights const& at_node, Time const& dt,
                                                  Lanes const& a0, Coefficients<Lanes> const& b) {
  return (at_node.fraction * dt) * weighted<Lanes>(a0, b, at_node.velocity);
}

/// Returns the g_(n-1) that the acceleration at node n determines.
template <class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes newton_difference(Node const& node, Lanes const& a0,
                                                    Lanes const& acceleration,
                                                    Coefficients<Lanes> const& g) {
  Lanes difference = (acceleration - a0) * node.over_gap[0];
  for (int k = 1; k < node.number; ++k) difference = (difference - g[k - 1]) * node.over_gap[k];
  return difference;
}

/// Updates g_(n-1) and b by the acceleration at node n. Returns the change of g_(n-1), which for
/// the last node is that of b_6.
template <class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes update(Node const& node, Lanes const& a0,
                                         Lanes const& acceleration, Coefficients<Lanes>& b,
                                         Coefficients<Lanes>& g) {
  int const n = node.number;
  Lanes const difference = newton_difference<Lanes>(node, a0, acceleration, g);
  Lanes const change = difference - g[n - 1];
  g[n - 1] = difference;
  for (int j = 0; j < n; ++j) b[j] += node.newton[j] * change;
  return change;
}

/// Computes b from g. At the end of an iteration this removes the rounding errors of the updates.
template <class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void set_from_newton(Table const& table, Coefficients<Lanes> const& g,
                                                 Coefficients<Lanes>& b) {
  for (int j = 0; j < terms; ++j) {
    Lanes sum = g[terms - 1] * table.nodes[terms].newton[j];
    for (int k = terms - 1; k > j; --k) sum += table.nodes[k].newton[j] * g[k - 1];
    b[j] = sum;
  }
}

/// Predicts the coefficients of the next step. `ratio` is its length over that of the last step.
/// The polynomial of the last step continues:
///   e_k = ratio^(k+1) sum over j >= k of binomial(j+1, k+1) b_j
/// and b = e + (last b - last e) adds what the last prediction missed. A ratio of 0 means that
/// there is no last step: then all coefficients are 0. The ratio may differ between lanes.
template <class Lanes, class Ratio>
KOKKOS_FORCEINLINE_FUNCTION void predict(Table const& table, Ratio const& ratio,
                                         Coefficients<Lanes> const& last_b,
                                         Coefficients<Lanes> const& last_e, Coefficients<Lanes>& b,
                                         Coefficients<Lanes>& e, Coefficients<Lanes>& g) {
  Ratio power = Ratio{} + 1.0;
  for (int k = 0; k < terms; ++k) {
    power *= ratio;
    Lanes sum = last_b[k];
    double binomial = 1.0;
    for (int j = k + 1; j < terms; ++j) {
      binomial = binomial * (j + 1) / (j - k);
      sum += binomial * last_b[j];
    }
    e[k] = power * sum;
    b[k] = ratio == 0.0 ? Lanes{} : e[k] + (last_b[k] - last_e[k]);
  }
  for (int k = terms - 1; k >= 0; --k) {
    Lanes value = b[k];
    for (int j = k + 1; j < terms; ++j) value -= table.nodes[j + 1].newton[k] * g[j];
    g[k] = value;
  }
}

/// Adds `increment` to a compensated sum (Kahan 1965, CACM 8, 40): its exact value is sum + low.
template <class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void add(Lanes& sum, Lanes& low, Lanes const& increment) {
  Lanes const total = increment + low;
  Lanes const rounded = sum + total;
  low = total - (rounded - sum);
  sum = rounded;
}

/// Advances a component of a body to the end of the step. `residue` is the rounding error of dt v.
template <class Lanes, class Time>
KOKKOS_FORCEINLINE_FUNCTION void advance(Weights const& end, Time const& dt, Lanes const& residue,
                                         Lanes const& a0, Coefficients<Lanes> const& b, Lanes& x,
                                         Lanes& x_low, Lanes& v, Lanes& v_low) {
  Lanes const mean = weighted<Lanes>(a0, b, end.position);
  add<Lanes>(x, x_low, dt * v);
  add<Lanes>(x, x_low, (0.5 * dt * dt) * mean + (residue + dt * v_low));
  add<Lanes>(v, v_low, velocity_change<Lanes>(end, dt, a0, b));
}

/// Squared lengths of the acceleration and of its first three derivatives at the end of a step,
/// times powers of dt: sums over the components.
template <class Lanes>
struct SquaredDerivatives {
  Lanes acceleration{}, jerk{}, snap{}, crackle{};

  KOKKOS_FORCEINLINE_FUNCTION void add(Lanes const& a0, Coefficients<Lanes> const& b) {
    Lanes a = a0, j{}, s{}, c{};
    for (int k = 0; k < terms; ++k) {
      a += b[k];
      j += (k + 1.0) * b[k];
      s += ((k + 1.0) * k) * b[k];
      c += ((k + 1.0) * k * (k - 1.0)) * b[k];
    }
    acceleration += a * a;
    jerk += j * j;
    snap += s * s;
    crackle += c * c;
  }
};

/// Square of the time scale of a body over dt, from the squared lengths of its acceleration and
/// derivatives: the larger of
///   2 a^2 / (j^2 + a s)                    (Pham, Rein & Spiegel 2024, OJAp 7, 1)
///   (a s + j^2) / (2 (j c + s^2))          (half of Aarseth's criterion)
/// which are equal on a circle. The second is finite where a = 0. Infinite if nothing is known.
KOKKOS_INLINE_FUNCTION double squared_time_scale(double a2, double j2, double s2, double c2) {
  double const as = Kokkos::sqrt(a2 * s2), jc = Kokkos::sqrt(j2 * c2);
  double const first = 2.0 * a2 / (j2 + as);
  double const second = 0.5 * (as + j2) / (jc + s2);
  double const larger = second > first ? second : first;
  return larger == larger ? larger : Kokkos::Experimental::infinity_v<double>;
}

}  // namespace apsis::integrators::radau
