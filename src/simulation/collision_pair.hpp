// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/integrators/collision.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::simulation {

/// Describes a pair of colliding bodies at `time`. `epsilon`: machine epsilon of the precision of
/// the run.
inline integrators::Collision::Pair describe_collision(diagnostics::ClosestPair const& pair,
                                                       HostBodies const& bodies, double G,
                                                       double epsilon, double time) {
  integrators::Collision::Pair collision;
  collision.first = bodies.id[pair.first];
  collision.second = bodies.id[pair.second];
  collision.distance = pair.distance;
  collision.time = time;
  double const mass = bodies.mass[pair.first] + bodies.mass[pair.second];
  collision.dynamical_time = std::sqrt(std::pow(pair.distance, 3) / (G * mass));
  auto const centre = centre_of_mass(bodies).position;
  double coordinate = 0.0, from_centre = 0.0;
  for (auto const k : {pair.first, pair.second}) {
    auto const& x = bodies.position[k];
    coordinate = std::max({coordinate, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    from_centre = std::max(from_centre, norm(x - centre));
  }
  collision.spacing = epsilon * coordinate;
  collision.off_centre = norm(centre) > 10.0 * from_centre;
  return collision;
}

}  // namespace apsis::simulation
