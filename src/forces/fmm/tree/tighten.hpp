// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cell_tree.hpp"
#include "lanes/lane_group.hpp"
#include "lanes/simd.hpp"
#include "lanes/unrolled.hpp"
#include "sorted_bodies.hpp"
#include <apsis/core/backend.hpp>

#include <cstddef>
#include <cstdint>

/// Exchange of bodies between neighbouring leaves, which reduces their radii: the number of near
/// bodies of a leaf grows as the cube of its radius. Consecutive bodies on a space-filling curve do
/// not form a ball, because the curve winds, and a leaf may begin anywhere on it.
namespace apsis::forces::fmm {

/// Redistributes the bodies of pairs of leaves. The first pair begins at body `first`, and the
/// others follow. A plane cuts the bodies of a pair into two halves of equal number, the new
/// leaves. Two planes are tried: one perpendicular to the axis of the largest extent, and then one
/// perpendicular to the line between the centres of the best halves so far. A cut is accepted if it
/// reduces the sum of the two radii. Leaves stay unchanged if neither cut does so or all bodies
/// coincide.
template <class Stored, int lanes>
struct TightenPairs {
  using Group = LaneGroup<lanes>;
  static constexpr int packed = Group::packed;
  static constexpr int leaf = leaf_size<Stored>, pair_size = 2 * leaf, tiles = pair_size / lanes;
  using Lanes = typename simd::Pack<float, packed>::type;
  using Counts = typename simd::Pack<std::int32_t, packed>::type;
  struct Scratch {
    PackedBody<Stored> bodies[pair_size];
    std::uint32_t order[pair_size];
    float coordinates[3][pair_size];  ///< coordinates, scaled to between -1 and 1
    float projection[pair_size];      ///< projections on a line, between -6 and 6
    float sum[3];                     ///< sums of the coordinates of all bodies
    float first_half_sum[3];          ///< sums over the first half
  };
  BodyOrder order;
  PackedBodies<Stored> bodies;
  std::size_t first;  ///< body at which the first pair begins

  KOKKOS_FUNCTION void operator()(Group const& group, Scratch& scratch, std::size_t j) const {
    std::size_t const begin = first + j * pair_size;
    int widest = 0;
    if (!load(group, scratch, begin, widest)) return;
    Cut best = present_cut(group, scratch);
    bool improved = try_cut(group, scratch, scratch.coordinates[widest], best);
    float const line[3] = {best.centre[1][0] - best.centre[0][0],
                           best.centre[1][1] - best.centre[0][1],
                           best.centre[1][2] - best.centre[0][2]};
    group.each_between(0, pair_size, [&](std::size_t i) {
      scratch.projection[i] =
          line[0] * scratch.coordinates[0][i] +
          (line[1] * scratch.coordinates[1][i] + line[2] * scratch.coordinates[2][i]);
    });
    group.sync();
    improved |= try_cut(group, scratch, scratch.projection, best);
    if (!improved) return;
    int previous_in_first = 0;  // bodies of the first half in the previous tiles
    for (int tile = 0; tile < tiles; ++tile) {
      LaneMask const in_first = best.first[tile];
      for (int k = 0; k < packed; ++k) {
        int const lane = group.lane(k), i = tile * lanes + lane;
        int const earlier = previous_in_first + Kokkos::popcount(in_first & first_lanes(lane));
        bool const is_first = (in_first >> lane & 1) != 0;
        auto const target =
            begin + static_cast<std::size_t>(is_first ? earlier : leaf + i - earlier);
        bodies(target) = scratch.bodies[i];
        order(target) = scratch.order[i];
      }
      previous_in_first += Kokkos::popcount(in_first);
    }
  }

 private:
  /// Division of the bodies into halves.
  struct Cut {
    LaneMask first[tiles];  ///< members of the first half: a bit for each body of a tile
    float centre[2][3];     ///< of each half
    float radius_sum;       ///< sum of the radii of the halves
  };

  /// Loads the bodies of two leaves. Returns false if they coincide or their extent is not finite.
  /// `widest`: set to the axis of the largest extent.
  KOKKOS_FORCEINLINE_FUNCTION bool load(Group const& group, Scratch& scratch, std::size_t begin,
                                        int& widest) const {
    constexpr auto infinity = Kokkos::Experimental::infinity_v<Stored>;
    Stored low[3] = {infinity, infinity, infinity}, high[3] = {-infinity, -infinity, -infinity};
    group.each_between(0, pair_size, [&](std::size_t i) {
      auto const body = bodies(begin + i);
      scratch.bodies[i] = body;
      scratch.order[i] = order(begin + i);
      for (int axis = 0; axis < 3; ++axis) {
        if (body.position[axis] < low[axis]) low[axis] = body.position[axis];
        if (body.position[axis] > high[axis]) high[axis] = body.position[axis];
      }
    });
    double middle[3], extent = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      auto const min_x = static_cast<double>(
          group.joined(low[axis], [](Stored a, Stored b) { return b < a ? b : a; }));
      auto const max_x = static_cast<double>(
          group.joined(high[axis], [](Stored a, Stored b) { return b > a ? b : a; }));
      middle[axis] = 0.5 * min_x + 0.5 * max_x;
      if (max_x - min_x <= extent) continue;
      extent = max_x - min_x;
      widest = axis;
    }
    if (!(extent > 0.0 && extent < Kokkos::Experimental::infinity_v<double>)) return false;
    double const per_unit = 2.0 / extent;
    group.each_between(0, pair_size, [&](std::size_t i) {
      for (int axis = 0; axis < 3; ++axis) {
        auto const x = static_cast<float>(
            (static_cast<double>(scratch.bodies[i].position[axis]) - middle[axis]) * per_unit);
        // A coordinate that is NaN counts as the middle.
        scratch.coordinates[axis][i] = Kokkos::isfinite(x) ? x : 0.0F;
      }
    });
    group.sync();
    Lanes sum[3]{};
    for (int tile = 0; tile < tiles; ++tile) {
      for (int axis = 0; axis < 3; ++axis)
        sum[axis] += tile_of(group, scratch.coordinates[axis], tile);
    }
    group.template sums<float>(sum,
                               [&](int axis, float axis_sum) { scratch.sum[axis] = axis_sum; });
    group.sync();
    return true;
  }

  KOKKOS_FORCEINLINE_FUNCTION static Lanes tile_of(Group const& group, float const* values,
                                                   int tile) {
    if constexpr (packed == 1) {
      return values[tile * lanes + group.lane(0)];
    } else {
      return simd::loaded<Lanes>(values + tile * lanes);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static float largest(Group const& group, Lanes const& values) {
    float result = 0.0F;
    for (int k = 0; k < packed; ++k) {
      float const x = simd::lane<float>(values, k);
      if (x > result) result = x;
    }
    return group.joined(result, [](float a, float b) { return b > a ? b : a; });
  }

  /// The present division into leaves.
  KOKKOS_FORCEINLINE_FUNCTION static Cut present_cut(Group const& group, Scratch& scratch) {
    Cut cut;
    for (int tile = 0; tile < tiles; ++tile) {
      cut.first[tile] = tile < tiles / 2 ? first_lanes(lanes) : 0;
    }
    measure(group, scratch, cut);
    return cut;
  }

  /// Cuts by projections. If that is better than `best`, replaces `best` and returns true.
  KOKKOS_FORCEINLINE_FUNCTION static bool try_cut(Group const& group, Scratch& scratch,
                                                  float const* projection, Cut& best) {
    Cut cut;
    halve(group, projection, cut.first);
    measure(group, scratch, cut);
    if (!(cut.radius_sum < best.radius_sum)) return false;
    best = cut;
    return true;
  }

  /// Selects the half with the smaller projections; ties go to the lower index. Converts
  /// projections to integers and decides bit by bit, from the highest one: undecided bodies with a
  /// 0 precede those with a 1. Either all of the former join the first half, or the latter do not.
  KOKKOS_FORCEINLINE_FUNCTION static void halve(Group const& group, float const* projection,
                                                LaneMask (&first_half)[tiles]) {
    constexpr int bits = 23;
    Counts number[tiles];
    LaneMask undecided_lanes[tiles];
    for (int tile = 0; tile < tiles; ++tile) {
      number[tile] = simd::widened<std::int32_t, float>((tile_of(group, projection, tile) + 8.0F) *
                                                        static_cast<float>(1 << (bits - 4)));
      undecided_lanes[tile] = first_lanes(lanes);
      first_half[tile] = 0;
    }
    int missing = leaf;               // bodies that the first half still lacks
    int undecided_count = pair_size;  // bodies that are not decided yet
    for (int bit = bits - 1; bit >= 0 && missing > 0 && missing < undecided_count; --bit) {
      LaneMask zero_lanes[tiles];
      int count = 0;
      for (int tile = 0; tile < tiles; ++tile) {
        zero_lanes[tile] =
            undecided_lanes[tile] & group.template mask<float>((number[tile] >> bit & 1) == 0);
        count += Kokkos::popcount(zero_lanes[tile]);
      }
      bool const all_fit = count <= missing;
      for (int tile = 0; tile < tiles; ++tile) {
        first_half[tile] |= all_fit ? zero_lanes[tile] : 0;
        undecided_lanes[tile] =
            all_fit ? undecided_lanes[tile] & ~zero_lanes[tile] : zero_lanes[tile];
      }
      undecided_count = all_fit ? undecided_count - count : count;
      missing -= all_fit ? count : 0;
    }
    for (int tile = 0; tile < tiles; ++tile) {
      int const count = Kokkos::popcount(undecided_lanes[tile]);
      first_half[tile] |=
          missing < count ? first_of(undecided_lanes[tile], missing) : undecided_lanes[tile];
      missing -= missing < count ? missing : count;
    }
  }

  /// Computes the centres and the sum of the radii. Swaps the halves if necessary, so that the
  /// first one has at least half of the bodies of the first leaf: that leaf borders on the leaf
  /// before it.
  KOKKOS_FORCEINLINE_FUNCTION static void measure(Group const& group, Scratch& scratch, Cut& cut) {
    Lanes sums[3]{};
    int unmoved_count = 0;  // bodies of the first leaf in the first half
    for (int tile = 0; tile < tiles; ++tile) {
      for (int axis = 0; axis < 3; ++axis) {
        sums[axis] += group.template only<float>(cut.first[tile],
                                                 tile_of(group, scratch.coordinates[axis], tile));
      }
      if (tile < tiles / 2) unmoved_count += Kokkos::popcount(cut.first[tile]);
    }
    group.sync();
    group.template sums<float>(
        sums, [&](int axis, float axis_sum) { scratch.first_half_sum[axis] = axis_sum; });
    group.sync();
    bool const is_swapped = 2 * unmoved_count < leaf;
    for (int axis = 0; axis < 3; ++axis) {
      float const sum = scratch.first_half_sum[axis];
      cut.centre[is_swapped ? 1 : 0][axis] = sum * (1.0F / leaf);
      cut.centre[is_swapped ? 0 : 1][axis] = (scratch.sum[axis] - sum) * (1.0F / leaf);
    }
    Lanes max_square[2]{};
    for (int tile = 0; tile < tiles; ++tile) {
      if (is_swapped) cut.first[tile] ^= first_lanes(lanes);
      Lanes square[2]{};
      for (int axis = 0; axis < 3; ++axis) {
        auto const x = tile_of(group, scratch.coordinates[axis], tile);
        for (int half = 0; half < 2; ++half) {
          auto const d = x - cut.centre[half][axis];
          square[half] += d * d;
        }
      }
      square[0] = group.template only<float>(cut.first[tile], square[0]);
      square[1] = group.template only<float>(~cut.first[tile], square[1]);
      for (int half = 0; half < 2; ++half) {
        max_square[half] = square[half] > max_square[half] ? square[half] : max_square[half];
      }
    }
    cut.radius_sum =
        Kokkos::sqrt(largest(group, max_square[0])) + Kokkos::sqrt(largest(group, max_square[1]));
  }
};

/// Number of rounds of exchanges. After three there is little left to gain: in a model of a Plummer
/// sphere with a simple criterion, 79 % of the near pairs remained after one round, 65 % after
/// three and after five. On a GPU pairs are cheaper, and a third round costs more than it saves
/// (H100, 4 000 000 and 16 000 000 bodies in single).
inline constexpr int default_rounds = by_backend(3, 2);

/// Exchanges bodies between neighbouring leaves, and reorders `order` and `bodies`. Leaf 2k is
/// paired with leaf 2k + 1 in even rounds, and with leaf 2k - 1 in odd rounds. A round leaves a
/// leaf unchanged that has no partner, and a pair that is not full.
template <class Stored>
void tighten(ExecutionSpace const& space, BodyOrder const& order,
             PackedBodies<Stored> const& bodies, int rounds) {
  using Kernel = TightenPairs<Stored, sweep_lanes<float>>;
  for (int round = 0; round < rounds; ++round) {
    std::size_t const first = round % 2 == 0 ? 0 : Kernel::leaf;
    if (bodies.extent(0) < first + Kernel::pair_size) return;
    for_groups(space, "apsis::forces::fmm::order::tighten",
               (bodies.extent(0) - first) / std::size_t{Kernel::pair_size},
               Kernel{order, bodies, first});
  }
}

}  // namespace apsis::forces::fmm
