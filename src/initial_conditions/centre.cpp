// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/initial_conditions/model.hpp>

namespace apsis::initial_conditions {

Parameter centring() {
  return boolean("centre", "whether the centre of mass is moved to the origin and brought to rest")
      .with_default(false);
}

bool is_centred(Values const& bodies) {
  return bodies.has("centre") && bodies.boolean("centre");
}

void centre(HostBodies& bodies) {
  auto const centre = centre_of_mass(bodies);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.position[i] = bodies.position[i] - centre.position;
    bodies.velocity[i] = bodies.velocity[i] - centre.velocity;
  }
}

void bring_to_rest(HostBodies& bodies, std::size_t first, std::size_t count) {
  double mass = 0.0;
  Vec3<double> momentum;
  for (std::size_t i = first; i < first + count; ++i) {
    mass += bodies.mass[i];
    momentum += bodies.mass[i] * bodies.velocity[i];
  }
  if (!(mass > 0.0)) return;
  auto const mean_velocity = (1.0 / mass) * momentum;
  for (std::size_t i = first; i < first + count; ++i) {
    bodies.velocity[i] = bodies.velocity[i] - mean_velocity;
  }
}

void bring_to_rest(HostBodies& bodies) {
  bring_to_rest(bodies, 0, bodies.size());
}

}  // namespace apsis::initial_conditions
