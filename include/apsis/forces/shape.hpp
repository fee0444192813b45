// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace apsis::forces {

/// How sources reach the threads that sweep over them.
enum class Staging {
  global,   ///< each thread reads every source from memory (its caches broadcast)
  scratch,  ///< the team stages a tile of them in level-0 scratch
  lanes,    ///< each lane of a warp holds one and shows it to the others
};

/// The numbers of a shape, for tables.
struct ShapeNumbers {
  Staging staging;
  int team_size;  ///< threads of a team
  int lanes;      ///< targets in one register of a thread
  int targets;    ///< such registers per thread
  int tile;       ///< sources whose sum is kept apart from the total, and staged together
  int unroll;     ///< sources per turn of the innermost loop (device; the host's compiler chooses)
};

/// How the all-pairs loop is laid out; all of it is known to the compiler.
template <Staging s, int team, int lane_count, int target_count, int tile_length, int unroll_count>
struct Shape {
  static constexpr Staging staging = s;
  static constexpr int team_size = team;
  static constexpr int lanes = lane_count;
  static constexpr int targets = target_count;
  static constexpr int tile = tile_length;
  static constexpr int unroll = unroll_count;
  /// Bodies that one team has as targets.
  static constexpr std::size_t block_size = std::size_t{team} * target_count * lane_count;
  static constexpr ShapeNumbers numbers{s,           team,        lane_count, target_count,
                                        tile_length, unroll_count};
};

}  // namespace apsis::forces
