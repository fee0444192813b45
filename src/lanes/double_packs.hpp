// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane_mask.hpp"
#include "simd.hpp"

#include <cmath>

#if !APSIS_ON_GPU && defined(__SSE2__)
#include <immintrin.h>
#endif

/// Operations on packs of double for which vector types have no operator.
namespace apsis::simd {

/// Square root of each lane, correctly rounded.
template <class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes square_root(Lanes x) {
#if !APSIS_ON_GPU && defined(__AVX512F__)
  if constexpr (sizeof(Lanes) == 64) return (Lanes)_mm512_maskz_sqrt_pd(0xFF, (__m512d)x);
#endif
#if !APSIS_ON_GPU && defined(__AVX__)
  if constexpr (sizeof(Lanes) == 32) return (Lanes)_mm256_sqrt_pd((__m256d)x);
#endif
#if !APSIS_ON_GPU && defined(__SSE2__)
  if constexpr (sizeof(Lanes) == 16) return (Lanes)_mm_sqrt_pd((__m128d)x);
#endif
  Lanes result{};
  for (int i = 0; i < lane_count<double, Lanes>; ++i) {
    set_lane<double>(result, i, std::sqrt(lane<double>(x, i)));
  }
  return result;
}

/// Mask of the lanes for which `holds`, the result of a comparison of packs of double, is true.
template <int lanes, class Compared>
KOKKOS_FORCEINLINE_FUNCTION LaneMask double_mask_of(Compared const& holds) {
#if !APSIS_ON_GPU && defined(__AVX__)
  if constexpr (lanes == 4) return static_cast<LaneMask>(_mm256_movemask_pd((__m256d)holds));
#endif
#if !APSIS_ON_GPU && defined(__SSE2__)
  if constexpr (lanes == 2) return static_cast<LaneMask>(_mm_movemask_pd((__m128d)holds));
#endif
  return mask_of<double, lanes>(holds);
}

}  // namespace apsis::simd
