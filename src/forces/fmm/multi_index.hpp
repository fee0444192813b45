// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

/// Terms of expansions in Cartesian coordinates: x^a y^b z^c with a + b + c up to some order. All
/// tables are known to the compiler, so that loops over terms come apart and terms are registers.
namespace apsis::forces::fmm {

struct MultiIndex {
  int x, y, z;

  KOKKOS_FUNCTION constexpr int order() const { return x + y + z; }
  KOKKOS_FUNCTION constexpr MultiIndex operator+(MultiIndex const& n) const {
    return {x + n.x, y + n.y, z + n.z};
  }
  KOKKOS_FUNCTION constexpr MultiIndex operator-(MultiIndex const& n) const {
    return {x - n.x, y - n.y, z - n.z};
  }
  KOKKOS_FUNCTION constexpr bool exists() const { return x >= 0 && y >= 0 && z >= 0; }
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

}  // namespace apsis::forces::fmm
