// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "species.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/extra.hpp>

namespace apsis::driver {

/// The bodies of this rank as forces besides gravity are bound to them. O(N) on the host; fences.
template <class Real>
forces::BodiesOfForces bodies_of_forces(Bodies<Real> const& bodies, Species const& species) {
  auto const mass = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.mass);
  auto const id = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.id);
  forces::BodiesOfForces result;
  result.id.assign(id.data(), id.data() + id.extent(0));
  result.mass.assign(mass.data(), mass.data() + mass.extent(0));
  result.species = *species.kinds();
  result.first = bodies.first;
  result.total = bodies.total;
  return result;
}

}  // namespace apsis::driver
