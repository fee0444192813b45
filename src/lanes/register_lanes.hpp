// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane_mask.hpp"
#include "simd.hpp"
#include "transpose.hpp"

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace apsis {

/// Group of `lanes` lanes in the vector registers of one thread. WarpLanes has the same interface,
/// so one kernel serves both (see lane_group.hpp).
template <int lanes>
class RegisterLanes {
 public:
  static constexpr int width = lanes;
  static constexpr int packed = lanes;  ///< lanes of a thread, which are those of its packs

  /// One integer for each lane.
  struct alignas(64) Numbers {
    std::uint32_t values[lanes < 16 ? 16 : lanes];
  };

  /// Index of the k-th lane of this thread.
  KOKKOS_FORCEINLINE_FUNCTION static int lane(int k) { return k; }
  /// The integer of the k-th lane of this thread.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t local_number(Numbers const& numbers, int k) {
    return numbers.values[k];
  }
  /// The integer of any lane of the group.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t number_in_lane(Numbers const& numbers,
                                                                  int lane) {
    return numbers.values[lane];
  }
  /// Numbers with make(lane) in each lane.
  template <class Make>
  KOKKOS_FORCEINLINE_FUNCTION static Numbers numbers(Make const& make) {
    Numbers result;
    for (int k = 0; k < lanes; ++k) result.values[k] = make(k);
    return result;
  }
  /// Loads one integer into each of the first `count` lanes, and row[0] into the other lanes.
  KOKKOS_FORCEINLINE_FUNCTION static Numbers load(std::uint32_t const* row, int count) {
    Numbers result;
    simd::load_first<lanes>(row, count, result.values);
    return result;
  }
  /// Applies `change` to the integer of each lane.
  template <class Change>
  KOKKOS_FORCEINLINE_FUNCTION static Numbers changed(Numbers const& numbers_before,
                                                     Change const& change) {
    return numbers([&](int k) { return change(numbers_before.values[k]); });
  }

  /// Mask of the lanes with (number & bits) == value.
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask equal(Numbers const& numbers, std::uint32_t bits,
                                                    std::uint32_t value) {
    return simd::lanes_equal<lanes>(numbers.values, bits, value);
  }
  /// Mask of the lanes with a number larger than `value`.
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask above(Numbers const& numbers, std::uint32_t value) {
    return simd::lanes_above<lanes>(numbers.values, value);
  }
  /// Mask of the lanes for which holds(number) is true.
  template <class Holds>
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask where(Numbers const& numbers, Holds const& holds) {
    LaneMask mask = 0;
    for (int k = 0; k < lanes; ++k) mask |= (holds(numbers.values[k]) ? LaneMask{1} : 0) << k;
    return mask;
  }
  /// Mask of the lanes for which `holds`, the result of a comparison of `Real`, is true.
  template <class Real, class Compared>
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask mask(Compared const& holds) {
    return simd::mask_of<Real, lanes>(holds);
  }
  /// The pack with the lanes outside `mask` set to 0.
  template <class Real, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static Lanes only(LaneMask mask, Lanes const& pack) {
    return simd::only<Real, lanes>(mask, pack);
  }

  /// Writes the numbers of the lanes in the mask to consecutive places of `picked`, which has space
  /// for 16. Returns how many were written.
  KOKKOS_FORCEINLINE_FUNCTION static int pick(Numbers const& numbers, LaneMask mask,
                                              std::uint32_t* picked) {
    return apsis::pick(numbers.values, mask, picked);
  }
  /// Calls act(k) for each k below `count`, which is at most `width`; one lane executes each call.
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION static void each(int count, Act const& act) {
    for (int k = 0; k < count; ++k) act(k);
  }
  /// Calls use(load(k), k) on all lanes for each k below `count`, which is at most `width`, in
  /// order. On a GPU each value is loaded once and shared through the first argument, scratch
  /// memory for `width` values.
  template <class T, class Load, class Use>
  KOKKOS_FORCEINLINE_FUNCTION static void share(T*, int count, Load const& load, Use const& use) {
    for (int k = 0; k < count; ++k) use(load(k), k);
  }
  /// For each tile in order: calls use(load(tile, k), tile, k) on all lanes for each k below
  /// count(tile), which is at most `width`, then end(). On a GPU the next tile is loaded while this
  /// one is used.
  template <class T, class Count, class Load, class Use, class End>
  KOKKOS_FORCEINLINE_FUNCTION static void share_tiles(T*, int tiles, Count const& count,
                                                      Load const& load, Use const& use,
                                                      End const& end) {
    for (int tile = 0; tile < tiles; ++tile) {
      int const values = count(tile);
      for (int k = 0; k < values; ++k) use(load(tile, k), tile, k);
      end();
    }
  }
  /// Sums over the lanes: calls put(k, sum of terms[k]) once for each k.
  template <class Real, int count, class Lanes, class Put>
  KOKKOS_FORCEINLINE_FUNCTION static void sums(Lanes const (&terms)[count], Put const& put) {
    simd::sum_lanes<Real, count>(terms, put);
  }

  /// Calls act(i) for each i in [begin, end), distributed cyclically over the threads of the group.
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION static void each_between(std::size_t begin, std::size_t end,
                                                       Act const& act) {
    for (std::size_t i = begin; i < end; ++i) act(i);
  }
  /// Reduction of the values of the group's threads by the commutative function join(a, b). Every
  /// thread gets the result.
  template <class T, class Join>
  KOKKOS_FORCEINLINE_FUNCTION static T joined(T const& value, Join const&) {
    return value;
  }

  /// Whether this thread is the leader of the group (lane 0).
  KOKKOS_FORCEINLINE_FUNCTION static bool leads() { return true; }
  /// The value of the leader thread, on all threads.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T broadcast(T const& value) {
    return value;
  }
  /// Barrier of the group: memory written by a lane before it is visible to all lanes after it.
  KOKKOS_FORCEINLINE_FUNCTION static void sync() {}
};

}  // namespace apsis
