// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"
#include <apsis/core/transport.hpp>
#include <apsis/forces/all_sources.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace apsis::forces {

namespace detail {

/// The columns that are gathered: some vectors and the masses.
template <class Stored>
struct Table {
  Kokkos::Array<VectorColumns<Stored>, 3> vectors;
  int count = 0;  ///< vectors
  Column<Stored> mass;

  void add(VectorColumns<Stored> const& vector) {
    vectors[static_cast<std::size_t>(count++)] = vector;
  }
  KOKKOS_FUNCTION int columns() const { return 3 * count + 1; }
  KOKKOS_FUNCTION Stored& operator()(std::size_t i, int column) const {
    return column == 3 * count ? mass(i) : vectors[column / 3](i, column % 3);
  }
};

}  // namespace detail

namespace {

/// From number `begin` of the buffer.
template <class Stored>
void pack(ExecutionSpace const& space, detail::Table<Stored> const& from, std::size_t rows,
          std::size_t begin, Column<Stored> const& to) {
  Kokkos::parallel_for(
      "apsis::forces::all_sources::pack",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, rows),
      KOKKOS_LAMBDA(std::size_t i) {
        for (int k = 0; k < from.columns(); ++k) {
          to(begin + static_cast<std::size_t>(k) * rows + i) = from(i, k);
        }
      });
}

template <class Stored>
void unpack(ExecutionSpace const& space, Column<Stored> const& from, BodyList const& firsts,
            std::size_t total, detail::Table<Stored> const& to) {
  std::size_t const processes = firsts.extent(0) - 1;
  Kokkos::parallel_for(
      "apsis::forces::all_sources::unpack",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, total),
      KOKKOS_LAMBDA(std::size_t i) {
        // The last process whose first body is not behind this one.
        std::size_t owner = 0;
        for (std::size_t behind = processes; behind - owner > 1;) {
          std::size_t const middle = owner + (behind - owner) / 2;
          (firsts(middle) <= i ? owner : behind) = middle;
        }
        std::size_t const first = firsts(owner), rows = firsts(owner + 1) - first;
        auto const columns = static_cast<std::size_t>(to.columns());
        for (std::size_t k = 0; k < columns; ++k) {
          to(i, static_cast<int>(k)) = from(first * columns + k * rows + i - first);
        }
      });
}

}  // namespace

template <class Stored>
void AllSources<Stored>::agree(Context const& context, Request<Stored>& request) {
  constexpr std::uint64_t acceleration = 1, jerk = 2, snap = 4, potential = 8, some = 16;
  auto& wanted = request.wanted;
  auto& targets = request.targets;
  // Some bodies of those that are here, or other ones.
  targets.total = request.sources.total;
  bool const partly = request.sources.size() > 0 && !request.is_mutual();
  struct Said {
    std::uint64_t bodies, targets, flags;
  };
  Said const own{request.sources.size(), targets.size(),
                 (wanted.accelerates() ? acceleration : 0) | (wanted.has_jerk() ? jerk : 0) |
                     (wanted.has_snap() ? snap : 0) | (wanted.has_potential() ? potential : 0) |
                     (partly ? some : 0)};
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
  know(context.space, std::move(firsts));
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
void AllSources<Stored>::know(ExecutionSpace const& space, std::vector<std::size_t> firsts) {
  if (firsts == known_) return;
  firsts_ = BodyList(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "apsis::forces::all_sources::firsts"),
      firsts.size());
  Kokkos::deep_copy(
      space, firsts_,
      Kokkos::View<std::size_t const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          firsts.data(), firsts.size()));
  space.fence("apsis::forces::all_sources: what was copied is freed");
  known_ = std::move(firsts);
}

template <class Stored>
Sources<Stored> AllSources<Stored>::gather(Context const& context, Request<Stored> const& request) {
  auto const& space = context.space;
  auto all = request.sources;
  std::size_t const total = all.total, own = all.size();
  detail::Table<Stored> from, to;
  auto const take = [&](auto& column, auto& kept, char const* label) {
    reserve(space, kept, total, label);
    from.add(column);
    to.add(kept);
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
  from.mass = all.mass;
  to.mass = mass_;
  all.mass = mass_;
  all.first = 0;

  auto const columns = static_cast<std::size_t>(to.columns());
  reserve(space, gathered_, total * columns, "apsis::forces::all_sources::gathered");
  pack(space, from, own, known_[context.communicator->rank()] * columns, gathered_);
  std::vector<std::size_t> begins;
  for (auto const first : known_) begins.push_back(first * columns * sizeof(Stored));
  context.communicator->transport().gather(
      space, std::as_writable_bytes(std::span(gathered_.data(), total * columns)), begins);
  unpack(space, gathered_, firsts_, total, to);
  return all;
}

template class AllSources<float>;
template class AllSources<double>;

}  // namespace apsis::forces
