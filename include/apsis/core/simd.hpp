// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__AVX512F__) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#define APSIS_SIMD_AVX512 1
#include <immintrin.h>
#endif

/// Lanes of equal work: a vector register on the host, one number in a GPU thread. The compiler's
/// own vector extension supplies the arithmetic; only what it cannot express is written here.
namespace apsis::simd {

/// `lanes` values of `Real` with elementwise + - * / and comparisons.
template <class Real, int lanes>
struct Pack {
  typedef Real type __attribute__((vector_size(lanes * sizeof(Real))));
};
template <class Real>
struct Pack<Real, 1> {
  using type = Real;
};

/// Lanes of the widest register this executable was compiled for.
template <class Real>
inline constexpr int native_lanes =
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    1;
#elif defined(__AVX512F__)
    64 / sizeof(Real);
#elif defined(__AVX__)
    32 / sizeof(Real);
#elif defined(__SSE2__) || defined(__ARM_NEON)
    16 / sizeof(Real);
#else
    1;
#endif

constexpr char const* instruction_set() {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  return "device";
#elif defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX__)
  return "AVX";
#elif defined(__SSE2__)
  return "SSE2";
#elif defined(__ARM_NEON)
  return "NEON";
#else
  return "scalar";
#endif
}

template <class Real, class Lanes>
inline constexpr int lane_count = static_cast<int>(sizeof(Lanes) / sizeof(Real));

template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Real lane(Lanes const& pack, int index) {
  if constexpr (lane_count<Real, Lanes> == 1) {
    return pack;
  } else {
    return pack[index];
  }
}

template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void set_lane(Lanes& pack, int index, Real value) {
  if constexpr (lane_count<Real, Lanes> == 1) {
    pack = value;
  } else {
    pack[index] = value;
  }
}

/// 1 / sqrt(x), x > 0, to within two units in the last place.
KOKKOS_FORCEINLINE_FUNCTION float inverse_sqrt(float x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return ::rsqrtf(x);
#else
  return 1.0f / std::sqrt(x);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION double inverse_sqrt(double x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return ::rsqrt(x);
#else
  return 1.0 / std::sqrt(x);
#endif
}

template <class Real, class Lanes>
inline Lanes inverse_sqrt_by_lane(Lanes x) {
  Lanes root;
  for (int i = 0; i < lane_count<Real, Lanes>; ++i) root[i] = std::sqrt(x[i]);
  return Real(1) / root;
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
using NativeFloat = Pack<float, (native_lanes<float> > 1 ? native_lanes<float> : 4)>::type;
using NativeDouble = Pack<double, (native_lanes<double> > 1 ? native_lanes<double> : 2)>::type;

inline NativeDouble inverse_sqrt(NativeDouble x) {
#if defined(APSIS_SIMD_AVX512)
  // The hardware seed is good to 2^-14; two Newton steps square that twice.
  NativeDouble y = (NativeDouble)_mm512_maskz_rsqrt14_pd(0xFF, (__m512d)x);
  y = y * (1.5 - (0.5 * x) * (y * y));
  return y + y * (0.5 - (0.5 * x) * (y * y));
#else
  return inverse_sqrt_by_lane<double>(x);
#endif
}
#endif

/// m / x^(3/2) for x > 0: the one operation that all-pairs gravity spends its time on.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real over_cubed_root(Real m, Real x) {
  Real const y = inverse_sqrt(x);
  return (m * y) * (y * y);
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
/// With the seed y of x^(-1/2) and e = 1 - x y^2, x^(-3/2) = y^3 (1 - e)^(-3/2)
/// = y^3 (1 + 3/2 e + ...): the last refinement of the seed is folded into the cube. (In double e
/// is 1e-8 after one Newton step: the next term would change the largest error by 6 %.) Largest
/// relative error measured: 1.9e-7 (float), 3.9e-16 (double).
inline NativeFloat over_cubed_root(float m, NativeFloat x) {
#if defined(APSIS_SIMD_AVX512)
  NativeFloat const y = (NativeFloat)_mm512_maskz_rsqrt14_ps(0xFFFF, (__m512)x);
  NativeFloat const a = y * y;
  NativeFloat const e = 1.0f - x * a;
  NativeFloat const s = (m * y) * a;
  return s + (s * e) * 1.5f;
#else
  NativeFloat const y = inverse_sqrt_by_lane<float>(x);
  return (m * y) * (y * y);
#endif
}

inline NativeDouble over_cubed_root(double m, NativeDouble x) {
#if defined(APSIS_SIMD_AVX512)
  NativeDouble const seed = (NativeDouble)_mm512_maskz_rsqrt14_pd(0xFF, (__m512d)x);
  NativeDouble const y = seed * (1.5 - (0.5 * x) * (seed * seed));
  NativeDouble const a = y * y;
  NativeDouble const e = 1.0 - x * a;
  NativeDouble const s = (m * y) * a;
  return s + (s * e) * 1.5;
#else
  NativeDouble const y = inverse_sqrt(x);
  return (m * y) * (y * y);
#endif
}
#endif

}  // namespace apsis::simd
