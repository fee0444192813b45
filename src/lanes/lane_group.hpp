// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/backend.hpp>
#if APSIS_ON_GPU
#include "warp_lanes.hpp"
#else
#include "register_lanes.hpp"
#endif

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

/// Groups of lanes that execute the same instructions: one host thread with vector registers, or
/// neighbouring threads of a GPU.
namespace apsis {

#if APSIS_ON_GPU
template <int lanes>
using LaneGroup = WarpLanes<lanes>;
#else
template <int lanes>
using LaneGroup = RegisterLanes<lanes>;
#endif

namespace detail {

template <class Kernel>
struct GroupsOfTeams {
  using Group = typename Kernel::Group;
  using Scratch = typename Kernel::Scratch;
  static constexpr int threads = 128;
  static constexpr int groups = threads / Group::width;
  /// Minimum number of resident teams of a multiprocessor. A kernel sets `teams_at_once` if it
  /// gains more by hiding memory latency than by having more registers.
  static constexpr int resident_teams = [] {
    if constexpr (requires { Kernel::teams_at_once; }) return Kernel::teams_at_once;
    return 1;
  }();
  Kernel kernel;
  std::size_t count;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const thread = member.team_rank();
    auto* const scratch = static_cast<Scratch*>(
        member.team_scratch(0).get_shmem_aligned(groups * sizeof(Scratch), alignof(Scratch)));
    std::size_t const j =
        static_cast<std::size_t>(member.league_rank()) * groups + thread / Group::width;
    if (j < count) kernel(Group(thread), scratch[thread / Group::width], j);
  }
};

template <class Kernel>
struct GroupOfThread {
  Kernel kernel;

  KOKKOS_FUNCTION void operator()(std::size_t j) const {
    typename Kernel::Scratch scratch;
    kernel(typename Kernel::Group(), scratch, j);
  }
};

}  // namespace detail

/// Calls kernel(group, scratch, j) for each j in [0, count). Each call is executed by one
/// `Kernel::Group` with its own, uninitialised `Kernel::Scratch` in fast memory (shared memory on a
/// GPU, the stack on a host). Scheduling is dynamic, so the calls may differ in cost.
template <class Kernel>
void for_groups(ExecutionSpace const& space, std::string const& label, std::size_t count,
                Kernel const& kernel) {
  if (count == 0) return;
  if constexpr (on_gpu) {
    using Teams = detail::GroupsOfTeams<Kernel>;
    auto const teams = static_cast<int>((count + Teams::groups - 1) / Teams::groups);
    constexpr std::size_t scratch_bytes = Teams::groups * sizeof(typename Kernel::Scratch);
    Kokkos::parallel_for(
        label,
        Kokkos::TeamPolicy<ExecutionSpace,
                           Kokkos::LaunchBounds<Teams::threads, Teams::resident_teams> >(
            space, teams, Teams::threads)
            .set_scratch_size(0,
                              Kokkos::PerTeam(scratch_bytes + alignof(typename Kernel::Scratch))),
        Teams{kernel, count});
  } else {
    Kokkos::parallel_for(label,
                         Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>,
                                             Kokkos::Schedule<Kokkos::Dynamic> >(space, 0, count),
                         detail::GroupOfThread<Kernel>{kernel});
  }
}

}  // namespace apsis
