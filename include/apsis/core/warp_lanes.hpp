// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/lane_exchange.hpp>
#include <apsis/core/lane_mask.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace apsis {

/// `lanes` lanes that go the same way: neighbouring threads of a GPU that run in step. Members as
/// in RegisterLanes. All threads of the lanes must call what exchanges something; of the other
/// lanes in a warp some may be elsewhere.
template <int lanes>
class WarpLanes {
 public:
  static_assert(lanes <= 32 && (lanes & (lanes - 1)) == 0);
  static constexpr int width = lanes;
  static constexpr int packed = 1;

  using Numbers = std::uint32_t;

  /// `thread` counts the threads of a team, whose first begins a warp.
  KOKKOS_FORCEINLINE_FUNCTION explicit WarpLanes(int thread)
      : lane_(thread % lanes), first_(thread % lane_exchange::width - thread % lanes) {}

  KOKKOS_FORCEINLINE_FUNCTION int lane(int) const { return lane_; }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t own(Numbers number, int) { return number; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t at(Numbers number, int lane) const {
    return from(lane, number);
  }
  template <class Make>
  KOKKOS_FORCEINLINE_FUNCTION Numbers numbers(Make const& make) const {
    return make(lane_);
  }
  KOKKOS_FORCEINLINE_FUNCTION Numbers load(std::uint32_t const* from, int count) const {
    return from[lane_ < count ? lane_ : 0];
  }
  template <class Change>
  KOKKOS_FORCEINLINE_FUNCTION static Numbers changed(Numbers number, Change const& change) {
    return change(number);
  }

  KOKKOS_FORCEINLINE_FUNCTION LaneMask equal(Numbers number, std::uint32_t bits,
                                             std::uint32_t value) const {
    return vote((number & bits) == value);
  }
  KOKKOS_FORCEINLINE_FUNCTION LaneMask above(Numbers number, std::uint32_t value) const {
    return vote(number > value);
  }
  template <class Holds>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask where(Numbers number, Holds const& holds) const {
    return vote(holds(number));
  }
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask mask(bool holds) const {
    return vote(holds);
  }
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION Real only(LaneMask in, Real value) const {
    return (in >> lane_ & 1) != 0 ? value : Real(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION int pick(Numbers number, LaneMask which, std::uint32_t* to) const {
    if ((which >> lane_ & 1) != 0) to[Kokkos::popcount(which & first_lanes(lane_))] = number;
    return Kokkos::popcount(which);
  }
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION void each(int count, Act const& act) const {
    if (lane_ < count) act(lane_);
  }
  template <class T, class Load, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void share(T* room, int count, Load const& load,
                                         Use const& use) const {
    sync();
    if (lane_ < count) room[lane_] = load(lane_);
    sync();
    use_all(room, count, use);
  }
  template <class T, class Count, class Load, class Use, class End>
  KOKKOS_FORCEINLINE_FUNCTION void share_tiles(T* room, int tiles, Count const& count,
                                               Load const& load, Use const& use,
                                               End const& end) const {
    T mine{};
    auto const fetch = [&](int tile) {
      int const all = count(tile);
      if (lane_ < all) mine = load(tile, lane_);
      return all;
    };
    int next = tiles > 0 ? fetch(0) : 0;
    for (int tile = 0; tile < tiles; ++tile) {
      int const all = next;
      sync();
      room[lane_] = mine;
      sync();
      if (tile + 1 < tiles) next = fetch(tile + 1);
      use_all(room, all, [&](T const& one, int k) { use(one, tile, k); });
      end();
    }
  }
  /// As many terms at once as there are lanes: half of them to those with a bit set, and so on, so
  /// that each lane has the sum of one.
  template <class Real, int count, class Put>
  KOKKOS_FORCEINLINE_FUNCTION void sums(Real const (&terms)[count], Put const& put) const {
    constexpr int whole = count / lanes * lanes;
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll
#endif
    for (int begin = 0; begin < whole; begin += lanes) {
      Real part[lanes];
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll
#endif
      for (int k = 0; k < lanes; ++k) part[k] = terms[begin + k];
      halve<lanes / 2>(part);
      put(begin + lane_, part[0]);
    }
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll
#endif
    for (int k = whole; k < count; ++k) {
      Real sum = terms[k];
      for (int step = lanes / 2; step > 0; step /= 2) sum += from(lane_ ^ step, sum);
      if (lane_ == 0) put(k, sum);
    }
  }

  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION void each_between(std::size_t begin, std::size_t end,
                                                Act const& act) const {
    for (std::size_t i = begin + static_cast<std::size_t>(lane_); i < end; i += lanes) act(i);
  }
  template <class T, class Join>
  KOKKOS_FORCEINLINE_FUNCTION T joined(T of_thread, Join const& join) const {
    for (int step = lanes / 2; step > 0; step /= 2) {
      of_thread = join(of_thread, from(lane_ ^ step, of_thread));
    }
    return of_thread;
  }

  KOKKOS_FORCEINLINE_FUNCTION bool leads() const {
    return lane_ == 0;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T told(T const& value) const {
    return from(0, value);
  }
  KOKKOS_FORCEINLINE_FUNCTION void sync() const {
#if defined(__CUDA_ARCH__)
    __syncwarp(all());
#elif defined(__HIP_DEVICE_COMPILE__)
    // They run in step; memory must be told.
    __threadfence_block();
    __builtin_amdgcn_wave_barrier();
#endif
  }

 private:
  template <class T, class Use>
  KOKKOS_FORCEINLINE_FUNCTION static void use_all(T const* room, int count, Use const& use) {
    if (count == lanes) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll 8
#endif
      for (int k = 0; k < lanes; ++k) use(room[k], k);
    } else {
      for (int k = 0; k < count; ++k) use(room[k], k);
    }
  }
  /// For CUDA: warps of HIP may be wider than a mask.
  KOKKOS_FORCEINLINE_FUNCTION LaneMask all() const {
    return first_lanes(lanes) << (first_ & 31);
  }
  KOKKOS_FORCEINLINE_FUNCTION LaneMask vote(bool holds) const {
#if defined(__CUDA_ARCH__)
    return __ballot_sync(all(), holds) >> first_ & first_lanes(lanes);
#elif defined(__HIP_DEVICE_COMPILE__)
    return static_cast<LaneMask>(__ballot(holds) >> first_) & first_lanes(lanes);
#else
    return holds ? 1 : 0;
#endif
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T from(int lane, T const& value) const {
    return lane_exchange::from<lanes>(lane, value, all());
  }
  template <int step, class Real>
  KOKKOS_FORCEINLINE_FUNCTION void halve(Real (&part)[lanes]) const {
    if constexpr (step > 0) {
      bool const upper = (lane_ & step) != 0;
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll
#endif
      for (int k = 0; k < step; ++k) {
        Real const kept = upper ? part[k + step] : part[k];
        Real const given = upper ? part[k] : part[k + step];
        part[k] = kept + from(lane_ ^ step, given);
      }
      halve<step / 2>(part);
    }
  }

  int lane_;   ///< of this thread
  int first_;  ///< thread of the warp that is lane 0
};

}  // namespace apsis
