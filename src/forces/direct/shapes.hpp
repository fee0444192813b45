// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes/simd.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <type_traits>

/// Shapes of the kernels of the ladder, per execution space and precision, and the selection by
/// `auto`. The figures beside them are from `apsis bench --sweep`. Accelerations with derivatives
/// need two or three times the registers and have shapes of their own: `motion` and `motion_of_few`
/// (up to few_targets) of the tile loop, `jerk_pairs` and `snap_pairs` of the panel loop.
namespace apsis::forces {

namespace detail {
/// Host: a team is one thread (Kokkos synchronises larger host teams even without shared data), its
/// targets are packs of lanes, and a tile of sources stays in L1.
template <class Number>
struct HostShapes {
  static constexpr int lanes = simd::native_lanes<typename Number::Real>;
  using naive = Shape<Staging::global, 1, 1, 1, 512, 1>;
  using scratch_tile = Shape<Staging::scratch, 1, 1, 1, 512, 1>;
  using target_tile = Shape<Staging::global, 1, lanes, Number::split ? 2 : 4, 512, 1>;
  using register_tile = Shape<Staging::scratch, 1, lanes, Number::split ? 2 : 4, 512, 1>;
  using shuffle_tile = void;
  using pairwise_tile = Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 4, 128, 1>;
  using split = Shape<Staging::scratch, 1, lanes, Number::split ? 2 : 4, 128, 1>;

  using motion = Shape<Staging::scratch, 1, lanes, Number::split ? 1 : 2, 128, 1>;
  using motion_of_few = Shape<Staging::scratch, 1, lanes, 1, 128, 1>;
  using jerk_pairs = Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 2, 128, 1>;
  using snap_pairs = Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 2, 64, 1>;
  static constexpr std::size_t few_targets = lanes;

  /// Enough teams for the cores of a large machine, a tile or more each.
  static constexpr std::size_t split_teams = 256;
  static constexpr std::size_t panels(std::size_t /*bodies*/) { return 32; }
  static constexpr std::size_t motion_panels = 32;
  /// Bounds by the work per pair of panels, and by the memory of the partial sums. Vectors of 512
  /// bits shorten the loops over targets more than the loop over pairs. On Zen 5 with two threads
  /// (g++ 12.2, 2026-11-26), 1e9 interactions/s of target_tile and pairwise_tile:
  ///   N = 4096   single 14.1 / 9.5    mixed 8.3 / 7.1    double 5.8 / 5.2
  ///   N = 8192          13.6 / 10.4         8.1 / 8.0           5.9 / 5.8
  ///   N = 16384         12.8 / 12.5         7.5 / 9.9           5.3 / 6.0
  /// On Sapphire Rapids pairwise_tile is 22 % faster at 8192, in single and double.
  static constexpr bool is_single = sizeof(typename Number::Stored) == 4;
  static constexpr bool has_wide_lanes = lanes * sizeof(typename Number::Real) == 64;
  static constexpr std::size_t pairwise_from = !has_wide_lanes ? 4096 : is_single ? 16384 : 8192;
  static constexpr std::size_t pairwise_below = std::size_t{1} << 22;
};

/// GPUs. A wavefront of 64 divides every team here.
///
/// Tried on an H100 80GB (nvcc 13.0, 2026-11-21), 1e12 interactions/s in single / mixed / double:
///   N = 270336  register_tile  512 x 4, tile 512  2.13 / 1.51 / 0.92    1024 x 2  2.09 / - / 0.95
///                              256 x 4, tile 256  1.99 / - / 0.89       256 x 2   1.99 / 1.42 / -
///               pairwise_tile  128 x 8  2.89 / 2.12 / 1.30    128 x 6  2.79 / 2.17 / 1.32
///                              64 x 8   2.83 / 2.05 / 1.27    128 x 4  2.75 / 2.11 / 1.29
///                              32 x 8   2.78 / - / -          256 x 8  2.89 / 2.11 / -
///   N = 16384   pairwise_tile  64 x 8   2.42 / 1.87 / 1.14    128 x 4  2.28 / 1.85 / 1.18
///   N = 4096    split          64 x 1   0.98 / 0.72 / 0.57    256 x 4  0.91 / 0.77 / 0.56
/// On an H200 (nvcc 13.0, 2026-11-23), in single, at N = 65536 / 262144 / 1048576:
///               pairwise_tile  64 x 6   2.77 / 2.88 / 2.92    64 x 8  2.73 / 2.86 / 2.89
///                              128 x 6  2.75 / 2.92 / -       64 x 4  2.63 / 2.75 / 2.79
/// Larger teams win while they fill the machine; more unrolling and longer tiles bring 1 % at most.
/// With eight targets in double, or in a team of 256, the potential costs 35 to 45 % on top instead
/// of 15.
template <class Number>
struct DeviceShapes {
  static constexpr bool wide = sizeof(typename Number::Real) == 8;
  static constexpr int targets = wide ? 2 : 4;
  static constexpr int unroll = wide ? 8 : 16;
  using naive = Shape<Staging::global, 256, 1, 1, 256, 8>;
  using scratch_tile = Shape<Staging::scratch, 256, 1, 1, 256, unroll>;
  using target_tile = Shape<Staging::global, 256, 1, targets, 256, 8>;
  using register_tile = Shape<Staging::scratch, 512, 1, 4, 512, 8>;
  using shuffle_tile = Shape<Staging::lanes, 256, 1, targets, 256, 8>;
  using split = Shape<Staging::scratch, 64, 1, 1, 64, 16>;

  using pairwise_tile =
      std::conditional_t<wide || Number::split, Shape<Staging::lanes, 128, 1, 4, 128, 4>,
                         Shape<Staging::lanes, 64, 1, 6, 64, 4>>;

  using motion = Shape<Staging::scratch, 128, 1, wide ? 1 : 2, 128, 8>;
  using motion_of_few = Shape<Staging::scratch, 64, 1, 1, 64, 8>;
  using jerk_pairs = Shape<Staging::lanes, 128, 1, 4, 128, 2>;
  using snap_pairs = Shape<Staging::lanes, 128, 1, 2, 128, 4>;
  static constexpr std::size_t few_targets = 64;

  /// Several teams for every multiprocessor of a large GPU.
  static constexpr std::size_t split_teams = 2048;
  /// Number of panels. With more panels, teams that end at different times leave less of the GPU
  /// idle, but partial sums take more memory and time: 4 cbrt(N) is a compromise, as far as memory
  /// allows. On an H200, in single, 1e12 interactions/s, and the speed-up by a second H200
  /// (2026-11-22):
  ///   N = 1048576  128 / 187 / 256 / 410 / 512  2.78 / 2.82 / 2.86 / 2.89 / 2.89
  ///                                             1.93 / 1.93 / 1.96 / 1.97 / 1.98
  ///   N = 262144   128 / 171 / 256 / 512        2.79 / 2.84 / 2.85 / 2.85
  ///                                             1.90 / 1.92 / 1.92 / 1.92
  static constexpr std::size_t panels(std::size_t bodies) {
    constexpr std::size_t min_panels = 128,
                          max_rows = std::size_t{410} << 20;  // partial sums of a column
    std::size_t count = min_panels;
    while (count * count * count < 64 * bodies && (count + 1) * bodies <= max_rows) ++count;
    return count;
  }
  static constexpr std::size_t motion_panels = 128;
  /// From here on panels of two blocks fill the GPU; above the second bound the partial sums need
  /// too much memory.
  static constexpr std::size_t pairwise_from = 16384;
  static constexpr std::size_t pairwise_below = std::size_t{1} << 21;
};
}  // namespace detail

/// The shapes for kernels on `Space`.
template <class Space, class Number>
struct Shapes : std::conditional_t<on_gpu && std::is_same_v<Space, ExecutionSpace>,
                                   detail::DeviceShapes<Number>, detail::HostShapes<Number>> {};

/// Whether `auto` evaluates each pair once for this number of bodies.
template <class Space, class Number>
constexpr bool uses_pairwise(std::size_t bodies) {
  using S = Shapes<Space, Number>;
  return bodies >= S::pairwise_from && bodies < S::pairwise_below;
}

/// Number of parts into which `sources` sources are split for `targets` targets. Depends on these
/// counts alone and not on the device or its threads, since the parts set the order of the sums.
template <class SplitShape>
constexpr std::size_t split_part_count(std::size_t targets, std::size_t sources,
                                       std::size_t enough_teams) {
  constexpr std::size_t block = SplitShape::block_size;
  std::size_t const blocks = (targets + block - 1) / block;
  std::size_t const tiles = (sources + SplitShape::tile - 1) / SplitShape::tile;
  if (blocks == 0 || blocks >= enough_teams) return 1;
  std::size_t const requested = (enough_teams + blocks - 1) / blocks;
  return requested < tiles ? requested : tiles;
}

/// Number of panels for PanelLoop: about `requested`, if there are enough blocks. Depends on the
/// number of bodies alone, for the same reason.
template <class PairwiseShape>
constexpr std::size_t panel_count(std::size_t bodies, std::size_t requested) {
  constexpr std::size_t block = PairwiseShape::block_size;
  std::size_t const blocks = (bodies + block - 1) / block;
  std::size_t const blocks_per_panel =
      blocks < requested ? 1 : (blocks + requested / 2) / requested;
  return (blocks + blocks_per_panel - 1) / blocks_per_panel;
}

}  // namespace apsis::forces
