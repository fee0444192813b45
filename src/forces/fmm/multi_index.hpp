// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

/// Terms of Cartesian expansions: x^a y^b z^c with a + b + c up to some order. All tables are
/// compile-time constants, so that loops over terms are unrolled and terms are kept in registers.
namespace apsis::forces::fmm {

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

}  // namespace apsis::forces::fmm
