// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simd.hpp"
#include <apsis/core/backend.hpp>

#include <Kokkos_Macros.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

#if !APSIS_ON_GPU
#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>
#define APSIS_INVERSE_ROOT_SEED 1
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#define APSIS_INVERSE_ROOT_SEED 1
#endif
#endif

namespace apsis::simd {

namespace detail {

/// m / x^(3/2) from an approximation y ("seed") of x^(-1/2). With e = 1 - x y^2,
///   x^(-3/2) = y^3 (1 - e)^(-3/2) = y^3 (1 + 3/2 e + 15/8 e^2 + 35/16 e^3 + ...),
/// so that refining the seed and cubing it are one step. e is twice the relative error of the seed.
/// With 1, 2 or 3 `terms` (powers of e) the truncation error is 1.9 e^2, 2.2 e^3 or 2.5 e^4. The
/// product starts with m, because m / r^3 may be representable where r^3 overflows.
template <int terms, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes refined_cube(Real m, Lanes x, Lanes y) {
  static_assert(1 <= terms && terms <= 3);
  Lanes const a = y * y;
  Lanes const e = Real(1) - x * a;
  Lanes const s = (m * y) * a;
  if constexpr (terms == 1) {
    return s + (s * e) * Real(1.5);
  } else if constexpr (terms == 2) {
    Lanes const series = e * Real(1.875) + Real(1.5);
    return s + (s * e) * series;
  } else {
    // 15/8 plus a part of the fourth term, of which a sixth remains for a seed accurate to 2^-14.
    constexpr Real second = Real(1.8750000304);
    // A separate statement: GCC then uses one register fewer, and the loop takes 5 % less time.
    Lanes const series = (e * Real(2.1875) + second) * e + Real(1.5);
    return s + (s * e) * series;
  }
}

#if defined(APSIS_INVERSE_ROOT_SEED)
#if defined(__AVX512F__)
inline constexpr int float_terms = 1;  // both seeds accurate to 2^-14
inline constexpr int double_terms = 3;

inline NativeFloat inverse_root_seed(NativeFloat x) {
  return (NativeFloat)_mm512_maskz_rsqrt14_ps(0xFFFF, (__m512)x);
}
inline NativeDouble inverse_root_seed(NativeDouble x) {
  return (NativeDouble)_mm512_maskz_rsqrt14_pd(0xFF, (__m512d)x);
}
#elif defined(__AVX2__)
inline constexpr int float_terms = 2;   // seed accurate to 1.5 * 2^-12
inline constexpr int double_terms = 3;  // seed accurate to 2^-15

inline NativeFloat inverse_root_seed(NativeFloat x) {
  return (NativeFloat)_mm256_rsqrt_ps((__m256)x);
}
/// Halves and negates the exponent in the bit pattern (Lomont 2003), which is accurate to 3.4 % for
/// every normal x, then multiplies by a minimax polynomial in w = x y^2 for 1 / sqrt(w). (The
/// hardware seed for float does not cover the exponent range of double.)
inline NativeDouble inverse_root_seed(NativeDouble x) {
  using Bits = Pack<std::uint64_t, native_lanes<double> >::type;
  auto const y = std::bit_cast<NativeDouble>(0x5FE6EB50C7B537A9u - (std::bit_cast<Bits>(x) >> 1));
  NativeDouble const w = x * (y * y);
  return y * ((w * 0.375501 - 1.252097) * w + 1.876597);
}
#else
inline constexpr int float_terms = 3;   // seed accurate to 2^-8
inline constexpr int double_terms = 3;  // seed accurate to 2^-15

inline NativeFloat inverse_root_seed(NativeFloat x) {
  return (NativeFloat)vrsqrteq_f32((float32x4_t)x);
}
inline NativeDouble inverse_root_seed(NativeDouble x) {
  float64x2_t const y = vrsqrteq_f64((float64x2_t)x);
  return (NativeDouble)vmulq_f64(y, vrsqrtsq_f64((float64x2_t)x, vmulq_f64(y, y)));
}
#endif
#endif

/// m / x^(3/2) from a reciprocal and a square root, where no seed is available or worth refining.
/// Taking the reciprocal first needs one operation fewer than cubing 1 / sqrt(x), and has half its
/// error.
template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes rooted_cube(Real m, Lanes x) {
  Lanes const inverse = Real(1) / x;
  Lanes root;
  for (int i = 0; i < lane_count<Real, Lanes>; ++i) {
    set_lane<Real>(root, i, std::sqrt(lane<Real>(inverse, i)));
  }
  return (m * root) * inverse;
}

}  // namespace detail

/// m / x^(3/2), the dominant operation of all-pairs gravity. Overloads: scalars on host and device,
/// and packs of native width on the host. Requires that x is positive and normal and the result is
/// representable; zero, infinite or NaN x give NaN, zero or infinity. Largest relative errors:
///
///            float    double
///   AVX-512  2.0e-7   4.0e-16   hardware seeds
///   AVX2     2.0e-7   4.2e-16   hardware seed for float, seed from the bits of x for double
///   NEON     1.7e-7   3.5e-16   hardware seeds, with a Newton step for double
///   CUDA     4.9e-7   3.2e-16   hardware seeds, accurate to the last digits and to 2^-20
///   other    2.5e-7   4.8e-16   reciprocal and square root
///
/// and up to 2.8e-7 and 5.4e-16 if the compiler does not contract multiply-adds. With AVX2 the
/// reciprocal and square root would take 1.3 (float) and 1.6 (double) times as long in the
/// all-pairs loop; without fused multiply-add they are about as fast or faster. The seeds of HIP
/// are assumed to be as accurate as those of CUDA.
KOKKOS_FORCEINLINE_FUNCTION float over_cubed_root(float m, float x) {
#if defined(__CUDA_ARCH__)
  float const y = ::rsqrtf(x);
  return (m * y) * (y * y);
#elif defined(__HIP_DEVICE_COMPILE__)
  float const y = __builtin_amdgcn_rsqf(x);
  return (m * y) * (y * y);
#else
  return detail::rooted_cube(m, x);
#endif
}

KOKKOS_FORCEINLINE_FUNCTION double over_cubed_root(double m, double x) {
#if defined(__CUDA_ARCH__)
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return detail::refined_cube<2>(m, x, y);
#elif defined(__HIP_DEVICE_COMPILE__)
  return detail::refined_cube<2>(m, x, __builtin_amdgcn_rsq(x));
#else
  return detail::rooted_cube(m, x);
#endif
}

#if !APSIS_ON_GPU
inline NativeFloat over_cubed_root(float m, NativeFloat x) {
#if defined(APSIS_INVERSE_ROOT_SEED)
  return detail::refined_cube<detail::float_terms>(m, x, detail::inverse_root_seed(x));
#else
  return detail::rooted_cube(m, x);
#endif
}

inline NativeDouble over_cubed_root(double m, NativeDouble x) {
#if defined(APSIS_INVERSE_ROOT_SEED)
  return detail::refined_cube<detail::double_terms>(m, x, detail::inverse_root_seed(x));
#else
  return detail::rooted_cube(m, x);
#endif
}
#endif

/// Number of arithmetic instructions of over_cubed_root() in the form that kernels use. On devices
/// the seed in double is not counted: another unit computes it.
template <class Real>
inline constexpr int cube_operations =
#if defined(APSIS_INVERSE_ROOT_SEED)
    6 + (sizeof(Real) == 4 ? detail::float_terms : detail::double_terms);
#else
    by_backend(4, sizeof(Real) == 4 ? 4 : 7);
#endif

}  // namespace apsis::simd
