// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/simd.hpp>

#include <Kokkos_Macros.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
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

/// m / x^(3/2) from a seed y of x^(-1/2). With e = 1 - x y^2,
///   x^(-3/2) = y^3 (1 - e)^(-3/2) = y^3 (1 + 3/2 e + 15/8 e^2 + 35/16 e^3 + ...):
/// the refinement of the seed is folded into the cube, of which no digit is computed twice. With
/// `terms` powers of e the series is cut off at 1.9 e^2, 2.2 e^3 or 2.5 e^4; e is twice the
/// relative error of the seed. The product starts from m: in units where r^3 overflows, m / r^3
/// need not.
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
    // 15/8 and a share of the fourth term: for a seed good to 2^-14 that leaves a sixth of it.
    constexpr Real second = Real(1.8750000304);
    // A statement of its own: GCC then needs a register less, and the loop 5 % less time.
    Lanes const series = (e * Real(2.1875) + second) * e + Real(1.5);
    return s + (s * e) * series;
  }
}

#if defined(APSIS_INVERSE_ROOT_SEED)
#if defined(__AVX512F__)
inline constexpr int float_terms = 1;  // seeds to 2^-14
inline constexpr int double_terms = 3;

inline NativeFloat inverse_root_seed(NativeFloat x) {
  return (NativeFloat)_mm512_maskz_rsqrt14_ps(0xFFFF, (__m512)x);
}
inline NativeDouble inverse_root_seed(NativeDouble x) {
  return (NativeDouble)_mm512_maskz_rsqrt14_pd(0xFF, (__m512d)x);
}
#elif defined(__AVX2__)
inline constexpr int float_terms = 2;   // seed to 1.5 * 2^-12
inline constexpr int double_terms = 3;  // seed to 2^-15

inline NativeFloat inverse_root_seed(NativeFloat x) {
  return (NativeFloat)_mm256_rsqrt_ps((__m256)x);
}
/// Halves and negates the exponent in the bits (Lomont 2003), which is good to 3.4 % for every
/// normal x (the seed of float lacks the exponents); then a minimax polynomial in w = x y^2 for
/// 1 / sqrt(w).
inline NativeDouble inverse_root_seed(NativeDouble x) {
  using Bits = Pack<std::uint64_t, native_lanes<double> >::type;
  auto const y = std::bit_cast<NativeDouble>(0x5FE6EB50C7B537A9u - (std::bit_cast<Bits>(x) >> 1));
  NativeDouble const w = x * (y * y);
  return y * ((w * 0.375501 - 1.252097) * w + 1.876597);
}
#else
inline constexpr int float_terms = 3;   // seed to 2^-8
inline constexpr int double_terms = 3;  // seed to 2^-15

inline NativeFloat inverse_root_seed(NativeFloat x) {
  return (NativeFloat)vrsqrteq_f32((float32x4_t)x);
}
inline NativeDouble inverse_root_seed(NativeDouble x) {
  float64x2_t const y = vrsqrteq_f64((float64x2_t)x);
  return (NativeDouble)vmulq_f64(y, vrsqrtsq_f64((float64x2_t)x, vmulq_f64(y, y)));
}
#endif
#endif

/// The same from the root itself, where there is no seed or none worth refining. The reciprocal
/// first: one operation fewer than the cube of 1 / sqrt(x), and half its error.
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

/// m / x^(3/2), the one operation that all-pairs gravity spends its time on: of numbers on host and
/// device, and of packs of native width on the host. x is positive and normal and the result
/// representable; from zero, infinity and NaN comes NaN, zero or infinity. Largest relative errors:
///
///            float    double
///   AVX-512  2.0e-7   4.0e-16   hardware seeds
///   AVX2     2.0e-7   4.2e-16   hardware seed for float, one from the bits of x for double
///   NEON     1.7e-7   3.5e-16   hardware seeds, for double with a Newton step
///   CUDA     4.9e-7   3.2e-16   hardware seeds, to the last digits and to 2^-20
///   other    2.5e-7   4.8e-16   quotient and root
///
/// and up to 2.8e-7 and 5.4e-16 where the compiler does not contract products and sums. With AVX2
/// the quotient and the root make the all-pairs loop 1.3 (float) and 1.6 times as long; without
/// fused multiply-add they win or nearly so. HIP's seeds are taken to be as good as CUDA's.
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

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
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

/// Arithmetic instructions of the cube in the form that kernels use, without the device's seed in
/// double, which another unit computes.
template <class Real>
inline constexpr int cube_operations =
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    sizeof(Real) == 4 ? 4 : 7;
#elif defined(APSIS_INVERSE_ROOT_SEED)
    6 + (sizeof(Real) == 4 ? detail::float_terms : detail::double_terms);
#else
    4;
#endif

}  // namespace apsis::simd
