// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"
#include <apsis/core/transport.hpp>
#include <apsis/forces/all_sources.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace apsis::forces {

namespace {

/// Adds a vector's columns, each of so many rows, or a column.
template <class Byte, class Stored>
void append(std::vector<std::span<Byte>>& columns, Stored* data, std::size_t rows) {
  columns.emplace_back(reinterpret_cast<Byte*>(data), rows * sizeof(Stored));
}
template <class Byte, class Stored>
void append(std::vector<std::span<Byte>>& columns, VectorColumns<Stored> const& vector,
            std::size_t rows) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    append(columns, vector.data() + axis * vector.stride(1), rows);
  }
}

}  // namespace

template <class Stored>
void AllSources<Stored>::agree(Context const& context, Request<Stored>& request) {
  constexpr std::uint64_t acceleration = 1, jerk = 2, snap = 4, potential = 8, some = 16,
                          elsewhere = 32;
  auto& wanted = request.wanted;
  auto& targets = request.targets;
  // Some bodies of those that are here, or other ones.
  targets.total = request.sources.total;
  bool const has_bodies = request.sources.size() > 0;
  bool const partly = has_bodies && !request.is_mutual();
  bool const away = has_bodies && !request.is_among_sources();
  struct Said {
    std::uint64_t bodies, targets, flags;
  };
  Said const own{request.sources.size(), targets.size(),
                 (wanted.accelerates() ? acceleration : 0) | (wanted.has_jerk() ? jerk : 0) |
                     (wanted.has_snap() ? snap : 0) | (wanted.has_potential() ? potential : 0) |
                     (partly ? some : 0) | (away ? elsewhere : 0)};
  Said all{0, 0, 0};
  std::vector<std::size_t> firsts{0};
  for (auto const& each : gathered(context, std::vector{own})) {
    all.bodies += each.bodies;
    firsts.push_back(all.bodies);
    all.targets += each.targets;
    all.flags |= each.flags;
  }
  APSIS_EXPECT(all.bodies == request.sources.total,
               "the processes have other bodies than all together");
  firsts_ = std::move(firsts);
  targets.total = all.targets;
  if (!has_bodies && (all.flags & some) != 0) {
    if ((all.flags & elsewhere) != 0) targets.first.reset();
    reserve(context.space, none_, 1, "apsis::forces::all_sources::none");
    targets.listed = none_;
  }
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
  auto const& space = context.space;
  auto all = request.sources;
  std::size_t const total = all.total, own = all.size();
  std::vector<std::span<std::byte const>> from;
  std::vector<std::span<std::byte>> to;
  auto const take = [&](auto& column, auto& kept, char const* label) {
    reserve(space, kept, total, label);
    append(from, column, own);
    append(to, kept, total);
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
    reserve(space, mass_, total, "apsis::forces::all_sources::mass");
  }
  append(from, all.mass.data(), own);
  append(to, mass_.data(), total);
  all.mass = mass_;
  all.first = 0;
  context.communicator->transport().gather(space, from, to, firsts_);
  return all;
}

template class AllSources<float>;
template class AllSources<double>;

}  // namespace apsis::forces
