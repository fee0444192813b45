// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "division.hpp"
#include <apsis/core/simd.hpp>
#include <apsis/forces/fmm_options.hpp>

#include <algorithm>
#include <type_traits>

/// How much is done at a time.
namespace apsis::forces::fmm {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
/// Bodies, and cells that are looked at, at once.
template <class Real>
inline constexpr int lanes_of = 32;
#else
template <class Real>
inline constexpr int lanes_of =
    simd::lane_count<Real,
                     std::conditional_t<sizeof(Real) == 4, simd::NativeFloat, simd::NativeDouble> >;
#endif
/// Bodies of a leaf: a warp, or whole registers of them. (On hosts 16 and 32 take about as long:
/// what one saves in lists and fields the other saves in pairs.)
template <class Real>
inline constexpr int leaf_size = 32;

/// Lanes that make a leaf: on a GPU they are neighbours in memory, and add up in few steps.
template <class Real>
inline constexpr int leaf_lanes =
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    8;
#else
    lanes_of<Real>;
#endif

/// The level of the first cells that look around: of those above, which are few and large, none is
/// far from another that matters, and each level takes its time.
inline constexpr int usual_top = 5;

/// Groups that share what a target of a level looks at, so that few targets keep a machine busy: a
/// power of two.
inline int parts_at(int level) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  constexpr int groups = 4096, most = 64;
#else
  constexpr int groups = 64, most = 8;
#endif
  return level < 30 ? std::clamp(groups >> level, 1, most) : 1;
}

/// The order of expansions that costs least time for an accuracy, measured.
inline int order_for(double accuracy) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  constexpr double enough_for_four = 2e-3;
#else
  constexpr double enough_for_four = 5e-3;
#endif
  return accuracy < 5e-4 ? 6 : accuracy < enough_for_four ? 5 : 4;
}

/// use(order), one of those that sweeps are compiled for.
template <class Use>
auto with_order(FmmOptions const& options, Use const& use) {
  int const order = options.order.value_or(order_for(options.accuracy));
  if (order > 5) return use(std::integral_constant<int, 6>());
  if (order > 4) return use(std::integral_constant<int, 5>());
  return use(std::integral_constant<int, 4>());
}

/// Leaves that are swept together: most of the memory for lists is theirs.
constexpr CellId least_lot = 1 << 15, most_lot = 1 << 18;
inline CellId leaves_of_lot(CellId leaves) {
  return std::clamp((leaves + 3) / 4, least_lot, most_lot);
}

/// What the lists of a leaf take, and those of the cells above it: for a Plummer sphere at an
/// accuracy of 1e-3, and a third more [bytes].
inline constexpr double list_bytes_of_leaf = 3060.0, list_bytes_above = 1800.0;

}  // namespace apsis::forces::fmm
