// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes/over_cubed_root.hpp"
#include "lanes/unrolled.hpp"
#include <apsis/core/backend.hpp>

#include <Kokkos_Core.hpp>

/// Cartesian expansions of psi = sum of m / sqrt(r^2 + eps^2), as in Dehnen (2002, J. Comp. Phys.
/// 179, 27, eqs. 3 to 7):
///
///     M_n         = sum of m d^n / n!     multipole moments about the centre of a source
///     psi(c + d)  = sum of L_n d^n / n!   local expansion about the centre c of a target
///
/// where n is a MultiIndex. M2L uses all pairs of terms with a total order of at most `order`, the
/// same pairs in both directions, so that mutual forces of two cells cancel to rounding. `Lanes` is
/// a number, or a pack of numbers with one expansion in each lane.
///
/// The operators: add_body() P2M, add_moments() M2M, add_field() M2L, add_shifted_field() L2L,
/// evaluate_field() L2P, add_moment_field() M2P.
namespace apsis::forces::fmm {

// Terms x^a y^b z^c with a + b + c up to some order. All tables are compile-time constants, so that
// loops over terms are unrolled and terms are kept in registers.

/// Exponents of a term x^a y^b z^c, or numbers of derivatives along the axes.
struct MultiIndex {
  int x, y, z;

  KOKKOS_FUNCTION constexpr int order() const { return x + y + z; }
  KOKKOS_FUNCTION constexpr MultiIndex operator+(MultiIndex const& n) const {
    return {x + n.x, y + n.y, z + n.z};
  }
  KOKKOS_FUNCTION constexpr MultiIndex operator-(MultiIndex const& n) const {
    return {x - n.x, y - n.y, z - n.z};
  }
  /// Whether no exponent is negative, so that there is such a term.
  KOKKOS_FUNCTION constexpr bool exists() const { return x >= 0 && y >= 0 && z >= 0; }
};

/// Number of terms of an expansion up to `order`, which is also the index of the first term of the
/// next order.
KOKKOS_INLINE_FUNCTION constexpr int term_count(int order) {
  return (order + 1) * (order + 2) * (order + 3) / 6;
}

/// Index of a term: lower orders first, then by falling powers of x, then of y.
KOKKOS_INLINE_FUNCTION constexpr int term_index(MultiIndex const& n) {
  int const yz_order = n.y + n.z;
  return term_count(n.order() - 1) + yz_order * (yz_order + 1) / 2 + n.z;
}

/// Inverse of term_index().
KOKKOS_INLINE_FUNCTION constexpr MultiIndex multi_index_of(int term) {
  int order = 0;
  while (term_count(order) <= term) ++order;
  int remainder = term - term_count(order - 1), yz_order = 0;
  while (remainder > yz_order) remainder -= ++yz_order;
  return {order - yz_order, yz_order - remainder, remainder};
}

/// Recurrence of one term from a term with one power less along an axis and a term with two powers
/// less.
struct Recurrence {
  int previous;         ///< index of the term with one power less
  int second_previous;  ///< index of the term with two powers less, or -1
  int axis;
  int power;  ///< exponent along the axis
};

/// Recurrences of all terms but the first. The axis is the first one with a nonzero exponent.
template <int order>
struct Recurrences {
  Recurrence term[term_count(order)]{};

  constexpr Recurrences() {
    for (int k = 1; k < term_count(order); ++k) {
      MultiIndex const n = multi_index_of(k);
      int const axis = n.x > 0 ? 0 : n.y > 0 ? 1 : 2;
      auto const index_with_less = [&](int amount) {
        return term_index({n.x - (axis == 0 ? amount : 0), n.y - (axis == 1 ? amount : 0),
                           n.z - (axis == 2 ? amount : 0)});
      };
      int const power = axis == 0 ? n.x : axis == 1 ? n.y : n.z;
      term[k] = {index_with_less(1), power > 1 ? index_with_less(2) : -1, axis, power};
    }
  }
};
template <int order>
inline constexpr Recurrences<order> recurrences;

template <class Lanes, int order>
struct Expansion {
  static constexpr int terms = term_count(order);
  Lanes term[terms];

  KOKKOS_FORCEINLINE_FUNCTION Lanes& operator[](int k) { return term[k]; }
  KOKKOS_FORCEINLINE_FUNCTION Lanes const& operator[](int k) const { return term[k]; }
};

/// Vector from one point to another, in internal units.
template <class Lanes>
struct Displacement {
  Lanes x, y, z;

  template <int axis>
  KOKKOS_FORCEINLINE_FUNCTION Lanes component() const {
    return axis == 0 ? x : axis == 1 ? y : z;
  }
};

/// Returns the terms d^n / n!.
template <int order, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Expansion<Lanes, order> monomials(Displacement<Lanes> const& d) {
  Expansion<Lanes, order> terms;
  terms[0] = Lanes{} + Real(1);
  unrolled<term_count(order) - 1>([&]<int k>() {
    constexpr Recurrence recurrence = recurrences<order>.term[k + 1];
    terms[k + 1] = terms[recurrence.previous] * d.template component<recurrence.axis>() *
                   Real(1.0 / recurrence.power);
  });
  return terms;
}

namespace detail {
/// Computes derivative k of a radial function, `present`, from those of the next function.
template <class Real, Recurrence recurrence, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void derive(Lanes* present, Lanes const* next, int k,
                                        Displacement<Lanes> const& r) {
  Lanes value = next[recurrence.previous] * r.template component<recurrence.axis>();
  if constexpr (recurrence.second_previous >= 0)
    value += next[recurrence.second_previous] * Real(recurrence.power - 1);
  present[k] = value;
}
}  // namespace detail

/// Returns 1 / sqrt(r^2 + eps^2).
template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes inverse_distance(Displacement<Lanes> const& r,
                                                   Real softening_squared) {
  Lanes const square = r.z * r.z + (r.y * r.y + (r.x * r.x + softening_squared));
  return simd::over_cubed_root(Real(1), square) * square;
}

/// Returns the derivatives of 1 / sqrt(r^2 + eps^2) by r. `inverse` is the value of this function.
/// Uses the recurrence of McMurchie & Davidson (1978, J. Comp. Phys. 26, 218) over the radial
/// functions f_0 = 1 / sqrt(r^2 + eps^2) and f_(k + 1) = (df_k / dr) / r, here along x:
///
///     d^n f_k / dx^n = x d^(n - 1) f_(k + 1) / dx^(n - 1)
///                      + (n - 1) d^(n - 2) f_(k + 1) / dx^(n - 2)
///
/// It computes C(order + 4, 4) terms with the distance as the unit of length, and scales the
/// results. The highest power that must be representable is then inverse^(order + 1).
template <int order, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Expansion<Lanes, order> derivatives(Displacement<Lanes> const& r,
                                                                Lanes const& inverse) {
  Displacement<Lanes> const unit{r.x * inverse, r.y * inverse, r.z * inverse};
  // Derivatives of the k-th radial function are needed up to order - k.
  Lanes radial[order + 1][term_count(order)];
  radial[0][0] = Lanes{} + Real(1);
  unrolled<order>([&]<int k>() { radial[k + 1][0] = radial[k][0] * Real(-(2 * k + 1)); });
  unrolled<term_count(order) - 1>([&]<int term>() {
    unrolled<order - multi_index_of(term + 1).order() + 1>([&]<int k>() {
      detail::derive<Real, recurrences<order>.term[term + 1]>(radial[k], radial[k + 1], term + 1,
                                                              unit);
    });
  });
  Lanes power[order + 1];
  power[0] = inverse;
  unrolled<order>([&]<int n>() { power[n + 1] = power[n] * inverse; });
  Expansion<Lanes, order> result;
  unrolled<term_count(order)>(
      [&]<int k>() { result[k] = radial[0][k] * power[multi_index_of(k).order()]; });
  return result;
}

/// Number of independent sums of products that are computed together. On a host this hides the
/// latency of the additions, and there are registers for many sums. A GPU hides latency with other
/// threads and has fewer registers.
inline constexpr int parallel_sums = by_backend(simd::registers - 4, 1);

/// Contraction: result_a += sum over b of tensor_(a + b) weights_b, where a + b is at most of order
/// `order`. Terms a of one order have the same range of b and are processed together.
template <int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void contract(Expansion<Lanes, order>& result,
                                          Expansion<Lanes, order> const& tensor,
                                          Expansion<Lanes, order> const& weights) {
  unrolled<order + 1>([&]<int a_order>() {
    constexpr int begin = term_count(a_order - 1), end = term_count(a_order);
    unrolled<(end - begin + parallel_sums - 1) / parallel_sums>([&]<int block>() {
      constexpr int first = begin + block * parallel_sums;
      constexpr int count = end - first < parallel_sums ? end - first : parallel_sums;
      Lanes sums[count];
      unrolled<count>([&]<int a>() { sums[a] = result[first + a]; });
      unrolled<term_count(order - a_order)>([&]<int b>() {
        Lanes const factor = weights[b];
        unrolled<count>([&]<int a>() {
          sums[a] += tensor[term_index(multi_index_of(first + a) + multi_index_of(b))] * factor;
        });
      });
      unrolled<count>([&]<int a>() { result[first + a] = sums[a]; });
    });
  });
}

/// P2M: adds a body of mass m at displacement `d` from the centre to multipole moments.
template <class Real, int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void add_body(Expansion<Lanes, order>& moments,
                                          Displacement<Lanes> const& d, Lanes const& m) {
  auto const powers = monomials<order, Real>(d);
  unrolled<term_count(order)>([&]<int k>() { moments[k] += m * powers[k]; });
}

/// M2M: adds moments about a centre displaced by `d`: moments_(a + b) += powers_a child_b.
template <class Real, int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void add_moments(Expansion<Lanes, order>& moments,
                                             Displacement<Lanes> const& d,
                                             Expansion<Lanes, order> const& child) {
  auto const powers = monomials<order, Real>(d);
  unrolled<order + 1>([&]<int sum_order>() {
    constexpr int first = term_count(sum_order - 1), count = term_count(sum_order) - first;
    Lanes sums[count];
    unrolled<count>([&]<int k>() { sums[k] = moments[first + k]; });
    unrolled<term_count(sum_order)>([&]<int a>() {
      unrolled<count>([&]<int k>() {
        constexpr MultiIndex b = multi_index_of(first + k) - multi_index_of(a);
        if constexpr (b.exists()) sums[k] += powers[a] * child[term_index(b)];
      });
    });
    unrolled<count>([&]<int k>() { moments[first + k] = sums[k]; });
  });
}

/// M2L: adds the field of multipole moments to a local expansion. `d`: the derivatives at the
/// displacement from the centre of the local expansion to that of the moments. The odd terms of the
/// result get the wrong sign: call flip_odd_terms() after the last source.
///
/// The first-order moments are included although the centre is the centre of mass: it is rounded
/// to the precision of positions, so they are small but not zero. Without them two galaxies in
/// single precision, a thousand radii apart, gained 2.8e-7 of their momentum.
template <int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void add_field(Expansion<Lanes, order>& field,
                                           Expansion<Lanes, order> const& d,
                                           Expansion<Lanes, order> const& moments) {
  contract(field, d, moments);
}
/// Flips the sign of all odd terms: the derivatives at a displacement and at the opposite one
/// differ in these signs only.
template <int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void flip_odd_terms(Expansion<Lanes, order>& field) {
  unrolled<term_count(order)>([&]<int k>() {
    if constexpr (multi_index_of(k).order() % 2 != 0) field[k] = -field[k];
  });
}

/// L2L: adds the local expansion of a cell to that of a child, about a centre displaced by `d`.
template <class Real, int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void add_shifted_field(Expansion<Lanes, order>& field,
                                                   Displacement<Lanes> const& d,
                                                   Expansion<Lanes, order> const& parent) {
  auto const powers = monomials<order, Real>(d);
  contract(field, parent, powers);
}

/// Potential psi and its gradient at a point.
template <class Lanes>
struct PointField {
  Lanes psi{}, x{}, y{}, z{};
};

/// L2P: evaluates a local expansion at displacement `d` from its centre. One expansion for all
/// lanes, or one for each lane.
template <class Real, int order, class Lanes, class Term>
KOKKOS_FORCEINLINE_FUNCTION PointField<Lanes> evaluate_field(Expansion<Term, order> const& field,
                                                             Displacement<Lanes> const& d) {
  auto const powers = monomials<order, Real>(d);
  PointField<Lanes> result;
  unrolled<term_count(order)>([&]<int k>() { result.psi += powers[k] * field[k]; });
  unrolled<term_count(order - 1)>([&]<int k>() {
    constexpr MultiIndex n = multi_index_of(k);
    result.x += powers[k] * field[term_index({n.x + 1, n.y, n.z})];
    result.y += powers[k] * field[term_index({n.x, n.y + 1, n.z})];
    result.z += powers[k] * field[term_index({n.x, n.y, n.z + 1})];
  });
  return result;
}

/// M2P: adds the field of multipole moments at a body. `d`: the derivatives at the displacement
/// from the body to the centre of the moments.
template <int order, class Lanes, class Moment>
KOKKOS_FORCEINLINE_FUNCTION void add_moment_field(PointField<Lanes>& result,
                                                  Expansion<Lanes, order> const& d,
                                                  Expansion<Moment, order> const& moments) {
  unrolled<term_count(order)>([&]<int k>() { result.psi += d[k] * moments[k]; });
  unrolled<term_count(order - 1)>([&]<int k>() {
    constexpr MultiIndex n = multi_index_of(k);
    result.x -= d[term_index({n.x + 1, n.y, n.z})] * moments[k];
    result.y -= d[term_index({n.x, n.y + 1, n.z})] * moments[k];
    result.z -= d[term_index({n.x, n.y, n.z + 1})] * moments[k];
  });
}

}  // namespace apsis::forces::fmm
