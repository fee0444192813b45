// SPDX-License-Identifier: Apache-2.0
#include "all_sources.hpp"

#include "sweep.hpp"

#include <utility>

namespace apsis::forces {

namespace {

/// One column of each process, one after the other.
template <class Own, class All>
void gather_column(Context const& context, Own const& own, All const& all) {
  using Stored = typename All::non_const_value_type;
  auto const host = Kokkos::create_mirror_view(own);
  Kokkos::deep_copy(context.space, host, own);
  context.space.fence("apsis::forces::all_sources: the host gives a column");
  auto const bytes =
      context.communicator->gather(std::as_bytes(std::span(host.data(), host.extent(0))));
  APSIS_EXPECT(bytes.size() == all.extent(0) * sizeof(Stored),
               "the processes have other bodies than all together");
  using OnHost =
      Kokkos::View<Stored const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(context.space, all,
                    OnHost(reinterpret_cast<Stored const*>(bytes.data()), all.extent(0)));
  context.space.fence("apsis::forces::all_sources: what was gathered is freed");
}

}  // namespace

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
