// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

/// Terms of expansions in Cartesian coordinates: x^a y^b z^c with a + b + c up to some order. All
/// tables are known to the compiler, so that loops over terms come apart and terms are registers.
namespace apsis::forces::fmm {

struct MultiIndex {
  int x, y, z;

  KOKKOS_FUNCTION constexpr int order() const { return x + y + z; }
};

/// Of an expansion to an order, or: the place of the first term of the order behind it.
KOKKOS_INLINE_FUNCTION constexpr int terms_to(int order) {
  return (order + 1) * (order + 2) * (order + 3) / 6;
}

/// Where a term stands: lower orders first, then by falling powers of x, then of y.
KOKKOS_INLINE_FUNCTION constexpr int place_of(MultiIndex const& n) {
  int const others = n.y + n.z;
  return terms_to(n.order() - 1) + others * (others + 1) / 2 + n.z;
}

KOKKOS_INLINE_FUNCTION constexpr MultiIndex index_at(int place) {
  int order = 0;
  while (terms_to(order) <= place) ++order;
  int rest = place - terms_to(order - 1), others = 0;
  while (rest > others) rest -= ++others;
  return {order - others, others - rest, rest};
}

/// A term from another: of one power less along an axis, and of two powers less.
struct Step {
  int from;    ///< place of the one
  int before;  ///< place of the other, or -1
  int axis;
  int power;  ///< along the axis
};
template <int order>
struct Steps {
  Step to[terms_to(order)]{};

  constexpr Steps() {
    for (int place = 1; place < terms_to(order); ++place) {
      MultiIndex const n = index_at(place);
      int const axis = n.x > 0 ? 0 : n.y > 0 ? 1 : 2;
      auto const less = [&](int by) {
        return place_of(
            {n.x - (axis == 0 ? by : 0), n.y - (axis == 1 ? by : 0), n.z - (axis == 2 ? by : 0)});
      };
      int const power = axis == 0 ? n.x : axis == 1 ? n.y : n.z;
      to[place] = {less(1), power > 1 ? less(2) : -1, axis, power};
    }
  }
};
template <int order>
inline constexpr Steps<order> steps;

/// Pairs of terms whose orders add up to no more than `order`, those with the same first one behind
/// each other.
struct Product {
  int a, b, sum;  ///< places of the two and of x^(a + b) ...
};
template <int order>
struct Products {
  static constexpr int count = [] {
    int found = 0;
    for (int a = 0; a < terms_to(order); ++a) found += terms_to(order - index_at(a).order());
    return found;
  }();
  Product of[count]{};

  constexpr Products() {
    int k = 0;
    for (int a = 0; a < terms_to(order); ++a) {
      MultiIndex const n = index_at(a);
      for (int b = 0; b < terms_to(order - n.order()); ++b) {
        MultiIndex const m = index_at(b);
        of[k++] = {a, b, place_of({n.x + m.x, n.y + m.y, n.z + m.z})};
      }
    }
  }
};
template <int order>
inline constexpr Products<order> products;

}  // namespace apsis::forces::fmm
