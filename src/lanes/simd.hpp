// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/backend.hpp>

#include <Kokkos_Macros.hpp>

#include <utility>

/// Packs of lanes: a vector register on the host, one number in a GPU thread. Arithmetic uses the
/// vector extension of the compiler; operations that it lacks are in over_cubed_root.hpp.
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

/// Number of lanes of the widest vector register that this executable was compiled for.
template <class Real>
inline constexpr int native_lanes =
#if APSIS_ON_GPU
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

/// Number of lanes of the packs NativeFloat and NativeDouble. Without vector registers they have 4
/// or 2 lanes and the compiler splits them, so that the types still differ from float and double.
template <class Real>
inline constexpr int pack_lanes = native_lanes<Real> > 1 ? native_lanes<Real>
                                                         : 16 / static_cast<int>(sizeof(Real));

/// Number of vector registers of a host thread.
inline constexpr int registers =
#if defined(__AVX512F__) || defined(__ARM_NEON)
    32;
#else
    16;
#endif

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

// Packs are filled lane by lane. GCC 12 warns that the first assignment reads the other lanes.
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

namespace detail {
/// A pack of the size of `Lanes` at any address of numbers.
template <class Lanes, class Real>
struct Unaligned {
  typedef Real type __attribute__((vector_size(sizeof(Lanes)), aligned(alignof(Real)), may_alias));
};
}  // namespace detail

/// Loads a pack from consecutive numbers without alignment.
template <class Lanes, class Real>
KOKKOS_FORCEINLINE_FUNCTION Lanes loaded(Real const* numbers) {
  if constexpr (lane_count<Real, Lanes> == 1) {
    return *numbers;
  } else {
    return *reinterpret_cast<typename detail::Unaligned<Lanes, Real>::type const*>(numbers);
  }
}

/// Stores a pack in consecutive numbers without alignment.
template <class Lanes, class Real>
KOKKOS_FORCEINLINE_FUNCTION void store(Real* numbers, Lanes const& pack) {
  if constexpr (lane_count<Real, Lanes> == 1) {
    *numbers = pack;
  } else {
    *reinterpret_cast<typename detail::Unaligned<Lanes, Real>::type*>(numbers) = pack;
  }
}

/// Fills a pack with one number for each lane.
template <class Real, int lanes, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void fill(Lanes& pack, Real const (&numbers)[lanes]) {
  static_assert(lane_count<Real, Lanes> == lanes);
  pack = loaded<Lanes>(static_cast<Real const*>(numbers));
}

#if !APSIS_ON_GPU
namespace detail {
template <class Lanes, int... index>
inline Lanes rotated(Lanes const& pack, std::integer_sequence<int, index...>) {
  constexpr int lanes = sizeof...(index);
  return __builtin_shufflevector(pack, pack, (index + 1) % lanes...);
}
}  // namespace detail
#endif

/// Rotates the pack by one lane: lane k gets the value of lane k + 1, the last lane that of lane 0.
template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes rotated(Lanes const& pack) {
#if APSIS_ON_GPU
  return pack;  // packs have one lane
#else
  return detail::rotated(pack, std::make_integer_sequence<int, lane_count<Real, Lanes>>());
#endif
}

/// Prefetches a cache line on the host. No effect on a GPU, which hides latency by other threads.
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] void const* address) {
#if !APSIS_ON_GPU
  __builtin_prefetch(address);
#endif
}

/// Converts every lane to `Wide`, which may also be narrower.
template <class Wide, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION auto widened(Lanes const& pack) {
  if constexpr (lane_count<Real, Lanes> == 1) {
    return static_cast<Wide>(pack);
  } else {
    return __builtin_convertvector(pack, typename Pack<Wide, lane_count<Real, Lanes>>::type);
  }
}

#if !APSIS_ON_GPU
/// Packs of native width.
using NativeFloat = Pack<float, pack_lanes<float>>::type;
using NativeDouble = Pack<double, pack_lanes<double>>::type;
#endif

}  // namespace apsis::simd
