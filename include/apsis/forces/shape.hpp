// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace apsis::forces {

/// Staging of sources for the threads of a team.
enum class Staging {
  global,   ///< each thread reads every source from memory (caches broadcast)
  scratch,  ///< the team stages a tile of sources in level-0 scratch
  lanes,    ///< each lane of a warp holds one source and passes it to the others
};

/// The parameters of a shape, for tables.
struct ShapeNumbers {
  Staging staging;
  int team_size;  ///< threads of a team
  int lanes;      ///< targets in one register of a thread
  int targets;    ///< such registers per thread
  int tile;       ///< sources that are staged together and summed separately from the total
  int unroll;  ///< sources per iteration of the unrolled innermost loop (device; the host compiler
               ///< chooses)
};

/// Layout of the all-pairs loop, known at compile time.
template <Staging s, int team, int lane_count, int target_count, int tile_length, int unroll_count>
struct Shape {
  static constexpr Staging staging = s;
  static constexpr int team_size = team;
  static constexpr int lanes = lane_count;
  static constexpr int targets = target_count;
  static constexpr int tile = tile_length;
  static constexpr int unroll = unroll_count;
  /// Targets per team.
  static constexpr std::size_t block_size = std::size_t{team} * target_count * lane_count;
  static constexpr ShapeNumbers numbers{s,           team,        lane_count, target_count,
                                        tile_length, unroll_count};
};

}  // namespace apsis::forces
