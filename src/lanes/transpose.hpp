// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simd.hpp"
#include "unrolled.hpp"
#include <apsis/core/backend.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <utility>

namespace apsis::simd {

#if !APSIS_ON_GPU
namespace detail {

/// One of the two rows of a butterfly exchange of blocks of `step` lanes. Example for 4 lanes and
/// step 1: with `above` it is (a0 b0 a2 b2), otherwise (a1 b1 a3 b3).
template <int step, bool above, class Lanes, int... l>
inline Lanes exchanged(Lanes const& a, Lanes const& b, std::integer_sequence<int, l...>) {
  constexpr int lanes = sizeof...(l);
  if constexpr (above) {
    return __builtin_shufflevector(a, b, ((l & step) == 0 ? l : lanes + l - step)...);
  } else {
    return __builtin_shufflevector(a, b, ((l & step) == 0 ? l + step : lanes + l)...);
  }
}

/// Transposes `count` rows of `lanes` lanes in place: first blocks of `step` rows and lanes, then
/// recursively within the blocks (Eklundh 1972, IEEE Trans. Comput. C-21, 801). If there are more
/// lanes than rows, each square of `count` lanes is transposed separately.
template <int step, int count, int lanes, class Lanes>
inline void transpose(Lanes* rows) {
  if constexpr (step > 0) {
    constexpr auto indices = std::make_integer_sequence<int, lanes>();
#pragma GCC unroll 32
    for (int i = 0; i < count; ++i) {
      if ((i & step) != 0) continue;
      Lanes const a = rows[i], b = rows[i + step];
      rows[i] = exchanged<step, true>(a, b, indices);
      rows[i + step] = exchanged<step, false>(a, b, indices);
    }
    transpose<step / 2, count, lanes>(rows);
  }
}

/// Sums each of 2 `step` packs over its lanes. Lane k of packs[0] gets the sum of packs[k]. Each
/// recursion adds the two halves of the lanes of each pair of packs into one pack.
template <int step, int lanes, class Lanes>
inline void sum_lanes(Lanes* packs) {
  if constexpr (step > 0) {
    constexpr auto indices = std::make_integer_sequence<int, lanes>();
#pragma GCC unroll 32
    for (int i = 0; i < step; ++i) {
      packs[i] = exchanged<step, true>(packs[i], packs[i + step], indices) +
                 exchanged<step, false>(packs[i], packs[i + step], indices);
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

/// Number of values of a row that are read at once: a vector register or, on a GPU, 16 bytes.
template <class Real>
inline constexpr int row_block = std::max(native_lanes<Real>, 16 / static_cast<int>(sizeof(Real)));

namespace detail {
/// Block of values that a GPU thread reads or writes in one access.
template <class Real>
struct alignas(16) RowBlock {
  Real values[row_block<Real>];
};
}  // namespace detail

/// Loads `count` numbers from one row per lane and transposes them: packs[k] gets number k of all
/// rows. Rows may be read to the end of their last row_block and must be padded accordingly; if
/// `count` is more than a quarter and at most half of the lanes, to the end of a half pack. On a
/// GPU rows must be aligned to a row_block.
template <int count, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void load_rows(Real const* const* rows, Lanes* packs) {
  constexpr int lanes = lane_count<Real, Lanes>;
#if APSIS_ON_GPU
  static_assert(lanes == 1);
  constexpr int block_size = row_block<Real>;
  auto const* const blocks = reinterpret_cast<detail::RowBlock<Real> const*>(rows[0]);
  unrolled<(count + block_size - 1) / block_size>([&]<int b>() {
    detail::RowBlock<Real> const block = blocks[b];
    unrolled<block_size>([&]<int k>() {
      if constexpr (b * block_size + k < count) packs[b * block_size + k] = block.values[k];
    });
  });
#else
  if constexpr (lanes >= 8 && count <= lanes / 2 && count > lanes / 4) {
    constexpr int half = lanes / 2;
    using Half = typename Pack<Real, half>::type;
    Lanes block[half];
    for (int k = 0; k < half; ++k) {
      block[k] = detail::joined(loaded<Half>(rows[k]), loaded<Half>(rows[half + k]),
                                std::make_integer_sequence<int, lanes>());
    }
    detail::transpose<half / 2, half, lanes>(block);
    for (int k = 0; k < count; ++k) packs[k] = block[k];
    return;
  }
  if constexpr (lanes > 1 && lanes <= row_block<Real>) {
    unrolled<(count + lanes - 1) / lanes>([&]<int number>() {
      constexpr int first = number * lanes;
      Lanes block[lanes];
      for (int lane = 0; lane < lanes; ++lane) block[lane] = loaded<Lanes>(rows[lane] + first);
      detail::transpose<lanes / 2, lanes, lanes>(block);
      unrolled<(count - first < lanes ? count - first : lanes)>(
          [&]<int k>() { packs[first + k] = block[k]; });
    });
    return;
  }
  for (int k = 0; k < count; ++k) {
    for (int lane = 0; lane < lanes; ++lane) set_lane<Real>(packs[k], lane, rows[lane][k]);
  }
#endif
}

/// Loads `count` numbers of a row that belongs to one thread. Padding as in load_rows().
template <int count, class Real>
KOKKOS_FORCEINLINE_FUNCTION void load_row(Real const* row, Real* numbers) {
  load_rows<count>(&row, numbers);
}
/// Stores `count` numbers into a row that belongs to one thread. The row may be written to the end
/// of its last row_block.
template <int count, class Real>
KOKKOS_FORCEINLINE_FUNCTION void store_row(Real const* numbers, Real* row) {
  if constexpr (on_gpu) {
    constexpr int block_size = row_block<Real>;
    auto* const blocks = reinterpret_cast<detail::RowBlock<Real>*>(row);
    unrolled<(count + block_size - 1) / block_size>([&]<int b>() {
      detail::RowBlock<Real> block{};
      unrolled<block_size>([&]<int k>() {
        if constexpr (b * block_size + k < count) block.values[k] = numbers[b * block_size + k];
      });
      blocks[b] = block;
    });
  } else {
    for (int k = 0; k < count; ++k) row[k] = numbers[k];
  }
}

/// Calls put(k, sum over the lanes of packs[k]) for each k below `count`.
template <class Real, int count, class Lanes, class Put>
KOKKOS_FORCEINLINE_FUNCTION void sum_lanes(Lanes const* packs, Put const& put) {
  constexpr int lanes = lane_count<Real, Lanes>;
  if constexpr (lanes == 1) {
    for (int k = 0; k < count; ++k) put(k, packs[k]);
  } else {
#if !APSIS_ON_GPU
    for (int first = 0; first < count; first += lanes) {
      int const rest = count - first < lanes ? count - first : lanes;
      Lanes block[lanes]{};
      for (int k = 0; k < rest; ++k) block[k] = packs[first + k];
      detail::sum_lanes<lanes / 2, lanes>(block);
      for (int k = 0; k < rest; ++k) put(first + k, lane<Real>(block[0], k));
    }
#endif
  }
}

}  // namespace apsis::simd
