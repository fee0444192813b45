// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/simd.hpp>
#include <apsis/core/unrolled.hpp>

#include <Kokkos_Macros.hpp>

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
/// Comput. C-21, 801).
template <int step, int lanes, class Lanes>
inline void transpose(Lanes* rows) {
  if constexpr (step > 0) {
    constexpr auto all = std::make_integer_sequence<int, lanes>();
#pragma GCC unroll 32
    for (int i = 0; i < lanes; ++i) {
      if ((i & step) != 0) continue;
      Lanes const a = rows[i], b = rows[i + step];
      rows[i] = exchanged<step, true>(a, b, all);
      rows[i + step] = exchanged<step, false>(a, b, all);
    }
    transpose<step / 2, lanes>(rows);
  }
}

}  // namespace detail
#endif

/// `count` numbers from each of as many rows as there are lanes: number k of all rows into to[k].
/// On a GPU rows begin at multiples of 16 bytes and may be read up to the next one.
template <int count, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void load_rows(Real const* const* rows, Lanes* to) {
  constexpr int lanes = lane_count<Real, Lanes>;
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  if constexpr (lanes > 1 && count >= lanes) {
    // The last block may begin within the one before it.
    for (int begin = 0; begin < count; begin += lanes) {
      int const first = begin + lanes <= count ? begin : count - lanes;
      Lanes block[lanes];
      for (int lane = 0; lane < lanes; ++lane) block[lane] = loaded<Lanes>(rows[lane] + first);
      detail::transpose<lanes / 2, lanes>(block);
      for (int k = begin - first; k < lanes; ++k) to[first + k] = block[k];
    }
    return;
  }
#endif
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  static_assert(lanes == 1);
  struct alignas(16) Several {
    Real of[16 / sizeof(Real)];
  };
  constexpr int each = sizeof(Several) / sizeof(Real);
  auto const* const from = reinterpret_cast<Several const*>(rows[0]);
  unrolled<(count + each - 1) / each>([&]<int block>() {
    Several const several = from[block];
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

}  // namespace apsis::simd
