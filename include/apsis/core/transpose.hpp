// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/simd.hpp>
#include <apsis/core/unrolled.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <utility>

namespace apsis::simd {

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
namespace detail {

/// Of two rows those lanes whose number has the bit `step`, taken from the other row's lanes
/// without it: below the diagonal or above.
template <int step, bool above, class Lanes, int... l>
inline Lanes exchanged(Lanes const& a, Lanes const& b, std::integer_sequence<int, l...>) {
  constexpr int lanes = sizeof...(l);
  if constexpr (above) {
    return __builtin_shufflevector(a, b, ((l & step) == 0 ? l : lanes + l - step)...);
  } else {
    return __builtin_shufflevector(a, b, ((l & step) == 0 ? l + step : lanes + l)...);
  }
}

/// Transposes the blocks of `step` rows and lanes, then what is in them (Eklundh 1972, IEEE Trans.
/// Comput. C-21, 801): of several squares side by side each for itself.
template <int step, int count, int lanes, class Lanes>
inline void transpose(Lanes* rows) {
  if constexpr (step > 0) {
    constexpr auto all = std::make_integer_sequence<int, lanes>();
#pragma GCC unroll 32
    for (int i = 0; i < count; ++i) {
      if ((i & step) != 0) continue;
      Lanes const a = rows[i], b = rows[i + step];
      rows[i] = exchanged<step, true>(a, b, all);
      rows[i + step] = exchanged<step, false>(a, b, all);
    }
    transpose<step / 2, count, lanes>(rows);
  }
}

/// Of twice as many packs as `step` the sums over their lanes, in those of the first: half of the
/// lanes of each pair of packs become one pack, then quarters.
template <int step, int lanes, class Lanes>
inline void sum_lanes(Lanes* packs) {
  if constexpr (step > 0) {
    constexpr auto all = std::make_integer_sequence<int, lanes>();
#pragma GCC unroll 32
    for (int i = 0; i < step; ++i) {
      packs[i] = exchanged<step, true>(packs[i], packs[i + step], all) +
                 exchanged<step, false>(packs[i], packs[i + step], all);
    }
    sum_lanes<step / 2, lanes>(packs);
  }
}

template <class Half, int... l>
inline auto joined(Half const& a, Half const& b, std::integer_sequence<int, l...>) {
  return __builtin_shufflevector(a, b, l...);
}

}  // namespace detail
#endif

/// Numbers of a row that are read at once: as many as a register holds or, on a GPU, 16 bytes.
template <class Real>
inline constexpr int row_block = std::max(native_lanes<Real>, 16 / static_cast<int>(sizeof(Real)));

namespace detail {
/// What a GPU's thread reads or writes at once.
template <class Real>
struct alignas(16) RowBlock {
  Real of[row_block<Real>];
};
}  // namespace detail

/// `count` numbers from each of as many rows as there are lanes: number k of all rows into to[k].
/// Rows may be read to the end of their last row_block (half of one, if that is all there is); on a
/// GPU they begin at multiples of it.
template <int count, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void load_rows(Real const* const* rows, Lanes* to) {
  constexpr int lanes = lane_count<Real, Lanes>;
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  if constexpr (lanes >= 8 && count <= lanes / 2 && count > lanes / 4) {
    constexpr int half = lanes / 2;
    using Half = typename Pack<Real, half>::type;
    Lanes block[half];
    for (int k = 0; k < half; ++k) {
      block[k] = detail::joined(loaded<Half>(rows[k]), loaded<Half>(rows[half + k]),
                                std::make_integer_sequence<int, lanes>());
    }
    detail::transpose<half / 2, half, lanes>(block);
    for (int k = 0; k < count; ++k) to[k] = block[k];
    return;
  }
  if constexpr (lanes > 1 && lanes <= row_block<Real>) {
    unrolled<(count + lanes - 1) / lanes>([&]<int number>() {
      constexpr int first = number * lanes;
      Lanes block[lanes];
      for (int lane = 0; lane < lanes; ++lane) block[lane] = loaded<Lanes>(rows[lane] + first);
      detail::transpose<lanes / 2, lanes, lanes>(block);
      unrolled<(count - first < lanes ? count - first : lanes)>(
          [&]<int k>() { to[first + k] = block[k]; });
    });
    return;
  }
#endif
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  static_assert(lanes == 1);
  constexpr int each = row_block<Real>;
  auto const* const from = reinterpret_cast<detail::RowBlock<Real> const*>(rows[0]);
  unrolled<(count + each - 1) / each>([&]<int block>() {
    detail::RowBlock<Real> const several = from[block];
    unrolled<each>([&]<int k>() {
      if constexpr (block * each + k < count) to[block * each + k] = several.of[k];
    });
  });
#else
  for (int k = 0; k < count; ++k) {
    for (int lane = 0; lane < lanes; ++lane) set_lane<Real>(to[k], lane, rows[lane][k]);
  }
#endif
}

/// `count` numbers of one row, which a thread has for itself.
template <int count, class Real>
KOKKOS_FORCEINLINE_FUNCTION void load_row(Real const* row, Real* to) {
  load_rows<count>(&row, to);
}
/// The same into a row, which may be written to the end of the last row_block.
template <int count, class Real>
KOKKOS_FORCEINLINE_FUNCTION void store_row(Real const* from, Real* row) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  constexpr int each = row_block<Real>;
  auto* const to = reinterpret_cast<detail::RowBlock<Real>*>(row);
  unrolled<(count + each - 1) / each>([&]<int block>() {
    detail::RowBlock<Real> several{};
    unrolled<each>([&]<int k>() {
      if constexpr (block * each + k < count) several.of[k] = from[block * each + k];
    });
    to[block] = several;
  });
#else
  for (int k = 0; k < count; ++k) row[k] = from[k];
#endif
}

/// put(k, sum over the lanes of packs[k]) for each of `count`.
template <class Real, int count, class Lanes, class Put>
KOKKOS_FORCEINLINE_FUNCTION void sum_lanes(Lanes const* packs, Put const& put) {
  constexpr int lanes = lane_count<Real, Lanes>;
  if constexpr (lanes == 1) {
    for (int k = 0; k < count; ++k) put(k, packs[k]);
  } else {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
    for (int first = 0; first < count; first += lanes) {
      int const here = count - first < lanes ? count - first : lanes;
      Lanes block[lanes]{};
      for (int k = 0; k < here; ++k) block[k] = packs[first + k];
      detail::sum_lanes<lanes / 2, lanes>(block);
      for (int k = 0; k < here; ++k) put(first + k, lane<Real>(block[0], k));
    }
#endif
  }
}

}  // namespace apsis::simd
