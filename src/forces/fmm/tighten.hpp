// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lots.hpp"
#include "packed_bodies.hpp"
#include <apsis/core/lane_group.hpp>
#include <apsis/core/simd.hpp>
#include <apsis/core/unrolled.hpp>

#include <cstddef>
#include <cstdint>

/// Leaves that follow each other exchange bodies, so that both are smaller. Bodies that follow each
/// other on a curve are no ball: it winds, and a leaf ends anywhere in it. How many are near a leaf
/// grows as the cube of its radius.
namespace apsis::forces::fmm {

/// Two leaves, whose bodies begin at `first` and then at every other leaf, divide them anew: by a
/// plane that has as many on each side, across the axis along which they reach farthest, or across
/// the line between the centres of what that makes of them, where their radii add up to less than
/// before. They stay as they are where nothing is better and where all are in one place.
template <class Stored, int lanes>
struct Tighten {
  using Group = LaneGroup<lanes>;
  static constexpr int packed = Group::packed;
  static constexpr int leaf = leaf_size<Stored>, both = 2 * leaf, tiles = both / lanes;
  using Lanes = typename simd::Pack<float, packed>::type;
  using Counts = typename simd::Pack<std::int32_t, packed>::type;
  struct Room {
    PackedBody<Stored> bodies[both];
    std::uint32_t order[both];
    float at[3][both];            ///< between -1 and 1
    float ahead[both];            ///< along some line, between -6 and 6
    float whole[3], of_first[3];  ///< sums over all bodies, and over those of the first half
  };
  BodyOrder order;
  PackedBodies<Stored> bodies;
  std::size_t first;

  KOKKOS_FUNCTION void operator()(Group const& group, Room& room, std::size_t j) const {
    std::size_t const begin = first + j * both;
    int widest = 0;
    if (!load(group, room, begin, widest)) return;
    Cut best = as_it_is(group, room);
    bool found = offer(group, room, room.at[widest], best);
    float const line[3] = {best.centre[1][0] - best.centre[0][0],
                           best.centre[1][1] - best.centre[0][1],
                           best.centre[1][2] - best.centre[0][2]};
    group.each_between(0, both, [&](std::size_t i) {
      room.ahead[i] = line[0] * room.at[0][i] + (line[1] * room.at[1][i] + line[2] * room.at[2][i]);
    });
    group.sync();
    found |= offer(group, room, room.ahead, best);
    if (!found) return;
    int before = 0;  // of the first half, in tiles before
    for (int tile = 0; tile < tiles; ++tile) {
      LaneMask const in_first = best.first[tile];
      for (int k = 0; k < packed; ++k) {
        int const lane = group.lane(k), i = tile * lanes + lane;
        int const earlier = before + Kokkos::popcount(in_first & first_lanes(lane));
        bool const is_first = (in_first >> lane & 1) != 0;
        auto const to = begin + static_cast<std::size_t>(is_first ? earlier : leaf + i - earlier);
        bodies(to) = room.bodies[i];
        order(to) = room.order[i];
      }
      before += Kokkos::popcount(in_first);
    }
  }

 private:
  /// Who is in the first half, and what that makes of both.
  struct Cut {
    LaneMask first[tiles];  ///< a bit for each body of a tile
    float centre[2][3];
    float size;  ///< the radii of both
  };

  /// Returns whether there is anything to exchange; the axis along which they reach farthest.
  KOKKOS_FORCEINLINE_FUNCTION bool load(Group const& group, Room& room, std::size_t begin,
                                        int& widest) const {
    constexpr auto infinity = Kokkos::Experimental::infinity_v<Stored>;
    Stored low[3] = {infinity, infinity, infinity}, high[3] = {-infinity, -infinity, -infinity};
    group.each_between(0, both, [&](std::size_t i) {
      auto const body = bodies(begin + i);
      room.bodies[i] = body;
      room.order[i] = order(begin + i);
      for (int axis = 0; axis < 3; ++axis) {
        if (body.at[axis] < low[axis]) low[axis] = body.at[axis];
        if (body.at[axis] > high[axis]) high[axis] = body.at[axis];
      }
    });
    double middle[3], extent = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      auto const from = static_cast<double>(
          group.joined(low[axis], [](Stored a, Stored b) { return b < a ? b : a; }));
      auto const to = static_cast<double>(
          group.joined(high[axis], [](Stored a, Stored b) { return b > a ? b : a; }));
      middle[axis] = 0.5 * from + 0.5 * to;
      if (to - from <= extent) continue;
      extent = to - from;
      widest = axis;
    }
    if (!(extent > 0.0 && extent < Kokkos::Experimental::infinity_v<double>)) return false;
    double const per_unit = 2.0 / extent;
    group.each_between(0, both, [&](std::size_t i) {
      for (int axis = 0; axis < 3; ++axis) {
        auto const x = static_cast<float>(
            (static_cast<double>(room.bodies[i].at[axis]) - middle[axis]) * per_unit);
        // What is no number is somewhere.
        room.at[axis][i] = Kokkos::isfinite(x) ? x : 0.0F;
      }
    });
    group.sync();
    Lanes whole[3]{};
    for (int tile = 0; tile < tiles; ++tile) {
      for (int axis = 0; axis < 3; ++axis) whole[axis] += tile_of(group, room.at[axis], tile);
    }
    group.template sums<float>(whole, [&](int axis, float sum) { room.whole[axis] = sum; });
    group.sync();
    return true;
  }

  KOKKOS_FORCEINLINE_FUNCTION static Lanes tile_of(Group const& group, float const* of, int tile) {
    if constexpr (packed == 1) {
      return of[tile * lanes + group.lane(0)];
    } else {
      return simd::loaded<Lanes>(of + tile * lanes);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static float largest(Group const& group, Lanes const& of) {
    float most = 0.0F;
    for (int k = 0; k < packed; ++k) {
      float const x = simd::lane<float>(of, k);
      if (x > most) most = x;
    }
    return group.joined(most, [](float a, float b) { return b > a ? b : a; });
  }

  KOKKOS_FORCEINLINE_FUNCTION static Cut as_it_is(Group const& group, Room& room) {
    Cut cut;
    for (int tile = 0; tile < tiles; ++tile) {
      cut.first[tile] = tile < tiles / 2 ? first_lanes(lanes) : 0;
    }
    measure(group, room, cut);
    return cut;
  }

  /// Cuts by `ahead`, and takes that if it is better.
  KOKKOS_FORCEINLINE_FUNCTION static bool offer(Group const& group, Room& room, float const* ahead,
                                                Cut& best) {
    Cut cut;
    halve(group, ahead, cut.first);
    measure(group, room, cut);
    if (!(cut.size < best.size)) return false;
    best = cut;
    return true;
  }

  /// The half that is less far ahead; of equal ones those of lower numbers. Bit by bit of `ahead`
  /// as a whole number: those without a bit are before those with it.
  KOKKOS_FORCEINLINE_FUNCTION static void halve(Group const& group, float const* ahead,
                                                LaneMask (&first_half)[tiles]) {
    constexpr int bits = 23;
    Counts number[tiles];
    LaneMask open[tiles];
    for (int tile = 0; tile < tiles; ++tile) {
      number[tile] = simd::widened<std::int32_t, float>((tile_of(group, ahead, tile) + 8.0F) *
                                                        static_cast<float>(1 << (bits - 4)));
      open[tile] = first_lanes(lanes);
      first_half[tile] = 0;
    }
    int wanted = leaf, left = both;  // of those that are open
    for (int bit = bits - 1; bit >= 0 && wanted > 0 && wanted < left; --bit) {
      LaneMask without[tiles];
      int count = 0;
      for (int tile = 0; tile < tiles; ++tile) {
        without[tile] = open[tile] & group.template mask<float>((number[tile] >> bit & 1) == 0);
        count += Kokkos::popcount(without[tile]);
      }
      bool const all_are_in = count <= wanted;
      for (int tile = 0; tile < tiles; ++tile) {
        first_half[tile] |= all_are_in ? without[tile] : 0;
        open[tile] = all_are_in ? open[tile] & ~without[tile] : without[tile];
      }
      left = all_are_in ? left - count : count;
      wanted -= all_are_in ? count : 0;
    }
    for (int tile = 0; tile < tiles; ++tile) {
      int const here = Kokkos::popcount(open[tile]);
      first_half[tile] |= wanted < here ? first_of(open[tile], wanted) : open[tile];
      wanted -= wanted < here ? wanted : here;
    }
  }

  /// Centres and sizes. The first half is that which has more of the first leaf, since this one's
  /// other neighbour is before it.
  KOKKOS_FORCEINLINE_FUNCTION static void measure(Group const& group, Room& room, Cut& cut) {
    Lanes sums[3]{};
    int stay = 0;
    for (int tile = 0; tile < tiles; ++tile) {
      for (int axis = 0; axis < 3; ++axis) {
        sums[axis] +=
            group.template only<float>(cut.first[tile], tile_of(group, room.at[axis], tile));
      }
      if (tile < tiles / 2) stay += Kokkos::popcount(cut.first[tile]);
    }
    group.sync();
    group.template sums<float>(sums, [&](int axis, float sum) { room.of_first[axis] = sum; });
    group.sync();
    bool const turned = 2 * stay < leaf;
    for (int axis = 0; axis < 3; ++axis) {
      float const sum = room.of_first[axis];
      cut.centre[turned ? 1 : 0][axis] = sum * (1.0F / leaf);
      cut.centre[turned ? 0 : 1][axis] = (room.whole[axis] - sum) * (1.0F / leaf);
    }
    Lanes farthest[2]{};
    for (int tile = 0; tile < tiles; ++tile) {
      if (turned) cut.first[tile] ^= first_lanes(lanes);
      Lanes square[2]{};
      for (int axis = 0; axis < 3; ++axis) {
        auto const x = tile_of(group, room.at[axis], tile);
        for (int half = 0; half < 2; ++half) {
          auto const d = x - cut.centre[half][axis];
          square[half] += d * d;
        }
      }
      square[0] = group.template only<float>(cut.first[tile], square[0]);
      square[1] = group.template only<float>(~cut.first[tile], square[1]);
      for (int half = 0; half < 2; ++half) {
        farthest[half] = square[half] > farthest[half] ? square[half] : farthest[half];
      }
    }
    cut.size =
        Kokkos::sqrt(largest(group, farthest[0])) + Kokkos::sqrt(largest(group, farthest[1]));
  }
};

/// Rounds of exchanges: after three there is little left to gain. (In a model of a Plummer sphere,
/// with a simple criterion, 79 % of near pairs were left after one, 65 % after three and after
/// five.) On a GPU pairs are faster: a third round saves less there than it takes (H100, 4 000 000
/// and 16 000 000 bodies in single).
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
inline constexpr int usual_rounds = 2;
#else
inline constexpr int usual_rounds = 3;
#endif

/// In turn each leaf and the next, and it and the one before. Bodies of the last leaf stay where it
/// has no other, or is not whole.
template <class Stored>
void tighten(ExecutionSpace const& space, BodyOrder const& order,
             PackedBodies<Stored> const& bodies, int rounds) {
  using Kernel = Tighten<Stored, lanes_of<float>>;
  for (int round = 0; round < rounds; ++round) {
    std::size_t const first = round % 2 == 0 ? 0 : Kernel::leaf;
    if (bodies.extent(0) < first + Kernel::both) return;
    for_groups(space, "apsis::forces::fmm::along::tighten",
               (bodies.extent(0) - first) / std::size_t{Kernel::both},
               Kernel{order, bodies, first});
  }
}

}  // namespace apsis::forces::fmm
