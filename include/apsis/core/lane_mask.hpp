// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/simd.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && defined(__AVX512DQ__)
#include <immintrin.h>
#endif

namespace apsis {

/// A bit for each lane, the first the lowest.
using LaneMask = std::uint32_t;

/// 0 to 32 of them.
KOKKOS_FORCEINLINE_FUNCTION constexpr LaneMask first_lanes(int count) {
  return count >= 32 ? ~LaneMask{0} : (LaneMask{1} << count) - 1;
}

namespace simd {

/// The lanes for which a comparison of packs of `Real` holds.
template <class Real, int lanes, class Compared>
KOKKOS_FORCEINLINE_FUNCTION LaneMask mask_of(Compared const& holds) {
  if constexpr (lanes == 1) {
    return holds ? 1 : 0;
  } else {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && defined(__AVX512DQ__)
    if constexpr (sizeof(Compared) == 64) {
      if constexpr (sizeof(Real) == 4) return _mm512_movepi32_mask((__m512i)holds);
      if constexpr (sizeof(Real) == 8) return _mm512_movepi64_mask((__m512i)holds);
    }
#endif
    LaneMask all = 0;
    for (int lane = 0; lane < lanes; ++lane) all |= (holds[lane] != 0 ? LaneMask{1} : 0) << lane;
    return all;
  }
}

/// The pack in those lanes, 0 in the others.
template <class Real, int lanes, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes only(LaneMask in, Lanes const& pack) {
  if constexpr (lanes == 1) {
    return (in & 1) != 0 ? pack : Lanes(0);
  } else {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && defined(__AVX512F__)
    if constexpr (sizeof(Lanes) == 64) {
      if constexpr (sizeof(Real) == 4) {
        return (Lanes)_mm512_maskz_mov_ps(static_cast<__mmask16>(in), (__m512)pack);
      }
      if constexpr (sizeof(Real) == 8) {
        return (Lanes)_mm512_maskz_mov_pd(static_cast<__mmask8>(in), (__m512d)pack);
      }
    }
#endif
    Lanes kept = pack;
    for (int lane = 0; lane < lanes; ++lane) {
      if ((in >> lane & 1) == 0) set_lane<Real>(kept, lane, Real(0));
    }
    return kept;
  }
}

}  // namespace simd

}  // namespace apsis
