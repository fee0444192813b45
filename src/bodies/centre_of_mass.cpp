// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/host_bodies.hpp>

namespace apsis {

CentreOfMass centre_of_mass(HostBodies const& bodies) {
  double mass = 0.0;
  CentreOfMass centre;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    mass += bodies.mass[i];
    centre.position += bodies.mass[i] * bodies.position[i];
    centre.velocity += bodies.mass[i] * bodies.velocity[i];
  }
  if (mass > 0.0) centre = {(1.0 / mass) * centre.position, (1.0 / mass) * centre.velocity};
  return centre;
}

}  // namespace apsis
