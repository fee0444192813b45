// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/lane_mask.hpp>
#include <apsis/core/simd.hpp>
#include <apsis/core/transpose.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace apsis {

/// `lanes` lanes that go the same way, all in the registers of one thread. WarpLanes has the same
/// members, so that one kernel serves both (see lane_group.hpp).
template <int lanes>
class RegisterLanes {
 public:
  static constexpr int width = lanes;
  static constexpr int packed = lanes;  ///< that a thread has: of a pack

  /// An integer for each lane.
  struct alignas(64) Numbers {
    std::uint32_t of[lanes < 16 ? 16 : lanes];
  };

  /// The lane that is number k of this thread's.
  KOKKOS_FORCEINLINE_FUNCTION static int lane(int k) { return k; }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t own(Numbers const& numbers, int k) {
    return numbers.of[k];
  }
  /// That of any lane.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t at(Numbers const& numbers, int lane) {
    return numbers.of[lane];
  }
  /// make(lane).
  template <class Make>
  KOKKOS_FORCEINLINE_FUNCTION static Numbers numbers(Make const& make) {
    Numbers all;
    for (int k = 0; k < lanes; ++k) all.of[k] = make(k);
    return all;
  }
  /// The first `count` lanes get a number each, the others the first one.
  KOKKOS_FORCEINLINE_FUNCTION static Numbers load(std::uint32_t const* from, int count) {
    Numbers all;
    simd::load_first<lanes>(from, count, all.of);
    return all;
  }
  template <class Change>
  KOKKOS_FORCEINLINE_FUNCTION static Numbers changed(Numbers const& numbers_before,
                                                     Change const& change) {
    return numbers([&](int k) { return change(numbers_before.of[k]); });
  }

  /// Lanes whose number has `value` in those bits.
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask equal(Numbers const& numbers, std::uint32_t bits,
                                                    std::uint32_t value) {
    return simd::lanes_equal<lanes>(numbers.of, bits, value);
  }
  /// Lanes whose number is larger.
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask above(Numbers const& numbers, std::uint32_t value) {
    return simd::lanes_above<lanes>(numbers.of, value);
  }
  /// Lanes for whose number `holds` does.
  template <class Holds>
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask where(Numbers const& numbers, Holds const& holds) {
    LaneMask found = 0;
    for (int k = 0; k < lanes; ++k) found |= (holds(numbers.of[k]) ? LaneMask{1} : 0) << k;
    return found;
  }
  /// Lanes for which a comparison of `Real` holds.
  template <class Real, class Compared>
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask mask(Compared const& holds) {
    return simd::mask_of<Real, lanes>(holds);
  }
  /// The pack in those lanes, 0 in the others.
  template <class Real, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static Lanes only(LaneMask in, Lanes const& pack) {
    return simd::only<Real, lanes>(in, pack);
  }

  /// The numbers of some lanes, one behind the other; 16 may be written. Returns how many they are.
  KOKKOS_FORCEINLINE_FUNCTION static int pick(Numbers const& numbers, LaneMask which,
                                              std::uint32_t* to) {
    return apsis::pick(numbers.of, which, to);
  }
  /// act(k) for `count` lanes at most `width`, one each.
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION static void each(int count, Act const& act) {
    for (int k = 0; k < count; ++k) act(k);
  }
  /// use(load(k), k) by all lanes, for one k after the other. `room` for `width` of them.
  template <class T, class Load, class Use>
  KOKKOS_FORCEINLINE_FUNCTION static void share(T*, int count, Load const& load, Use const& use) {
    for (int k = 0; k < count; ++k) use(load(k), k);
  }
  /// use(load(tile, k), tile, k) by all lanes, for all k below count(tile) (no more than `width`)
  /// of one tile after the other, and end() behind each. What is loaded next is on its way
  /// meanwhile.
  template <class T, class Count, class Load, class Use, class End>
  KOKKOS_FORCEINLINE_FUNCTION static void share_tiles(T*, int tiles, Count const& count,
                                                      Load const& load, Use const& use,
                                                      End const& end) {
    for (int tile = 0; tile < tiles; ++tile) {
      int const all = count(tile);
      for (int k = 0; k < all; ++k) use(load(tile, k), tile, k);
      end();
    }
  }
  /// Sums over lanes: put(k, sum of terms[k]), once for each.
  template <class Real, int count, class Lanes, class Put>
  KOKKOS_FORCEINLINE_FUNCTION static void sums(Lanes const (&terms)[count], Put const& put) {
    simd::sum_lanes<Real, count>(terms, put);
  }

  /// act(i) for each i from `begin` to before `end`, by its threads in turn.
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION static void each_between(std::size_t begin, std::size_t end,
                                                       Act const& act) {
    for (std::size_t i = begin; i < end; ++i) act(i);
  }
  /// What its threads have, joined by join(a, b) = join(b, a): for all of them.
  template <class T, class Join>
  KOKKOS_FORCEINLINE_FUNCTION static T joined(T const& of_thread, Join const&) {
    return of_thread;
  }

  /// Whether this thread is the one that acts for all lanes.
  KOKKOS_FORCEINLINE_FUNCTION static bool leads() { return true; }
  /// What the thread that leads has.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T told(T const& value) {
    return value;
  }
  /// What one lane wrote can be read by the others.
  KOKKOS_FORCEINLINE_FUNCTION static void sync() {}
};

}  // namespace apsis
