// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/centre_of_mass.hpp>
#include <apsis/initial_conditions/model.hpp>

namespace apsis::initial_conditions {

void centre(HostBodies& bodies) {
  auto const of = centre_of_mass(bodies);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.position[i] = bodies.position[i] - of.position;
    bodies.velocity[i] = bodies.velocity[i] - of.velocity;
  }
}

}  // namespace apsis::initial_conditions
