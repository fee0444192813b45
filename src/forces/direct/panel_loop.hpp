// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/law.hpp"
#include "lanes/lane_exchange.hpp"
#include "lanes/simd.hpp"
#include "panel_pairs.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/forces/kernel.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

namespace apsis::forces {

/// Evaluates each pair of bodies once, without atomics, by Newton's third law: two thirds of the
/// arithmetic of a sweep over all ordered pairs. The bodies are cut into panels, and a team
/// evaluates one pair of panels. It holds targets of one panel in registers and stages sources of
/// the other in scratch as rings, one ring per warp (device) or vector register (host). In every
/// step each lane meets another source of the ring, and the reaction on that source moves on with
/// it. After one turn it is back in its own lane. Each warp of a team works on another ring, so
/// that no two warps add to the same body at the same time. Each body has one partial sum per
/// panel; they are added up in the order of sum_of_parts(): the bits depend on nothing but the
/// bodies.
///
///             panel b = 0     1     2     3      row p * bodies + i of the partial sums:
///   panel a  0   [0,0] [0,1] [0,2] [0,3]         force on body i by the bodies of panel p
///            1         [1,1] [1,2] [1,3]
///            2               [2,2] [2,3]         team [a,b]: targets in a, sources in b;
///            3                     [3,3]         writes rows (b, i in a) and (a, i in b)
///
///   ring of 4 lanes:   step 0      step 1      step 2      step 3
///   lane of target     0 1 2 3     0 1 2 3     0 1 2 3     0 1 2 3
///   source in lane     0 1 2 3     1 2 3 0     2 3 0 1     3 0 1 2
///
/// Ranks share the pairs of panels, see panel_exchange.hpp.
template <class Law, class Shape>
requires MutualLaw<Law, typename simd::Pack<typename Law::Real, Shape::lanes>::type>
class PanelLoop {
 public:
  using Real = typename Law::Real;
  using Source = typename Law::Source;
  using Lanes = typename simd::Pack<Real, Shape::lanes>::type;
  using Sources = typename Law::template Sources<Lanes>;
  using Target = typename Law::template MassiveTarget<Lanes>;
  using Sum = typename Law::template Sum<Lanes>;
  using Total = typename Law::template Total<Shape::lanes>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Shape::team_size>>;
  using Member = typename Policy::member_type;

  static constexpr bool threads_are_lanes = lane_exchange::width > 1;
  static constexpr unsigned ring = threads_are_lanes ? lane_exchange::width : Shape::lanes;
  static_assert(threads_are_lanes ? Shape::lanes == 1 && Shape::tile == Shape::team_size
                                  : Shape::team_size == 1 && Shape::lanes > 1);
  static_assert(Shape::tile % ring == 0);
  static constexpr std::size_t block_size = Shape::block_size;

  /// Row panel * bodies + i of the stored values is the force on body i by the bodies of a panel.
  PanelLoop(Law const& law, std::size_t bodies, std::size_t panels)
      : law_(law), bodies_(bodies), panels_(panels) {
    std::size_t const blocks = (bodies + block_size - 1) / block_size;
    length_ = (blocks + panels - 1) / panels * block_size;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    // One piece of scratch, requested here and passed by value: otherwise nvcc no longer knows that
    // it is shared memory, and uses generic addresses.
    auto* const tile = static_cast<Ring*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{scratch_bytes}, std::size_t{scratch_alignment}));
    auto* const reactions = reinterpret_cast<Total*>(tile + rings);  // of each source, or each ring
    auto const pair =
        pair_from_index(first_ + static_cast<std::size_t>(team.league_rank()), panels_);
    if (pair.a == pair.b) {
      evaluate_panel(team, tile, pair.a);
    } else {
      evaluate_panel_pair(team, tile, reactions, pair.a, pair.b);
    }
  }

  std::size_t panels() const { return panels_; }
  /// Bodies of a panel; the last may have fewer.
  std::size_t length() const { return length_; }

  /// Number of pairs of panels, in the order of pair_from_index().
  std::size_t pairs() const { return panel_pairs(panels_); }

  /// Runs the loop on `space`, with the label of the kernel. Does not fence.
  void launch(ExecutionSpace const& space, std::string const& label) const {
    launch(space, label, 0, pairs());
  }
  /// Runs the loop for `league` pairs from index `first` on.
  void launch(ExecutionSpace const& space, std::string const& label, std::size_t first,
              std::size_t league) const {
    if (bodies_ == 0 || league == 0) return;
    auto part = *this;
    part.first_ = first;
    APSIS_EXPECT(league <= 2147483647u, "a league holds at most 2^31 - 1 teams");
    Policy policy(space, static_cast<int>(league), Shape::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes + scratch_alignment));
    APSIS_EXPECT(
        scratch_bytes + scratch_alignment <= static_cast<std::size_t>(policy.scratch_size_max(0)),
        "a tile must fit into team scratch (Kokkos returns a null pointer if not)");
    Kokkos::parallel_for(label, policy, part);
  }

 private:
  static constexpr unsigned rings = Shape::tile / ring;

  /// A ring of sources that circulate past the threads of a warp.
  struct WarpRing {
    Source sources[ring];

    KOKKOS_FORCEINLINE_FUNCTION void set(unsigned slot, Source const& source) {
      sources[slot] = source;
    }
    KOKKOS_FORCEINLINE_FUNCTION Source get(unsigned slot) const { return sources[slot]; }
    /// Source in a lane after `step` steps.
    KOKKOS_FORCEINLINE_FUNCTION Source rotated(unsigned step, unsigned lane) const {
      return sources[(lane + step) % ring];
    }
  };

  /// A ring for the lanes of a vector register: columns, each stored twice in a row, so that the
  /// sources of all lanes after any step are an ordinary load.
  struct PackRing {
    static constexpr int columns = sizeof(Source) / sizeof(Real);
    alignas(Lanes) Real column[columns][2 * ring];

    void set(unsigned slot, Source const& source) {
      Real values[columns];
      std::memcpy(values, &source, sizeof(source));
      for (int c = 0; c < columns; ++c) column[c][slot] = column[c][slot + ring] = values[c];
    }
    Source get(unsigned slot) const {
      return Source::from_components([&](int c) { return column[c][slot]; });
    }
    Sources rotated(unsigned step, unsigned /*lane*/) const {
      return Sources::from_components([&](int c) { return simd::loaded<Lanes>(&column[c][step]); });
    }
  };
  using Ring = std::conditional_t<threads_are_lanes, WarpRing, PackRing>;

  static constexpr std::size_t scratch_bytes =
      sizeof(Ring) * rings + sizeof(Total) * Shape::tile / Shape::lanes;
  static constexpr std::size_t scratch_alignment = alignof(Ring) > alignof(Total) ? alignof(Ring)
                                                                                  : alignof(Total);
  static_assert(sizeof(Ring) * rings % alignof(Total) == 0);

  KOKKOS_FORCEINLINE_FUNCTION std::size_t panel_end(std::size_t panel) const {
    std::size_t const end = (panel + 1) * length_;
    return end < bodies_ ? end : bodies_;
  }

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t target_index(std::size_t begin, int target,
                                                              int rank, int lane) {
    return begin +
           (static_cast<std::size_t>(target) * Shape::team_size + static_cast<std::size_t>(rank)) *
               Shape::lanes +
           static_cast<std::size_t>(lane);
  }

  /// Lanes beyond the last body repeat it without its mass; their sums are not stored.
  KOKKOS_FORCEINLINE_FUNCTION void set_targets(Target* target, std::size_t begin, int rank) const {
    for (int t = 0; t < Shape::targets; ++t) {
      for (int lane = 0; lane < Shape::lanes; ++lane) {
        std::size_t const i = target_index(begin, t, rank, lane);
        law_.set_massive(target[t], lane, i < bodies_ ? i : bodies_ - 1, i < bodies_);
      }
    }
  }

  /// Sources beyond the end of their panel are likewise massless. Every thread stages its own.
  KOKKOS_FORCEINLINE_FUNCTION void stage(Ring* tile, std::size_t first, std::size_t end,
                                         int rank) const {
    for (int s = rank; s < Shape::tile; s += Shape::team_size) {
      std::size_t const j = first + static_cast<std::size_t>(s);
      auto const slot = static_cast<unsigned>(s);
      Source source = law_.source(j < end ? j : end - 1);
      if (j >= end) source.m = Real(0);
      tile[slot / ring].set(slot % ring, source);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store_rows(Total const& total, std::size_t panel,
                                              std::size_t begin, std::size_t end,
                                              bool first) const {
    for (int lane = 0; lane < Shape::lanes; ++lane) {
      std::size_t const i = begin + static_cast<std::size_t>(lane);
      if (i >= end) continue;
      if (first) {
        law_.store(panel * bodies_ + i, total, lane);
      } else {
        law_.template store<true>(panel * bodies_ + i, total, lane);
      }
    }
  }

  /// Evaluates the targets of panel a with the sources of panel b, and the reactions.
  KOKKOS_FORCEINLINE_FUNCTION void evaluate_panel_pair(Member const& team, Ring* tile,
                                                       Total* reactions, std::size_t a,
                                                       std::size_t b) const {
    if constexpr (threads_are_lanes) {
      evaluate_pair_by_blocks(team, tile, reactions, a, b);
    } else {
      evaluate_pair_by_tiles(team, tile, reactions, a, b);
    }
  }

  /// Device: blocks of thousands of targets stay in the registers of the team.
  KOKKOS_FORCEINLINE_FUNCTION void evaluate_pair_by_blocks(Member const& team, Ring* tile,
                                                           Total* reactions, std::size_t a,
                                                           std::size_t b) const {
    int const rank = team.team_rank();
    std::size_t const end = panel_end(a), sources_end = panel_end(b);
    for (std::size_t begin = a * length_; begin < end; begin += block_size) {
      Target target[Shape::targets];
      Total total[Shape::targets]{};
      set_targets(target, begin, rank);
      for (std::size_t first = b * length_; first < sources_end; first += Shape::tile) {
        // Each thread stages, clears and stores the data of one source.
        stage(tile, first, sources_end, rank);
        reactions[rank] = Total{};
        team.team_barrier();
        interact(team, tile, reactions, rings, target, total);
        store_rows(reactions[rank], a, first + static_cast<std::size_t>(rank), sources_end,
                   begin == a * length_);
      }
      for (int t = 0; t < Shape::targets; ++t) {
        store_rows(total[t], b, target_index(begin, t, rank, 0), end, true);
      }
    }
  }

  /// Host: blocks of few targets are evaluated in turn for each tile of sources.
  KOKKOS_FORCEINLINE_FUNCTION void evaluate_pair_by_tiles(Member const& team, Ring* tile,
                                                          Total* reactions, std::size_t a,
                                                          std::size_t b) const {
    std::size_t const end = panel_end(a), sources_end = panel_end(b);
    for (std::size_t first = b * length_; first < sources_end; first += Shape::tile) {
      std::size_t const left = sources_end - first;
      unsigned const used_rings =
          left < Shape::tile ? (static_cast<unsigned>(left) + ring - 1) / ring : rings;
      stage(tile, first, sources_end, 0);
      for (unsigned r = 0; r < used_rings; ++r) reactions[r] = Total{};
      for (std::size_t begin = a * length_; begin < end; begin += block_size) {
        Target target[Shape::targets];
        Total total[Shape::targets]{};
        set_targets(target, begin, 0);
        interact(team, tile, reactions, used_rings, target, total);
        for (int t = 0; t < Shape::targets; ++t) {
          store_rows(total[t], b, target_index(begin, t, 0, 0), end, first == b * length_);
        }
      }
      for (unsigned r = 0; r < used_rings; ++r) {
        store_rows(reactions[r], a, first + static_cast<std::size_t>(r) * ring, sources_end, true);
      }
    }
  }

  /// Evaluates the sources of a tile with the targets of a block, and the reactions.
  KOKKOS_FORCEINLINE_FUNCTION void interact(Member const& team, Ring const* tile, Total* reactions,
                                            unsigned used_rings, Target const* target,
                                            Total* total) const {
    // Unsigned, so that divisions by a ring are shifts.
    auto const rank = static_cast<unsigned>(team.team_rank());
    unsigned const warp = rank / ring, lane = rank % ring;
    Sum sum[Shape::targets]{};
    for (unsigned turn = 0; turn < used_rings; ++turn) {
      unsigned const part = threads_are_lanes ? (warp + turn) % rings : turn;
      Sum const received = circulate(tile[part], sum, target, lane);
      reactions[threads_are_lanes ? part * ring + lane : part].add(received);
      if constexpr (Shape::team_size > 1) team.team_barrier();
    }
    for (int t = 0; t < Shape::targets; ++t) total[t].add(sum[t]);
  }

  /// Evaluates each source of a ring with the targets of each lane. Returns the reactions on the
  /// sources, each in the lane of its source.
  KOKKOS_FORCEINLINE_FUNCTION Sum circulate(Ring const& sources, Sum* sum, Target const* target,
                                            unsigned lane) const {
    Sum received{};
    APSIS_DEVICE_UNROLL_BY(Shape::unroll)
    for (unsigned step = 0; step < ring; ++step) {
      Sources const circulating = sources.rotated(step, lane);
      for (int t = 0; t < Shape::targets; ++t)
        law_.add_mutual(sum[t], received, target[t], circulating);
      Law::transform(received, [&](auto const& value) {
        if constexpr (threads_are_lanes) {
          return lane_exchange::shuffle(static_cast<int>((lane + 1) % ring), value);
        } else {
          return simd::rotated<Real>(value);
        }
      });
    }
    return received;
  }

  /// Evaluates the pairs within one panel in both orders: they are few.
  KOKKOS_FORCEINLINE_FUNCTION void evaluate_panel(Member const& team, Ring* tile,
                                                  std::size_t panel) const {
    int const rank = team.team_rank();
    std::size_t const end = panel_end(panel);
    for (std::size_t begin = panel * length_; begin < end; begin += block_size) {
      Target target[Shape::targets];
      Total total[Shape::targets]{};
      set_targets(target, begin, rank);
      for (std::size_t first = panel * length_; first < end; first += Shape::tile) {
        stage(tile, first, end, rank);
        if constexpr (Shape::team_size > 1) team.team_barrier();
        int const count = end - first < Shape::tile ? static_cast<int>(end - first) : Shape::tile;
        Sum sum[Shape::targets]{};
        APSIS_DEVICE_UNROLL_BY(4)
        for (int s = 0; s < count; ++s) {
          auto const slot = static_cast<unsigned>(s);
          Source const source = tile[slot / ring].get(slot % ring);
          for (int t = 0; t < Shape::targets; ++t) {
            auto const offset = static_cast<std::ptrdiff_t>(first) + s -
                                static_cast<std::ptrdiff_t>(target_index(begin, t, rank, 0));
            law_.add_excluding_self(sum[t], target[t].position, source, offset);
          }
        }
        for (int t = 0; t < Shape::targets; ++t) total[t].add(sum[t]);
        if constexpr (Shape::team_size > 1) team.team_barrier();
      }
      for (int t = 0; t < Shape::targets; ++t) {
        store_rows(total[t], panel, target_index(begin, t, rank, 0), end, true);
      }
    }
  }

  Law law_;
  std::size_t bodies_;
  std::size_t panels_;
  std::size_t length_;
  std::size_t first_ = 0;
};

}  // namespace apsis::forces
