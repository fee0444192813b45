// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane_exchange.hpp"
#include "lane_mask.hpp"
#include <apsis/core/backend.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace apsis {

/// Group of `lanes` neighbouring threads of a GPU that execute in lockstep. Same interface as
/// RegisterLanes. All threads of the group must call the functions that exchange data; the other
/// threads of the warp may be diverged.
template <int lanes>
class WarpLanes {
 public:
  static_assert(lanes <= 32 && (lanes & (lanes - 1)) == 0);
  static constexpr int width = lanes;
  static constexpr int packed = 1;

  using Numbers = std::uint32_t;

  /// `thread` is the rank of this thread in its team; thread 0 of a team is the first of a warp.
  KOKKOS_FORCEINLINE_FUNCTION explicit WarpLanes(int thread)
      : lane_(thread % lanes), first_(thread % lane_exchange::width - thread % lanes) {}

  KOKKOS_FORCEINLINE_FUNCTION int lane(int) const { return lane_; }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t local_number(Numbers number, int) {
    return number;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t number_in_lane(Numbers number, int lane) const {
    return shuffle(lane, number);
  }
  template <class Make>
  KOKKOS_FORCEINLINE_FUNCTION Numbers numbers(Make const& make) const {
    return make(lane_);
  }
  KOKKOS_FORCEINLINE_FUNCTION Numbers load(std::uint32_t const* row, int count) const {
    return row[lane_ < count ? lane_ : 0];
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
  KOKKOS_FORCEINLINE_FUNCTION Real only(LaneMask mask, Real value) const {
    return (mask >> lane_ & 1) != 0 ? value : Real(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION int pick(Numbers number, LaneMask mask, std::uint32_t* picked) const {
    if ((mask >> lane_ & 1) != 0) picked[Kokkos::popcount(mask & first_lanes(lane_))] = number;
    return Kokkos::popcount(mask);
  }
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION void each(int count, Act const& act) const {
    if (lane_ < count) act(lane_);
  }
  template <class T, class Load, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void share(T* scratch, int count, Load const& load,
                                         Use const& use) const {
    sync();
    if (lane_ < count) scratch[lane_] = load(lane_);
    sync();
    use_values(scratch, count, use);
  }
  template <class T, class Count, class Load, class Use, class End>
  KOKKOS_FORCEINLINE_FUNCTION void share_tiles(T* scratch, int tiles, Count const& count,
                                               Load const& load, Use const& use,
                                               End const& end) const {
    T staged{};
    auto const fetch = [&](int tile) {
      int const values = count(tile);
      if (lane_ < values) staged = load(tile, lane_);
      return values;
    };
    int next = tiles > 0 ? fetch(0) : 0;
    for (int tile = 0; tile < tiles; ++tile) {
      int const values = next;
      sync();
      scratch[lane_] = staged;
      sync();
      if (tile + 1 < tiles) next = fetch(tile + 1);
      use_values(scratch, values, [&](T const& value, int k) { use(value, tile, k); });
      end();
    }
  }
  /// Sums `lanes` terms at a time by recursive halving: in each step a lane passes half of its
  /// terms to its partner, until each lane has the sum of one term.
  template <class Real, int count, class Put>
  KOKKOS_FORCEINLINE_FUNCTION void sums(Real const (&terms)[count], Put const& put) const {
    constexpr int whole = count / lanes * lanes;
    APSIS_DEVICE_UNROLL
    for (int begin = 0; begin < whole; begin += lanes) {
      Real part[lanes];
      APSIS_DEVICE_UNROLL
      for (int k = 0; k < lanes; ++k) part[k] = terms[begin + k];
      halve<lanes / 2>(part);
      put(begin + lane_, part[0]);
    }
    APSIS_DEVICE_UNROLL
    for (int k = whole; k < count; ++k) {
      Real sum = terms[k];
      for (int step = lanes / 2; step > 0; step /= 2) sum += shuffle(lane_ ^ step, sum);
      if (lane_ == 0) put(k, sum);
    }
  }

  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION void each_between(std::size_t begin, std::size_t end,
                                                Act const& act) const {
    for (std::size_t i = begin + static_cast<std::size_t>(lane_); i < end; i += lanes) act(i);
  }
  template <class T, class Join>
  KOKKOS_FORCEINLINE_FUNCTION T joined(T value, Join const& join) const {
    for (int step = lanes / 2; step > 0; step /= 2) {
      value = join(value, shuffle(lane_ ^ step, value));
    }
    return value;
  }

  KOKKOS_FORCEINLINE_FUNCTION bool leads() const { return lane_ == 0; }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T broadcast(T const& value) const {
    return shuffle(0, value);
  }
  KOKKOS_FORCEINLINE_FUNCTION void sync() const {
#if defined(__CUDA_ARCH__)
    __syncwarp(group_mask());
#elif defined(__HIP_DEVICE_COMPILE__)
    // The threads run in lockstep already; the fence orders their memory accesses.
    __threadfence_block();
    __builtin_amdgcn_wave_barrier();
#endif
  }

 private:
  template <class T, class Use>
  KOKKOS_FORCEINLINE_FUNCTION static void use_values(T const* values, int count, Use const& use) {
    if (count == lanes) {
      APSIS_DEVICE_UNROLL_BY(8)
      for (int k = 0; k < lanes; ++k) use(values[k], k);
    } else {
      for (int k = 0; k < count; ++k) use(values[k], k);
    }
  }
  /// Threads of this group within the warp. Only for CUDA: a HIP warp may be wider than a mask.
  KOKKOS_FORCEINLINE_FUNCTION LaneMask group_mask() const {
    return first_lanes(lanes) << (first_ & 31);
  }
  KOKKOS_FORCEINLINE_FUNCTION LaneMask vote(bool holds) const {
#if defined(__CUDA_ARCH__)
    return __ballot_sync(group_mask(), holds) >> first_ & first_lanes(lanes);
#elif defined(__HIP_DEVICE_COMPILE__)
    return static_cast<LaneMask>(__ballot(holds) >> first_) & first_lanes(lanes);
#else
    return holds ? 1 : 0;
#endif
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T shuffle(int lane, T const& value) const {
    return lane_exchange::shuffle<lanes>(lane, value, group_mask());
  }
  template <int step, class Real>
  KOKKOS_FORCEINLINE_FUNCTION void halve(Real (&part)[lanes]) const {
    if constexpr (step > 0) {
      bool const upper = (lane_ & step) != 0;
      APSIS_DEVICE_UNROLL
      for (int k = 0; k < step; ++k) {
        Real const retained = upper ? part[k + step] : part[k];
        Real const passed = upper ? part[k] : part[k + step];
        part[k] = retained + shuffle(lane_ ^ step, passed);
      }
      halve<step / 2>(part);
    }
  }

  int lane_;   ///< lane of this thread
  int first_;  ///< thread of the warp that has lane 0 of this group
};

}  // namespace apsis
