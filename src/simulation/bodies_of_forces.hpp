// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "body_events.hpp"
#include "species.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/extra.hpp>

namespace apsis::simulation {

/// The bodies of this rank as forces besides gravity are bound to them. O(N) on the host; fences.
template <class Real>
forces::BodiesOfForces bodies_of_forces(Bodies<Real> const& bodies, Species const& species,
                                        BodyEvents<Real> const& events) {
  auto const mass = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.mass);
  auto const id = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.id);
  forces::BodiesOfForces result;
  result.id.assign(id.data(), id.data() + id.extent(0));
  result.mass.assign(mass.data(), mass.data() + mass.extent(0));
  result.species = *species.kinds();
  result.first = bodies.first;
  result.total = bodies.total;
  if (events.gone() == 0) return result;
  for (std::size_t row = 0; row < bodies.size(); ++row) {
    if (events.is_gone(row)) result.gone.push_back(row);
  }
  return result;
}

}  // namespace apsis::simulation
