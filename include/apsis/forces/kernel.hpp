// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <string>
#include <vector>

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

/// An all-pairs kernel of the ladder; value of the deck key gravity.kernel.
struct KernelEntry {
  std::string name;
  std::string doc;
  std::string unavailable;  ///< reason why this executable lacks it; empty if available
  bool pairwise = false;    ///< evaluates each pair once

  bool available() const { return unavailable.empty(); }
};

/// All kernels, the default ("auto") first.
Registry<KernelEntry> const& kernels();

/// Kernel that is compiled for softenings of finite size (spline, wendland_c2).
inline constexpr char const* compact_kernel = "split";

/// Kernel that "auto" selects: the fastest measured for this number of bodies on this backend.
std::string default_kernel(Precision precision, std::size_t bodies);

/// Kernel for accelerations with derivatives, of all bodies.
std::string default_motion_kernel(Precision precision, std::size_t bodies);

/// Memory of the partial sums of a kernel for a number of bodies and of derivatives of the
/// acceleration [bytes].
double workspace_bytes(Precision precision, std::string const& kernel, std::size_t bodies,
                       int derivatives = 0);

}  // namespace apsis::forces
