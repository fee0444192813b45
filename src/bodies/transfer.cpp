// SPDX-License-Identifier: Apache-2.0
#include "apsis/bodies/transfer.hpp"

#include "core/rows.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/core/views.hpp>

#include <cstring>
#include <type_traits>

namespace apsis {

template <class Real>
Bodies<Real> allocate_bodies(ExecutionSpace const& space, std::size_t count) {
  auto const alloc = [&](std::string const& name) {
    return Kokkos::view_alloc(space, "apsis::bodies::" + name);
  };
  return {VectorColumns<Real>(alloc("position"), count),
          VectorColumns<Real>(alloc("velocity"), count),
          VectorColumns<Real>(alloc("acceleration"), count),
          Column<Real>(alloc("mass"), count),
          Column<std::uint64_t>(alloc("id"), count),
          0,
          count};
}

template Bodies<float> allocate_bodies(ExecutionSpace const&, std::size_t);
template Bodies<double> allocate_bodies(ExecutionSpace const&, std::size_t);

template <class Real>
Bodies<Real> to_device(ExecutionSpace const& space, HostBodies const& host) {
  auto bodies = allocate_bodies<Real>(space, host.size());
  space.fence("apsis::bodies::to_device: allocated");
  auto const position = Kokkos::create_mirror_view(bodies.position);
  auto const velocity = Kokkos::create_mirror_view(bodies.velocity);
  auto const mass = Kokkos::create_mirror_view(bodies.mass);
  auto const id = Kokkos::create_mirror_view(bodies.id);
  for (std::size_t i = 0; i < host.size(); ++i) {
    Vec3<double> const x = host.position[i];
    Vec3<double> const v = host.velocity[i];
    mass(i) = static_cast<Real>(host.mass[i]);
    id(i) = host.id[i];
    position(i, 0) = static_cast<Real>(x.x);
    position(i, 1) = static_cast<Real>(x.y);
    position(i, 2) = static_cast<Real>(x.z);
    velocity(i, 0) = static_cast<Real>(v.x);
    velocity(i, 1) = static_cast<Real>(v.y);
    velocity(i, 2) = static_cast<Real>(v.z);
  }
  Kokkos::deep_copy(space, bodies.position, position);
  Kokkos::deep_copy(space, bodies.velocity, velocity);
  Kokkos::deep_copy(space, bodies.mass, mass);
  Kokkos::deep_copy(space, bodies.id, id);
  space.fence("apsis::bodies::to_device: the mirrors are freed on return");
  return bodies;
}

std::vector<double> values_on_host(ExecutionSpace const& space, ReadColumns const& column) {
  return tabulate<double>(space, "apsis::bodies::values_on_host", column.size(), column);
}

std::vector<Vec3<double>> vectors_on_host(ExecutionSpace const& space, ReadColumns const& columns) {
  return tabulate<Vec3<double>>(
      space, "apsis::bodies::vectors_on_host", columns.size(),
      KOKKOS_LAMBDA(std::size_t i) { return row(columns, i); });
}

std::vector<std::uint64_t> ids_on_host(ExecutionSpace const& space, ReadBodies const& bodies) {
  auto const* const id = bodies.id;
  return tabulate<std::uint64_t>(
      space, "apsis::bodies::ids_on_host", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) { return id[i]; });
}

HostBodies to_host(ExecutionSpace const& space, ReadBodies const& bodies) {
  HostBodies host;
  host.mass = values_on_host(space, bodies.mass);
  host.position = vectors_on_host(space, bodies.position);
  host.velocity = vectors_on_host(space, bodies.velocity);
  host.id = ids_on_host(space, bodies);
  return host;
}

template Bodies<float> to_device(ExecutionSpace const&, HostBodies const&);
template Bodies<double> to_device(ExecutionSpace const&, HostBodies const&);

namespace {

/// Gathers the rows of a column on rank 0; the other ranks get an empty column.
template <class View>
View gather_view(Context const& context, View const& local) {
  using Value = typename View::non_const_value_type;
  auto const host = Kokkos::create_mirror_view(local);
  Kokkos::deep_copy(context.space, host, local);
  context.space.fence("apsis::bodies::gather_bodies: the host sends a column");
  std::span<Value const> const values(host.data(), host.span());
  auto const bytes = gather_rows(*context.communicator, std::as_bytes(values), local.extent(1));
  View global(Kokkos::view_alloc(context.space, Kokkos::WithoutInitializing, local.label()),
              bytes.size() / sizeof(Value) / local.extent(1));
  auto const table = Kokkos::create_mirror_view(global);
  if (!bytes.empty()) std::memcpy(table.data(), bytes.data(), bytes.size());
  Kokkos::deep_copy(context.space, global, table);
  context.space.fence("apsis::bodies::gather_bodies: the host buffer is freed on return");
  return global;
}

template <class T>
void distribute(Context const& context, std::vector<T> const& global, std::vector<T>& local) {
  static_assert(std::is_trivially_copyable_v<T>);
  scatter_rows(*context.communicator, std::as_bytes(std::span(global)),
               std::as_writable_bytes(std::span(local)), 1);
}

}  // namespace

template <class Real>
Bodies<Real> gather_bodies(Context const& context, Bodies<Real> const& local) {
  if (!is_shared(context)) return local;
  return {.position = gather_view(context, local.position),
          .velocity = gather_view(context, local.velocity),
          .acceleration = gather_view(context, local.acceleration),
          .mass = gather_view(context, local.mass),
          .id = gather_view(context, local.id),
          .first = 0,
          .total = local.total};
}

template <class Value>
Column<Value> gather_column(Context const& context, Column<Value> const& local) {
  return is_shared(context) ? gather_view(context, local) : local;
}

HostBodies scatter_bodies(Context const& context, HostBodies const& global, std::size_t total) {
  auto const share = share_of(total, context.communicator->rank(), context.communicator->size());
  HostBodies local(share.count);
  distribute(context, global.mass, local.mass);
  distribute(context, global.position, local.position);
  distribute(context, global.velocity, local.velocity);
  distribute(context, global.id, local.id);
  return local;
}

template Bodies<float> gather_bodies(Context const&, Bodies<float> const&);
template Bodies<double> gather_bodies(Context const&, Bodies<double> const&);
template Column<float> gather_column(Context const&, Column<float> const&);
template Column<double> gather_column(Context const&, Column<double> const&);
template Column<std::uint64_t> gather_column(Context const&, Column<std::uint64_t> const&);

}  // namespace apsis
