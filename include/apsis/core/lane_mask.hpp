// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/simd.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace apsis {

/// A bit for each lane, the first the lowest.
using LaneMask = std::uint32_t;

/// 0 to 32 of them.
KOKKOS_FORCEINLINE_FUNCTION constexpr LaneMask first_lanes(int count) {
  return count >= 32 ? ~LaneMask{0} : (LaneMask{1} << count) - 1;
}

/// The first `count` of those that are there.
KOKKOS_FORCEINLINE_FUNCTION LaneMask first_of(LaneMask lanes, int count) {
  LaneMask first = 0;
  for (; count > 0 && lanes != 0; --count) {
    LaneMask const rest = lanes & (lanes - 1);
    first |= lanes ^ rest;
    lanes = rest;
  }
  return first;
}

/// Of 16 numbers in a row those of some lanes, one behind the other. Returns how many they are.
KOKKOS_FORCEINLINE_FUNCTION int pick(std::uint32_t const* from, LaneMask lanes, std::uint32_t* to) {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && defined(__AVX512F__)
  // To compress and store at once takes longer.
  int const count = Kokkos::popcount(lanes);
  _mm512_mask_storeu_epi32(
      to, static_cast<__mmask16>(first_lanes(count)),
      _mm512_maskz_compress_epi32(static_cast<__mmask16>(lanes), _mm512_loadu_si512(from)));
  return count;
#else
  int count = 0;
  for (; lanes != 0; lanes &= lanes - 1) to[count++] = from[Kokkos::countr_zero(lanes)];
  return count;
#endif
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
#if defined(__AVX512VL__)
    if constexpr (sizeof(Compared) == 32 && sizeof(Real) == 4) {
      return _mm256_movepi32_mask((__m256i)holds);
    }
#endif
#endif
    LaneMask all = 0;
    for (int lane = 0; lane < lanes; ++lane) all |= (holds[lane] != 0 ? LaneMask{1} : 0) << lane;
    return all;
  }
}

/// The lanes whose number has `value` in those bits.
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

/// The lanes whose number is larger.
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

/// The first `count` of a row into as many lanes, the first one into the others. They are stored as
/// they will be loaded, in one piece: a processor waits for one that is in several.
template <int lanes>
KOKKOS_FORCEINLINE_FUNCTION void load_first(std::uint32_t const* from, int count,
                                            std::uint32_t* to) {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && defined(__AVX512F__)
  if constexpr (lanes == 16) {
    _mm512_storeu_si512(to,
                        _mm512_mask_loadu_epi32(_mm512_set1_epi32(static_cast<int>(from[0])),
                                                static_cast<__mmask16>(first_lanes(count)), from));
    return;
  }
#endif
  for (int lane = 0; lane < lanes; ++lane) to[lane] = from[lane < count ? lane : 0];
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
