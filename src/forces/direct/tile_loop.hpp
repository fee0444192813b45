// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/law.hpp"
#include "lanes/lane_exchange.hpp"
#include "lanes/simd.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/forces/body_rows.hpp>
#include <apsis/forces/kernel.hpp>

#include <cstddef>
#include <string>

namespace apsis::forces {

/// Sources cut into `count` parts of `length`, which are summed separately; the last may be
/// shorter.
struct SourceParts {
  std::size_t count;
  std::size_t length;

  /// Cuts `sources` sources into `count` parts of whole tiles.
  static constexpr SourceParts make(std::size_t sources, std::size_t count, std::size_t tile) {
    std::size_t const tiles = (sources + tile - 1) / tile;
    return {count, (tiles + count - 1) / count * tile};
  }
  /// The parts that cover the first `available` sources.
  constexpr SourceParts covering(std::size_t available) const {
    return {length == 0 || available == 0 ? 1 : (available + length - 1) / length, length};
  }
};

/// The all-pairs loop: every team holds a block of targets in registers and sweeps over the sources
/// tile by tile (Nyland, Harris & Prins 2007, GPU Gems 3, chapter 31); the `Shape` sets the numbers
/// of targets and the staging. The physics is in the `Law` (law.hpp). The sum of each target runs
/// over the sources in one order: the sources of a tile, then the tiles. Neither the number of
/// threads nor the execution order of the league changes a bit of it.
template <class Law, class Shape>
requires SweepLaw<Law, typename simd::Pack<typename Law::Real, Shape::lanes>::type>
class TileLoop {
 public:
  using Real = typename Law::Real;
  using Source = typename Law::Source;
  using Lanes = typename simd::Pack<Real, Shape::lanes>::type;
  using Target = typename Law::template Target<Lanes>;
  using Sum = typename Law::template Sum<Lanes>;
  using Total = typename Law::template Total<Shape::lanes>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Shape::team_size>>;
  using Member = typename Policy::member_type;

  /// Targets are a range of rows; sources are `sources` rows in parts. A total is stored in row
  /// part * targets.count + index among the targets.
  TileLoop(Law const& law, std::size_t sources, BodyRange targets, SourceParts parts)
      : law_(law),
        sources_(sources),
        targets_(targets),
        blocks_((targets.count + block_size - 1) / block_size),
        parts_(parts) {}

  static constexpr std::size_t block_size = Shape::block_size;
  static constexpr std::size_t scratch_bytes =
      Shape::staging == Staging::scratch
          ? sizeof(Source) * std::size_t{Shape::tile} + alignof(Source)
          : 0;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    // Bodies are counted in 64 bits, teams in 32: a GPU divides 64-bit integers slowly.
    auto const league_rank = static_cast<unsigned>(team.league_rank());
    std::size_t const part = league_rank / static_cast<unsigned>(blocks_);
    std::size_t const block = league_rank % static_cast<unsigned>(blocks_);

    Source* tile = nullptr;
    if constexpr (Shape::staging == Staging::scratch) {
      tile = static_cast<Source*>(team.team_scratch(0).get_shmem_aligned(
          sizeof(Source) * std::size_t{Shape::tile}, alignof(Source)));
    }
    Target target[Shape::targets];
    Total total[Shape::targets]{};
    for (int t = 0; t < Shape::targets; ++t) {
      for (int lane = 0; lane < Shape::lanes; ++lane) {
        law_.set(target[t], lane, target_row(target_index(block, t, team.team_rank(), lane)));
      }
    }

    std::size_t const first = part * parts_.length;
    std::size_t const last = first + parts_.length < sources_ ? first + parts_.length : sources_;
    for (std::size_t begin = first; begin < last; begin += Shape::tile) {
      int const count = last - begin < Shape::tile ? static_cast<int>(last - begin) : Shape::tile;
      Sum sum[Shape::targets]{};
      // Few tiles contain targets of this team: only these need the check for self-interaction.
      bool self = false;
      if constexpr (Law::excludes_self) {
        self = has_target(block, begin, begin + static_cast<std::size_t>(count));
        if (self) sweep<true>(team, tile, sum, target, block, begin, count);
      }
      if (!self) sweep<false>(team, tile, sum, target, block, begin, count);
      // The rounding error then grows with the tile and with the number of tiles, not their
      // product.
      for (int t = 0; t < Shape::targets; ++t) total[t].add(sum[t]);
    }

    for (int t = 0; t < Shape::targets; ++t) {
      for (int lane = 0; lane < Shape::lanes; ++lane) {
        std::size_t const i = target_index(block, t, team.team_rank(), lane);
        if (i < targets_.count) law_.store(part * targets_.count + i, total[t], lane);
      }
    }
  }

  /// Runs the loop on `space`, with the label of the kernel. Does not fence.
  void launch(ExecutionSpace const& space, std::string const& label) const {
    if (targets_.count == 0) return;
    if constexpr (Law::excludes_self) {
      APSIS_EXPECT(Shape::lanes == 1 || !law_.is_scattered(),
                   "the targets of a pack must be consecutive");
    }
    std::size_t const league = blocks_ * parts_.count;
    APSIS_EXPECT(league <= 2147483647u, "a league holds at most 2^31 - 1 teams");
    Policy policy(space, static_cast<int>(league), Shape::team_size);
    if constexpr (scratch_bytes > 0) {
      policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
      APSIS_EXPECT(scratch_bytes <= static_cast<std::size_t>(policy.scratch_size_max(0)),
                   "a tile must fit into team scratch (Kokkos returns a null pointer if not)");
    }
    Kokkos::parallel_for(label, policy, *this);
  }

 private:
  /// Index of a target. Neighbouring threads hold neighbouring targets, so that loads coalesce; the
  /// targets of a thread are a whole row of teams apart.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t target_index(std::size_t block, int target, int rank,
                                                       int lane) const {
    std::size_t const row = static_cast<std::size_t>(target) * blocks_ + block;
    std::size_t const thread = row * Shape::team_size + static_cast<std::size_t>(rank);
    return thread * Shape::lanes + static_cast<std::size_t>(lane);
  }

  /// Row of a target. Lanes beyond the last target repeat it; their sums are not stored.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t target_row(std::size_t index) const {
    return targets_.first + (index < targets_.count ? index : targets_.count - 1);
  }

  KOKKOS_FORCEINLINE_FUNCTION bool has_target(std::size_t block, std::size_t begin,
                                              std::size_t end) const {
    if (law_.is_scattered()) return true;  // any target may be in any tile
    bool result = false;
    for (int t = 0; t < Shape::targets; ++t) {
      std::ptrdiff_t const self = law_.self_source(targets_.first + target_index(block, t, 0, 0));
      result =
          result || (self < static_cast<std::ptrdiff_t>(end) &&
                     static_cast<std::ptrdiff_t>(begin) < self + Shape::team_size * Shape::lanes);
    }
    return result;
  }

  template <bool self>
  KOKKOS_FORCEINLINE_FUNCTION void sweep(Member const& team, [[maybe_unused]] Source* tile,
                                         Sum* sum, Target const* target, std::size_t block,
                                         std::size_t begin, int count) const {
    if constexpr (Shape::staging == Staging::global) {
      visit<self>(sum, target, block, team.team_rank(), begin, count,
                  [&](int s) { return law_.source(begin + static_cast<std::size_t>(s)); });
    } else if constexpr (Shape::staging == Staging::scratch) {
      for (int s = team.team_rank(); s < count; s += Shape::team_size) {
        tile[s] = law_.source(begin + static_cast<std::size_t>(s));
      }
      if constexpr (Shape::team_size > 1) team.team_barrier();
      visit<self>(sum, target, block, team.team_rank(), begin, count,
                  [tile](int s) { return tile[s]; });
      if constexpr (Shape::team_size > 1) team.team_barrier();
    } else {
      constexpr int width = lane_exchange::width;
      static_assert(Shape::team_size % width == 0 && Shape::tile % width == 0);
      int const lane_index = team.team_rank() % width;
      for (int s = 0; s < count; s += width) {
        int const staged = count - s < width ? count - s : width;
        std::size_t const first = begin + static_cast<std::size_t>(s);
        Source const source =
            law_.source(first + static_cast<std::size_t>(lane_index < staged ? lane_index : 0));
        visit<self, width>(sum, target, block, team.team_rank(), first, staged,
                           [&source](int lane) { return lane_exchange::shuffle(lane, source); });
      }
    }
  }

  /// Evaluates each source of a tile with each target. A full tile is a loop of known length, which
  /// the compiler unrolls without a remainder.
  template <bool self, int full = Shape::tile, class Read>
  KOKKOS_FORCEINLINE_FUNCTION void visit(Sum* sum, Target const* target, std::size_t block,
                                         int rank, std::size_t begin, int count,
                                         Read const& read) const {
    if (!self && count == full) {
      visit_all<self, true>(sum, target, block, rank, begin, full, read);
    } else {
      visit_all<self, false>(sum, target, block, rank, begin, count, read);
    }
  }

  template <bool self, bool is_full_tile, class Read>
  KOKKOS_FORCEINLINE_FUNCTION void visit_all(Sum* sum, Target const* target, std::size_t block,
                                             int rank, std::size_t begin, int count,
                                             Read const& read) const {
    // Lanes stay in step in an exchange: clang (HIP) then unrolls no loop of unknown length.
    constexpr bool unrolls = !on_hip || is_full_tile || Shape::staging != Staging::lanes;
    [[maybe_unused]] constexpr int unroll_count = !unrolls ? 1 : self ? 4 : Shape::unroll;
    APSIS_DEVICE_UNROLL_BY(unroll_count)
    for (int s = 0; s < count; ++s) {
      Source const source = read(s);
      for (int t = 0; t < Shape::targets; ++t) {
        if constexpr (self) {
          std::ptrdiff_t const i = law_.self_source(target_row(target_index(block, t, rank, 0)));
          auto const offset = static_cast<std::ptrdiff_t>(begin) + s;
          law_.add_excluding_self(sum[t], target[t], source, offset - i);
        } else {
          law_.add(sum[t], target[t], source);
        }
      }
    }
  }

  Law law_;
  std::size_t sources_;
  BodyRange targets_;
  std::size_t blocks_;
  SourceParts parts_;
};

}  // namespace apsis::forces
