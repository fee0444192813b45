// SPDX-License-Identifier: Apache-2.0
#include <apsis/initial_conditions/model.hpp>

namespace apsis::initial_conditions {

void centre(HostBodies& bodies) {
  double mass = 0.0;
  Vec3<double> position, velocity;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    mass += bodies.mass[i];
    position += bodies.mass[i] * bodies.position[i];
    velocity += bodies.mass[i] * bodies.velocity[i];
  }
  if (mass <= 0.0) return;
  position = (1.0 / mass) * position;
  velocity = (1.0 / mass) * velocity;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.position[i] = bodies.position[i] - position;
    bodies.velocity[i] = bodies.velocity[i] - velocity;
  }
}

}  // namespace apsis::initial_conditions
