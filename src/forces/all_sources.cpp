// SPDX-License-Identifier: Apache-2.0
#include "gather_column.hpp"
#include "sweep.hpp"
#include <apsis/forces/all_sources.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace apsis::forces {

template <class Stored>
void AllSources<Stored>::agree(Context const& context, Request<Stored>& request) {
  constexpr std::uint64_t acceleration = 1, jerk = 2, snap = 4, potential = 8, some = 16;
  auto& wanted = request.wanted;
  auto& targets = request.targets;
  // Some bodies of those that are here, or other ones.
  targets.total = request.sources.total;
  bool const partly = request.sources.size() > 0 && !request.is_mutual();
  struct Said {
    std::uint64_t targets, flags;
  };
  Said const own{targets.size(),
                 (wanted.accelerates() ? acceleration : 0) | (wanted.has_jerk() ? jerk : 0) |
                     (wanted.has_snap() ? snap : 0) | (wanted.has_potential() ? potential : 0) |
                     (partly ? some : 0)};
  Said all{0, 0};
  for (auto const& each : gathered(context, std::vector{own})) {
    all.targets += each.targets;
    all.flags |= each.flags;
  }
  targets.total = all.targets;
  if ((all.flags & some) != 0 && request.sources.size() == 0) targets.first.reset();
  auto const room_for = [&](std::uint64_t flag, auto& column, auto& kept) {
    if ((all.flags & flag) == 0 || column.extent(0) != 0) return;
    APSIS_EXPECT(targets.size() == 0, "processes want different things");
    reserve(context.space, kept, 1, "apsis::forces::all_sources::spare");
    column = kept;
  };
  room_for(acceleration, wanted.acceleration, spare_.acceleration);
  room_for(jerk, wanted.jerk, spare_.jerk);
  room_for(snap, wanted.snap, spare_.snap);
  room_for(potential, wanted.potential, spare_.potential);
}

template <class Stored>
Sources<Stored> AllSources<Stored>::gather(Context const& context, Request<Stored> const& request) {
  auto all = request.sources;
  std::size_t const total = all.total, own = all.size();
  auto const rows = [](std::size_t count) { return std::pair<std::size_t, std::size_t>(0, count); };
  auto const take = [&](auto& column, auto& kept, char const* label) {
    reserve(context.space, kept, total, label);
    for (int axis = 0; axis < 3; ++axis) {
      gather_column(context, Kokkos::subview(column, rows(own), axis),
                    Kokkos::subview(kept, rows(total), axis));
    }
    column = kept;
  };
  take(all.position, position_, "apsis::forces::all_sources::position");
  bool const snaps = request.wanted.has_snap();
  if (snaps || request.wanted.has_jerk()) {
    take(all.velocity, velocity_, "apsis::forces::all_sources::velocity");
  }
  if (snaps) take(all.acceleration, acceleration_, "apsis::forces::all_sources::acceleration");
  // Its length is the number of sources.
  if (mass_.extent(0) != total) {
    mass_ = Column<Stored>();
    reserve(context.space, mass_, total, "apsis::forces::all_sources::mass");
  }
  gather_column(context, all.mass, mass_);
  all.mass = mass_;
  all.first = 0;
  return all;
}

template class AllSources<float>;
template class AllSources<double>;

}  // namespace apsis::forces
