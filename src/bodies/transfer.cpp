// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/transfer.hpp>

namespace apsis {

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

template <class Real>
HostBodies to_host(ExecutionSpace const& space, Bodies<Real> const& bodies) {
  auto const position = Kokkos::create_mirror_view(bodies.position);
  auto const velocity = Kokkos::create_mirror_view(bodies.velocity);
  auto const mass = Kokkos::create_mirror_view(bodies.mass);
  auto const id = Kokkos::create_mirror_view(bodies.id);
  Kokkos::deep_copy(space, position, bodies.position);
  Kokkos::deep_copy(space, velocity, bodies.velocity);
  Kokkos::deep_copy(space, mass, bodies.mass);
  Kokkos::deep_copy(space, id, bodies.id);
  space.fence("apsis::bodies::to_host: the host reads");
  HostBodies host(bodies.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    host.mass[i] = mass(i);
    host.id[i] = id(i);
    host.position[i] = {position(i, 0), position(i, 1), position(i, 2)};
    host.velocity[i] = {velocity(i, 0), velocity(i, 1), velocity(i, 2)};
  }
  return host;
}

template Bodies<float> to_device(ExecutionSpace const&, HostBodies const&);
template Bodies<double> to_device(ExecutionSpace const&, HostBodies const&);
template HostBodies to_host(ExecutionSpace const&, Bodies<float> const&);
template HostBodies to_host(ExecutionSpace const&, Bodies<double> const&);

}  // namespace apsis
