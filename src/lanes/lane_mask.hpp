// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simd.hpp"
#include <apsis/core/backend.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>

#if !APSIS_ON_GPU && defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace apsis {

/// Bit mask of lanes; lane 0 is the lowest bit.
using LaneMask = std::uint32_t;

/// Mask of the lanes below `count`, which is 0 to 32.
KOKKOS_FORCEINLINE_FUNCTION constexpr LaneMask first_lanes(int count) {
  return count >= 32 ? ~LaneMask{0} : (LaneMask{1} << count) - 1;
}

/// The lowest `count` lanes of the mask `lanes`; all of them if there are fewer.
KOKKOS_FORCEINLINE_FUNCTION LaneMask first_of(LaneMask lanes, int count) {
  LaneMask first = 0;
  for (; count > 0 && lanes != 0; --count) {
    LaneMask const rest = lanes & (lanes - 1);
    first |= lanes ^ rest;
    lanes = rest;
  }
  return first;
}

/// Copies the numbers in the lanes of the mask, out of 16 consecutive ones, to consecutive places
/// of `picked`. Returns how many were copied. All 16 numbers may be read.
KOKKOS_FORCEINLINE_FUNCTION int pick(std::uint32_t const* numbers, LaneMask lanes,
                                     std::uint32_t* picked) {
#if !APSIS_ON_GPU && defined(__AVX512F__)
  // The single instruction that compresses and stores is slower.
  int const count = Kokkos::popcount(lanes);
  _mm512_mask_storeu_epi32(
      picked, static_cast<__mmask16>(first_lanes(count)),
      _mm512_maskz_compress_epi32(static_cast<__mmask16>(lanes), _mm512_loadu_si512(numbers)));
  return count;
#else
  int count = 0;
  for (; lanes != 0; lanes &= lanes - 1) picked[count++] = numbers[Kokkos::countr_zero(lanes)];
  return count;
#endif
}

namespace simd {

/// Mask of the lanes for which `holds`, the result of a comparison of packs of `Real`, is true.
template <class Real, int lanes, class Compared>
KOKKOS_FORCEINLINE_FUNCTION LaneMask mask_of(Compared const& holds) {
  if constexpr (lanes == 1) {
    return holds ? 1 : 0;
  } else {
#if !APSIS_ON_GPU && defined(__AVX512DQ__)
    if constexpr (sizeof(Compared) == 64) {
      if constexpr (sizeof(Real) == 4) return _mm512_movepi32_mask((__m512i)holds);
      if constexpr (sizeof(Real) == 8) return _mm512_movepi64_mask((__m512i)holds);
    }
#if defined(__AVX512VL__)
    if constexpr (sizeof(Compared) == 32 && sizeof(Real) == 4) {
      return _mm256_movepi32_mask((__m256i)holds);
    }
#endif
#endif
    LaneMask mask = 0;
    for (int lane = 0; lane < lanes; ++lane) mask |= (holds[lane] != 0 ? LaneMask{1} : 0) << lane;
    return mask;
  }
}

/// Mask of the lanes with (number & bits) == value.
template <int lanes>
KOKKOS_FORCEINLINE_FUNCTION LaneMask lanes_equal(std::uint32_t const* numbers, std::uint32_t bits,
                                                 std::uint32_t value) {
  if constexpr (lanes == 1) {
    return (numbers[0] & bits) == value ? 1 : 0;
  } else {
    using Numbers = typename Pack<std::uint32_t, lanes>::type;
    return mask_of<float, lanes>((loaded<Numbers>(numbers) & bits) == value);
  }
}

/// Mask of the lanes with a number larger than `value`.
template <int lanes>
KOKKOS_FORCEINLINE_FUNCTION LaneMask lanes_above(std::uint32_t const* numbers,
                                                 std::uint32_t value) {
  if constexpr (lanes == 1) {
    return numbers[0] > value ? 1 : 0;
  } else {
    using Numbers = typename Pack<std::uint32_t, lanes>::type;
    return mask_of<float, lanes>(loaded<Numbers>(numbers) > value);
  }
}

/// Copies the first `count` of `numbers` to the first lanes of `lane_numbers`, and numbers[0] to
/// the other lanes. Stores one full register where possible: a later load of the whole register
/// stalls if it was written in several pieces (failed store forwarding).
template <int lanes>
KOKKOS_FORCEINLINE_FUNCTION void load_first(std::uint32_t const* numbers, int count,
                                            std::uint32_t* lane_numbers) {
#if !APSIS_ON_GPU && defined(__AVX512F__)
  if constexpr (lanes == 16) {
    _mm512_storeu_si512(
        lane_numbers, _mm512_mask_loadu_epi32(_mm512_set1_epi32(static_cast<int>(numbers[0])),
                                              static_cast<__mmask16>(first_lanes(count)), numbers));
    return;
  }
#endif
  for (int lane = 0; lane < lanes; ++lane) lane_numbers[lane] = numbers[lane < count ? lane : 0];
}

/// The pack with the lanes outside `mask` set to 0.
template <class Real, int lanes, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes only(LaneMask mask, Lanes const& pack) {
  if constexpr (lanes == 1) {
    return (mask & 1) != 0 ? pack : Lanes(0);
  } else {
#if !APSIS_ON_GPU && defined(__AVX512F__)
    if constexpr (sizeof(Lanes) == 64) {
      if constexpr (sizeof(Real) == 4) {
        return (Lanes)_mm512_maskz_mov_ps(static_cast<__mmask16>(mask), (__m512)pack);
      }
      if constexpr (sizeof(Real) == 8) {
        return (Lanes)_mm512_maskz_mov_pd(static_cast<__mmask8>(mask), (__m512d)pack);
      }
    }
#endif
    Lanes masked = pack;
    for (int lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) == 0) set_lane<Real>(masked, lane, Real(0));
    }
    return masked;
  }
}

}  // namespace simd

}  // namespace apsis
