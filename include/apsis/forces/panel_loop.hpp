// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/lane_exchange.hpp>
#include <apsis/forces/shape.hpp>

#include <cstddef>
#include <string>

namespace apsis::forces {

/// Each pair of bodies once, without atomics: Newton's third law at two thirds of the arithmetic of
/// a sweep over all ordered pairs. The bodies are cut into panels and a team takes a pair of
/// panels. It holds targets of one in registers, stages the sources of the other in scratch, and
/// lets what each source receives travel once around the lanes of a warp, past the targets of every
/// lane; each warp of the team works on another part of the tile, so that nobody adds to the same
/// body at the same time. Per body there is one partial sum for each panel, and they are added up
/// in the order of the panels: the bits depend on nothing but the bodies.
///
/// The `Law` provides, beside what TileLoop asks for,
///   Heavy                          a target that also pulls
///   set_heavy(target, i), massless(source)  body i; a source that pulls nobody
///   add_both(sum, back, target, source)     one interaction and its reaction
///   pass_on(lane, sum)             the sum that this lane of the warp holds
///   store_more(row, total)         adds to what a row holds
template <class Law, class Shape>
class PanelLoop {
 public:
  using Real = typename Law::Real;
  using Source = typename Law::Source;
  using Target = typename Law::Heavy;
  using Sum = typename Law::template Sum<Real>;
  using Total = typename Law::template Total<1>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Shape::team_size>>;
  using Member = typename Policy::member_type;

  static_assert(Shape::lanes == 1 && Shape::team_size % lane_exchange::width == 0);
  static constexpr std::size_t block_size = std::size_t{Shape::team_size} * Shape::targets;

  /// Row panel * bodies + i of what the law stores is what body i gets from a panel.
  PanelLoop(Law const& law, std::size_t bodies, std::size_t panels)
      : law_(law), bodies_(bodies), panels_(panels) {
    std::size_t const blocks = (bodies + block_size - 1) / block_size;
    length_ = (blocks + panels - 1) / panels * block_size;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const shared = team.team_scratch(0);
    auto* const tile = static_cast<Source*>(
        shared.get_shmem_aligned(sizeof(Source) * Shape::team_size, alignof(Source)));
    auto* const back = static_cast<Total*>(
        shared.get_shmem_aligned(sizeof(Total) * Shape::team_size, alignof(Total)));
    std::size_t const rank = static_cast<std::size_t>(team.league_rank());
    std::size_t const pairs = panels_ * (panels_ - 1) / 2;
    if (rank >= pairs) {
      within(team, tile, rank - pairs);
      return;
    }
    // Pair number j (j - 1) / 2 + i is that of panels i < j. A root in double is off by one at
    // most.
    auto j =
        static_cast<std::size_t>((1.0 + Kokkos::sqrt(1.0 + 8.0 * static_cast<double>(rank))) / 2.0);
    while (j * (j - 1) / 2 > rank) --j;
    while (j * (j + 1) / 2 <= rank) ++j;
    between(team, tile, back, rank - j * (j - 1) / 2, j);
  }

  /// Runs the loop on `space` under the kernel's own path as label. Does not fence.
  void launch(ExecutionSpace const& space, std::string const& label) const {
    if (bodies_ == 0) return;
    std::size_t const league = panels_ * (panels_ + 1) / 2;
    APSIS_EXPECT(league <= 2147483647u, "a league holds at most 2^31 - 1 teams");
    constexpr std::size_t scratch_bytes =
        (sizeof(Source) + sizeof(Total)) * Shape::team_size + alignof(Source) + alignof(Total);
    Policy policy(space, static_cast<int>(league), Shape::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
    APSIS_EXPECT(scratch_bytes <= static_cast<std::size_t>(policy.scratch_size_max(0)),
                 "a tile must fit into team scratch (Kokkos returns a null pointer if not)");
    Kokkos::parallel_for(label, policy, *this);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::size_t end_of(std::size_t panel) const {
    std::size_t const end = (panel + 1) * length_;
    return end < bodies_ ? end : bodies_;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::size_t place(std::size_t begin, int target, int rank) const {
    return begin + static_cast<std::size_t>(target) * Shape::team_size +
           static_cast<std::size_t>(rank);
  }

  /// Targets beyond the last body repeat it without its mass; what they sum is not stored.
  KOKKOS_FORCEINLINE_FUNCTION void set_targets(Target* target, std::size_t begin, int rank) const {
    for (int t = 0; t < Shape::targets; ++t) {
      std::size_t const i = place(begin, t, rank);
      law_.set_heavy(target[t], i < bodies_ ? i : bodies_ - 1);
      if (i >= bodies_) target[t].m = Real(0);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(Total const* total, std::size_t panel, std::size_t begin,
                                         std::size_t end, int rank) const {
    for (int t = 0; t < Shape::targets; ++t) {
      std::size_t const i = place(begin, t, rank);
      if (i < end) law_.store(panel * bodies_ + i, total[t], 0);
    }
  }

  /// Targets of panel a, sources of panel b, and back.
  KOKKOS_FORCEINLINE_FUNCTION void between(Member const& team, Source* tile, Total* back,
                                           std::size_t a, std::size_t b) const {
    constexpr int width = lane_exchange::width;
    constexpr int warps = Shape::team_size / width;
    int const rank = team.team_rank();
    int const warp = rank / width, lane = rank % width;
    int const next = (lane + 1) % width;
    std::size_t const end = end_of(a), sources_end = end_of(b);
    for (std::size_t begin = a * length_; begin < end; begin += block_size) {
      Target target[Shape::targets];
      Total total[Shape::targets]{};
      set_targets(target, begin, rank);
      for (std::size_t first = b * length_; first < sources_end; first += Shape::team_size) {
        std::size_t const own = first + static_cast<std::size_t>(rank);
        tile[rank] = law_.source(own < bodies_ ? own : bodies_ - 1);
        if (own >= bodies_) tile[rank].m = Real(0);
        back[rank] = Total{};
        team.team_barrier();
        Sum sum[Shape::targets]{};
        for (int turn = 0; turn < warps; ++turn) {
          int const part = (warp + turn) % warps * width;
          Sum received{};
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll(Shape::unroll)
#endif
          for (int step = 0; step < width; ++step) {
            Source const source = tile[part + (lane + step) % width];
            for (int t = 0; t < Shape::targets; ++t) {
              law_.add_both(sum[t], received, target[t], source);
            }
            law_.pass_on(next, received);
          }
          back[part + lane].add(received);
          team.team_barrier();
        }
        for (int t = 0; t < Shape::targets; ++t) total[t].add(sum[t]);
        if (own < sources_end) {
          if (begin == a * length_) {
            law_.store(a * bodies_ + own, back[rank], 0);
          } else {
            law_.store_more(a * bodies_ + own, back[rank]);
          }
        }
      }
      store(total, b, begin, end, rank);
    }
  }

  /// The pairs of one panel, in both orders: they are few.
  KOKKOS_FORCEINLINE_FUNCTION void within(Member const& team, Source* tile,
                                          std::size_t panel) const {
    int const rank = team.team_rank();
    std::size_t const end = end_of(panel);
    for (std::size_t begin = panel * length_; begin < end; begin += block_size) {
      Target target[Shape::targets];
      Total total[Shape::targets]{};
      set_targets(target, begin, rank);
      for (std::size_t first = panel * length_; first < end; first += Shape::team_size) {
        std::size_t const own = first + static_cast<std::size_t>(rank);
        int const count =
            static_cast<int>(end - first < Shape::team_size ? end - first : Shape::team_size);
        if (own < end) tile[rank] = law_.source(own);
        team.team_barrier();
        Sum sum[Shape::targets]{};
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll 4
#endif
        for (int s = 0; s < count; ++s) {
          Source const source = tile[s];
          for (int t = 0; t < Shape::targets; ++t) {
            auto const offset = static_cast<std::ptrdiff_t>(first) + s -
                                static_cast<std::ptrdiff_t>(place(begin, t, rank));
            law_.add_but_self(sum[t], target[t].place, source, offset);
          }
        }
        for (int t = 0; t < Shape::targets; ++t) total[t].add(sum[t]);
        team.team_barrier();
      }
      store(total, panel, begin, end, rank);
    }
  }

  Law law_;
  std::size_t bodies_;
  std::size_t panels_;
  std::size_t length_;
};

}  // namespace apsis::forces
