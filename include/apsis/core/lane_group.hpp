// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#include <apsis/core/warp_lanes.hpp>
#else
#include <apsis/core/register_lanes.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

/// Work of lanes that go the same way: one thread with registers of them on a host, as many threads
/// on a GPU.
namespace apsis {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
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
  using Room = typename Kernel::Room;
  static constexpr int threads = 128;
  static constexpr int groups = threads / Group::width;
  /// Teams of a multiprocessor: for kernels that wait for memory more than they gain by registers.
  static constexpr int at_once = [] {
    if constexpr (requires { Kernel::teams_at_once; }) return Kernel::teams_at_once;
    return 1;
  }();
  Kernel kernel;
  std::size_t count;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const thread = member.team_rank();
    auto* const rooms = static_cast<Room*>(
        member.team_scratch(0).get_shmem_aligned(groups * sizeof(Room), alignof(Room)));
    std::size_t const j =
        static_cast<std::size_t>(member.league_rank()) * groups + thread / Group::width;
    if (j < count) kernel(Group(thread), rooms[thread / Group::width], j);
  }
};

template <class Kernel>
struct GroupOfThread {
  Kernel kernel;

  KOKKOS_FUNCTION void operator()(std::size_t j) const {
    typename Kernel::Room room;
    kernel(typename Kernel::Group(), room, j);
  }
};

}  // namespace detail

/// kernel(group, room, j) for each j below `count`, by a `Kernel::Group` that has a `Kernel::Room`
/// of fast memory (as it was left by somebody) for itself. They may take different times.
template <class Kernel>
void for_groups(ExecutionSpace const& space, std::string const& label, std::size_t count,
                Kernel const& kernel) {
  if (count == 0) return;
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  using Teams = detail::GroupsOfTeams<Kernel>;
  auto const teams = static_cast<int>((count + Teams::groups - 1) / Teams::groups);
  constexpr std::size_t room = Teams::groups * sizeof(typename Kernel::Room);
  Kokkos::parallel_for(
      label,
      Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Teams::threads, Teams::at_once> >(
          space, teams, Teams::threads)
          .set_scratch_size(0, Kokkos::PerTeam(room + alignof(typename Kernel::Room))),
      Teams{kernel, count});
#else
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>,
                                           Kokkos::Schedule<Kokkos::Dynamic> >(space, 0, count),
                       detail::GroupOfThread<Kernel>{kernel});
#endif
}

}  // namespace apsis
