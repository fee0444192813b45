// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "division.hpp"
#include <apsis/core/simd.hpp>

#include <algorithm>
#include <type_traits>

/// How much is done at a time.
namespace apsis::forces::fmm {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
/// Bodies and cells at once.
template <class Real>
inline constexpr int lanes_of = 1;
#else
template <class Real>
inline constexpr int lanes_of =
    simd::lane_count<Real,
                     std::conditional_t<sizeof(Real) == 4, simd::NativeFloat, simd::NativeDouble> >;
#endif
/// Bodies of a leaf: registers of them on the host.
template <class Real>
inline constexpr int leaf_size = lanes_of<Real> > 8 ? lanes_of<Real> : 8;

/// Of expansions.
inline constexpr int usual_order = 4;
/// Of the errors that are asked for, what a cell may add by itself. Errors of more and smaller
/// cells add up to more. Measured: 99 % of the bodies of nine configurations of 20 000 to 400 000
/// bodies stay within 0.6 to 0.9 of the accuracy.
template <class Real>
inline constexpr double part_of_accuracy = leaf_size<Real> < 16 ? 0.07 : 0.1;

/// Leaves that are swept together: lists and fields are in proportion to them, and are then small
/// beside the cells; the cells above them are met once more for each lot.
constexpr CellId least_lot = 1 << 15, most_lot = 1 << 18;
inline CellId leaves_of_lot(CellId leaves) {
  return std::clamp((leaves + 3) / 4, least_lot, most_lot);
}

/// What the lists of a leaf and of the cells above it take, for a Plummer sphere at an accuracy of
/// 1e-3 [bytes].
template <class Real>
inline constexpr double list_bytes_of_leaf = 400.0 * leaf_size<Real>;

}  // namespace apsis::forces::fmm
