// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "requests.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/forces/extra.hpp>

#include <string>
#include <utility>
#include <vector>

/// Forces besides gravity, evaluated without a solver.
namespace apsis::testing {

/// A force with the values that a deck would give; defaults are filled in.
struct GivenForce {
  char const* name;
  std::vector<std::pair<char const*, Value>> values{};
};

inline forces::PlannedForce planned(GivenForce const& sample) {
  auto const& entry = forces::extra_forces().get(sample.name);
  auto values = defaults(entry.parameters);
  for (auto const& [key, value] : sample.values) values.set(key, value);
  return {&entry, values, "forces[0]"};
}

inline forces::BodiesOfForces bodies_for_forces(HostBodies const& host) {
  return {host.id, host.mass, host.species, 0, host.size()};
}

/// Results of the forces alone.
struct Results {
  std::vector<Vec3<double>> acceleration, jerk, snap;
  std::vector<double> potential;
};

template <class Stored = double>
Results evaluate(forces::ExtraForces const& extra, HostBodies const& host,
                 std::vector<Vec3<double>> const& accelerations = {}, unsigned wanted = 15) {
  ExecutionSpace const space;
  auto bodies = to_device<Stored>(space, host);
  auto const a = Kokkos::create_mirror_view(bodies.acceleration);
  for (std::size_t i = 0; i < accelerations.size(); ++i) {
    a(i, 0) = static_cast<Stored>(accelerations[i].x);
    a(i, 1) = static_cast<Stored>(accelerations[i].y);
    a(i, 2) = static_cast<Stored>(accelerations[i].z);
  }
  Kokkos::deep_copy(bodies.acceleration, a);
  auto const field = make_field<Stored>(wanted, host.size());
  auto const request = forces::field_of(bodies, field);
  for (auto const* columns : {&field.acceleration, &field.jerk, &field.snap}) {
    if (columns->extent(0) > 0) Kokkos::deep_copy(*columns, Stored(0));
  }
  if (field.potential.extent(0) > 0) Kokkos::deep_copy(field.potential, 0.0);
  extra.add(space, request, 0.0);
  space.fence();
  auto const vectors = [&](auto const& columns) {
    auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), columns);
    std::vector<Vec3<double>> result;
    for (std::size_t i = 0; i < mirror.extent(0); ++i) {
      result.push_back({static_cast<double>(mirror(i, 0)), static_cast<double>(mirror(i, 1)),
                        static_cast<double>(mirror(i, 2))});
    }
    return result;
  };
  auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.potential);
  return {vectors(field.acceleration),
          vectors(field.jerk),
          vectors(field.snap),
          {phi.data(), phi.data() + phi.extent(0)}};
}

/// Forces without gravity that are bound to these bodies.
inline forces::ExtraForces bound(GivenForce const& sample, HostBodies const& host) {
  forces::ExtraForces extra({planned(sample)}, {});
  extra.bind(ExecutionSpace(), bodies_for_forces(host));
  return extra;
}

}  // namespace apsis::testing
