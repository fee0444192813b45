// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/forces/direct_traits.hpp>

#include <cstddef>
#include <string>

namespace apsis::forces {

/// The all-pairs loop: every team holds a block of targets in registers and sweeps over the sources
/// tile by tile, each tile staged in level-0 team scratch (Nyland, Harris & Prins 2007, GPU Gems 3,
/// chapter 31). Knows no physics: that is the `Law`'s, which provides
///   Real, Source               a staged source, trivially copyable
///   Target<Lanes>, Sum<Lanes>  what a target is and what is summed for it (with +=)
///   source(j)                  reads a source
///   set(target, lane, i)       puts body i into one lane of a target
///   add(sum, target, source, j)  one interaction per lane
///   store(i, chunk, sum, lane)   keeps the sum of one lane
/// For each target the sum runs over the sources in one order: sources of a tile first, then the
/// tiles. Neither the number of threads nor the league's order of execution changes a bit of it.
template <class Law, class Traits>
class TileLoop {
 public:
  using Real = typename Law::Real;
  using Source = typename Law::Source;
  using Lanes = typename simd::Pack<Real, Traits::lanes>::type;
  using Target = typename Law::template Target<Lanes>;
  using Sum = typename Law::template Sum<Lanes>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Traits::team_size>>;
  using Member = typename Policy::member_type;

  TileLoop(Law const& law, std::size_t bodies, std::size_t chunks)
      : law_(law), bodies_(bodies), blocks_((bodies + block_size - 1) / block_size) {
    std::size_t const tiles = (bodies + Traits::tile - 1) / Traits::tile;
    chunk_length_ = (tiles + chunks - 1) / chunks * Traits::tile;
  }

  /// Bodies that one team has as targets.
  static constexpr std::size_t block_size =
      std::size_t{Traits::team_size} * Traits::targets * Traits::lanes;
  static constexpr std::size_t scratch_bytes =
      sizeof(Source) * std::size_t{Traits::tile} + alignof(Source);

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    // Signed 64-bit throughout: counts of pairs do not fit in less.
    std::size_t const league_rank = static_cast<std::size_t>(team.league_rank());
    std::size_t const chunk = league_rank / blocks_;
    std::size_t const block = league_rank % blocks_;
    auto* const tile = static_cast<Source*>(team.team_scratch(0).get_shmem_aligned(
        sizeof(Source) * std::size_t{Traits::tile}, alignof(Source)));

    Target target[Traits::targets];
    Sum sum[Traits::targets]{};
    for (int t = 0; t < Traits::targets; ++t) {
      for (int lane = 0; lane < Traits::lanes; ++lane) {
        // Lanes beyond the last body repeat it; what they sum is not stored.
        std::size_t const i = body(block, t, team.team_rank(), lane);
        law_.set(target[t], lane, i < bodies_ ? i : bodies_ - 1);
      }
    }

    std::size_t const first = chunk * chunk_length_;
    std::size_t const last = first + chunk_length_ < bodies_ ? first + chunk_length_ : bodies_;
    for (std::size_t begin = first; begin < last; begin += Traits::tile) {
      int const count = last - begin < Traits::tile ? static_cast<int>(last - begin) : Traits::tile;
      for (int s = team.team_rank(); s < count; s += Traits::team_size) {
        tile[s] = law_.source(begin + static_cast<std::size_t>(s));
      }
      if constexpr (Traits::team_size > 1) team.team_barrier();
      // The full tile is a loop of known length, which the compiler unrolls without a remainder.
      Sum partial[Traits::targets]{};
      if (count == Traits::tile) {
        sweep(partial, target, tile, Traits::tile, begin);
      } else {
        sweep(partial, target, tile, count, begin);
      }
      // Rounding then grows with the tile and with the number of tiles, not with their product.
      for (int t = 0; t < Traits::targets; ++t) sum[t] += partial[t];
      if constexpr (Traits::team_size > 1) team.team_barrier();
    }

    for (int t = 0; t < Traits::targets; ++t) {
      for (int lane = 0; lane < Traits::lanes; ++lane) {
        std::size_t const i = body(block, t, team.team_rank(), lane);
        if (i < bodies_) law_.store(i, chunk, sum[t], lane);
      }
    }
  }

  /// Runs the loop on `space` under the kernel's own path as label.
  void launch(ExecutionSpace const& space, std::string const& label, std::size_t chunks) const {
    if (bodies_ == 0) return;
    std::size_t const league = blocks_ * chunks;
    APSIS_EXPECT(league <= 2147483647u, "a league holds at most 2^31 - 1 teams");
    Policy policy(space, static_cast<int>(league), Traits::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
    APSIS_EXPECT(scratch_bytes <= static_cast<std::size_t>(policy.scratch_size_max(0)),
                 "a tile must fit into team scratch (Kokkos returns a null pointer if not)");
    Kokkos::parallel_for(label, policy, *this);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t body(std::size_t block, int target, int rank,
                                                      int lane) {
    // Neighbouring threads hold neighbouring bodies, so that loads coalesce.
    std::size_t const row = block * Traits::targets + static_cast<std::size_t>(target);
    std::size_t const thread = row * Traits::team_size + static_cast<std::size_t>(rank);
    return thread * Traits::lanes + static_cast<std::size_t>(lane);
  }

  KOKKOS_FORCEINLINE_FUNCTION void sweep(Sum* partial, Target const* target, Source const* tile,
                                         int count, std::size_t begin) const {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll Traits::unroll
#endif
    for (int s = 0; s < count; ++s) {
      Source const source = tile[s];
      for (int t = 0; t < Traits::targets; ++t) {
        law_.add(partial[t], target[t], source, begin + static_cast<std::size_t>(s));
      }
    }
  }

  Law law_;
  std::size_t bodies_;
  std::size_t blocks_;
  std::size_t chunk_length_;
};

}  // namespace apsis::forces
