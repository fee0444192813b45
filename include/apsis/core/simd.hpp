// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <utility>

/// Lanes of equal work: a vector register on the host, one number in a GPU thread. The compiler's
/// own vector extension supplies the arithmetic; what it cannot express is in over_cubed_root.hpp.
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

/// Vector registers that a host's thread has.
inline constexpr int registers =
#if defined(__AVX512F__) || defined(__ARM_NEON)
    32;
#else
    16;
#endif

constexpr char const* instruction_set() {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  return "device";
#elif defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
  return "AVX2";
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

// Packs are filled lane by lane; GCC 12 takes the first for a use of the others.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void set_lane(Lanes& pack, int index, Real value) {
  if constexpr (lane_count<Real, Lanes> == 1) {
    pack = value;
  } else {
    pack[index] = value;
  }
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// Lanes from neighbouring numbers, wherever they begin. (Packs only.)
template <class Lanes, class Real>
inline Lanes loaded(Real const* from) {
  typedef Real Anywhere
      __attribute__((vector_size(sizeof(Lanes)), aligned(alignof(Real)), may_alias));
  return *reinterpret_cast<Anywhere const*>(from);
}

/// From as many numbers as there are lanes.
template <class Real, int lanes, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void fill(Lanes& pack, Real const (&from)[lanes]) {
  static_assert(lane_count<Real, Lanes> == lanes);
  if constexpr (lanes == 1) {
    pack = from[0];
  } else {
    pack = loaded<Lanes>(from);
  }
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
namespace detail {
template <class Lanes, int... index>
inline Lanes rotated(Lanes const& pack, std::integer_sequence<int, index...>) {
  constexpr int lanes = sizeof...(index);
  return __builtin_shufflevector(pack, pack, (index + 1) % lanes...);
}
}  // namespace detail
#endif

/// Each lane gets what its right neighbour holds, the last what the first does.
template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes rotated(Lanes const& pack) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  return pack;  // of one lane
#else
  return detail::rotated(pack, std::make_integer_sequence<int, lane_count<Real, Lanes>>());
#endif
}

/// Asks a host's memory for what is read soon. (A GPU has other threads to wait with.)
KOKKOS_FORCEINLINE_FUNCTION void ask_for([[maybe_unused]] void const* what) {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  __builtin_prefetch(what);
#endif
}

/// Every lane as a `Wide`.
template <class Wide, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION auto widened(Lanes const& pack) {
  if constexpr (lane_count<Real, Lanes> == 1) {
    return static_cast<Wide>(pack);
  } else {
    return __builtin_convertvector(pack, typename Pack<Wide, lane_count<Real, Lanes>>::type);
  }
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
/// Packs of native width; where there are no vector registers, packs that the compiler takes apart,
/// so that both stay types of their own.
using NativeFloat = Pack<float, (native_lanes<float> > 1 ? native_lanes<float> : 4)>::type;
using NativeDouble = Pack<double, (native_lanes<double> > 1 ? native_lanes<double> : 2)>::type;
#endif

}  // namespace apsis::simd
