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
    float at[3][both];                ///< between -1 and 1
    float ahead[both];                ///< along some line
    float of_first[4], of_second[3];  ///< sums over the bodies of each half
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
    for (int tile = 0; tile < tiles; ++tile) {
      for (int k = 0; k < packed; ++k) {
        int const i = tile * lanes + group.lane(k);
        auto const to =
            begin + static_cast<std::size_t>(simd::lane<std::int32_t>(best.place[tile], k));
        bodies(to) = room.bodies[i];
        order(to) = room.order[i];
      }
    }
  }

 private:
  /// Which half each body is in, and what that makes of them.
  struct Cut {
    Counts place[tiles];  ///< of each body: the first half are those of the first leaf
    float centre[2][3];
    float size;  ///< the radii of both
  };

  /// Returns whether there is anything to exchange; the axis along which they reach farthest.
  KOKKOS_FORCEINLINE_FUNCTION bool load(Group const& group, Room& room, std::size_t begin,
                                        int& widest) const {
    constexpr auto infinity = Kokkos::Experimental::infinity_v<double>;
    double low[3] = {infinity, infinity, infinity}, high[3] = {-infinity, -infinity, -infinity};
    group.each_between(0, both, [&](std::size_t i) {
      auto const body = bodies(begin + i);
      room.bodies[i] = body;
      room.order[i] = order(begin + i);
      for (int axis = 0; axis < 3; ++axis) {
        auto const x = static_cast<double>(body.at[axis]);
        if (x < low[axis]) low[axis] = x;
        if (x > high[axis]) high[axis] = x;
      }
    });
    double middle[3], extent = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      double const from = group.joined(low[axis], [](double a, double b) { return b < a ? b : a; });
      double const to = group.joined(high[axis], [](double a, double b) { return b > a ? b : a; });
      middle[axis] = 0.5 * from + 0.5 * to;
      if (to - from <= extent) continue;
      extent = to - from;
      widest = axis;
    }
    if (!(extent > 0.0 && extent < infinity)) return false;
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
    return true;
  }

  KOKKOS_FORCEINLINE_FUNCTION static Lanes tile_of(Group const& group, float const* of, int tile) {
    if constexpr (packed == 1) {
      return of[tile * lanes + group.lane(0)];
    } else {
      return simd::loaded<Lanes>(of + tile * lanes);
    }
  }
  /// One where it holds.
  template <class Holds>
  KOKKOS_FORCEINLINE_FUNCTION static Counts one_if(Holds const& holds) {
    if constexpr (packed == 1) {
      return holds ? 1 : 0;
    } else {
      return -holds;  // all bits of a lane
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

  KOKKOS_FORCEINLINE_FUNCTION Cut as_it_is(Group const& group, Room& room) const {
    Cut cut;
    for (int tile = 0; tile < tiles; ++tile) {
      for (int k = 0; k < packed; ++k) {
        simd::set_lane<std::int32_t>(cut.place[tile], k, tile * lanes + group.lane(k));
      }
    }
    measure(group, room, cut);
    return cut;
  }

  /// Cuts by `ahead`, and takes that if it is better.
  KOKKOS_FORCEINLINE_FUNCTION bool offer(Group const& group, Room& room, float const* ahead,
                                         Cut& best) const {
    Cut cut;
    rank(group, ahead, cut.place);
    measure(group, room, cut);
    if (!(cut.size < best.size)) return false;
    best = cut;
    return true;
  }

  /// How many bodies come before each; of equal ones those of lower numbers.
  KOKKOS_FORCEINLINE_FUNCTION static void rank(Group const& group, float const* ahead,
                                               Counts (&place)[tiles]) {
    Lanes own[tiles];
    Counts number{};
    for (int k = 0; k < packed; ++k) simd::set_lane<std::int32_t>(number, k, group.lane(k));
    for (int tile = 0; tile < tiles; ++tile) {
      own[tile] = tile_of(group, ahead, tile);
      place[tile] = Counts{};
    }
    unrolled<tiles>([&]<int of>() {
      for (int k = 0; k < lanes; ++k) {
        float const other = ahead[of * lanes + k];
        unrolled<tiles>([&]<int tile>() {
          if constexpr (tile > of) {
            place[tile] += one_if(other <= own[tile]);
          } else {
            place[tile] += one_if(other < own[tile]);
          }
          if constexpr (tile == of) place[tile] += one_if((other == own[tile]) & (k < number));
        });
      }
    });
  }

  /// Centres and sizes. The first half is that which has more of the first leaf, since this one's
  /// other neighbour is before it.
  KOKKOS_FORCEINLINE_FUNCTION static void measure(Group const& group, Room& room, Cut& cut) {
    Lanes sums[4]{}, all[3]{}, is_first[tiles];
    for (int tile = 0; tile < tiles; ++tile) {
      is_first[tile] = simd::widened<float, std::int32_t>(one_if(cut.place[tile] < leaf));
      for (int axis = 0; axis < 3; ++axis) {
        auto const x = tile_of(group, room.at[axis], tile);
        sums[axis] += is_first[tile] * x;
        all[axis] += x;
      }
      if (tile < tiles / 2) sums[3] += is_first[tile];
    }
    for (int axis = 0; axis < 3; ++axis) all[axis] -= sums[axis];
    group.sync();
    group.template sums<float>(sums, [&](int k, float sum) { room.of_first[k] = sum; });
    group.template sums<float>(all, [&](int k, float sum) { room.of_second[k] = sum; });
    group.sync();
    bool const turned = room.of_first[3] < 0.5F * leaf;
    for (int axis = 0; axis < 3; ++axis) {
      cut.centre[turned ? 1 : 0][axis] = room.of_first[axis] * (1.0F / leaf);
      cut.centre[turned ? 0 : 1][axis] = room.of_second[axis] * (1.0F / leaf);
    }
    Lanes farthest[2]{};
    for (int tile = 0; tile < tiles; ++tile) {
      if (turned) {
        cut.place[tile] = both - 1 - cut.place[tile];
        is_first[tile] = 1.0F - is_first[tile];
      }
      Lanes square[2]{};
      for (int axis = 0; axis < 3; ++axis) {
        auto const x = tile_of(group, room.at[axis], tile);
        for (int half = 0; half < 2; ++half) {
          auto const d = x - cut.centre[half][axis];
          square[half] += d * d;
        }
      }
      square[0] *= is_first[tile];
      square[1] *= 1.0F - is_first[tile];
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
/// five.) None on a GPU, as long as nobody has measured there what they cost and save.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
inline constexpr int usual_rounds = 0;
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
