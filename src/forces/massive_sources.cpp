// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"
#include <apsis/forces/massive_sources.hpp>

#include <utility>
#include <vector>

namespace apsis::forces {

namespace {

constexpr int most_columns = 3;

/// Rows of some columns, in the order of a list.
template <class Stored>
void gather(ExecutionSpace const& space, BodyList const& order, std::size_t count,
            Kokkos::Array<VectorColumns<Stored>, most_columns> const& from,
            Kokkos::Array<VectorColumns<Stored>, most_columns> const& to, int columns) {
  Kokkos::parallel_for(
      "apsis::forces::massive_sources::gather",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, count),
      KOKKOS_LAMBDA(std::size_t row) {
        for (int k = 0; k < columns; ++k) {
          for (int axis = 0; axis < 3; ++axis) to[k](row, axis) = from[k](order(row), axis);
        }
      });
}

void scatter(ExecutionSpace const& space, BodyList const& order, Column<double> const& from,
             Column<double> const& to) {
  Kokkos::parallel_for(
      "apsis::forces::massive_sources::scatter",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0,
                                                                          order.extent(0)),
      KOKKOS_LAMBDA(std::size_t row) { to(order(row)) = from(row); });
}

template <class View, class Host>
View copied_from(ExecutionSpace const& space, Host const& host, char const* label) {
  View const view(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string(label)),
                  host.size());
  using OnHost = Kokkos::View<typename View::const_data_type, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(space, view, OnHost(host.data(), host.size()));
  return view;
}

}  // namespace

template <class Stored>
std::size_t MassiveSources<Stored>::find(ExecutionSpace const& space, Column<Stored> const& mass) {
  *this = {};
  auto const host = Kokkos::create_mirror_view(mass);
  Kokkos::deep_copy(space, host, mass);
  space.fence("apsis::forces::massive_sources: the host reads masses");
  std::vector<std::size_t> order, massless;
  std::vector<Stored> masses;
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    bool const heavy = host(i) != Stored(0);
    (heavy ? order : massless).push_back(i);
    if (heavy) masses.push_back(host(i));
  }
  std::size_t const count = order.size();
  // Meeting each pair once takes two thirds of the work of meeting it from both sides.
  fewer_ = 3 * count < 2 * host.extent(0);
  if (!fewer_) return count;
  all_ = mass;
  in_front_ = count == 0 || order.back() == count - 1;
  order.insert(order.end(), massless.begin(), massless.end());
  massive_ = copied_from<Column<Stored>>(space, masses, "apsis::forces::massive_sources::mass");
  order_ = copied_from<BodyList>(space, order, "apsis::forces::massive_sources::order");
  space.fence("apsis::forces::massive_sources: what was copied is freed");
  return count;
}

template <class Stored>
Sources<Stored> MassiveSources<Stored>::sources(ExecutionSpace const& space,
                                                Request<Stored> const& request) {
  auto massive = request.sources;
  massive.mass = massive_;
  massive.total = massive_.extent(0);
  if (in_front_) return massive;
  // All bodies where potentials are wanted of all of them, too.
  std::size_t const count = request.wanted.has_potential() ? order_.extent(0) : massive_.extent(0);
  Kokkos::Array<VectorColumns<Stored>, most_columns> from, to;
  int columns = 0;
  auto const take = [&](auto& column, auto& kept, char const* label) {
    reserve(space, kept, count, label);
    from[columns] = column;
    to[columns] = column = kept;
    ++columns;
  };
  bool const snaps = request.wanted.has_snap();
  take(massive.position, position_, "apsis::forces::massive_sources::position");
  if (snaps || request.wanted.has_jerk()) {
    take(massive.velocity, velocity_, "apsis::forces::massive_sources::velocity");
  }
  if (snaps) {
    take(massive.acceleration, acceleration_, "apsis::forces::massive_sources::acceleration");
  }
  gather<Stored>(space, order_, count, from, to, columns);
  massive.first = 0;
  return massive;
}

template <class Stored>
Request<Stored> MassiveSources<Stored>::potentials(ExecutionSpace const& space,
                                                   Request<Stored> const& request) {
  std::size_t const count = order_.extent(0);
  reserve(space, potential_, count, "apsis::forces::massive_sources::potential");
  auto of = request;
  of.sources.position = position_;
  of.sources.mass = massive_;
  of.sources.first = 0;
  of.sources.total = massive_.extent(0);
  of.targets = {position_, {}, {}, 0, {0, count}, {}, count};
  of.wanted = {{}, {}, {}, potential_};
  return of;
}

template <class Stored>
void MassiveSources<Stored>::put(ExecutionSpace const& space,
                                 Column<double> const& potential) const {
  scatter(space, order_, potential_, potential);
}

template class MassiveSources<float>;
template class MassiveSources<double>;

}  // namespace apsis::forces
