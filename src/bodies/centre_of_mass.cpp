// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/centre_of_mass.hpp>

namespace apsis {

CentreOfMass centre_of_mass(HostBodies const& bodies) {
  double mass = 0.0;
  CentreOfMass of;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    mass += bodies.mass[i];
    of.position += bodies.mass[i] * bodies.position[i];
    of.velocity += bodies.mass[i] * bodies.velocity[i];
  }
  if (mass > 0.0) of = {(1.0 / mass) * of.position, (1.0 / mass) * of.velocity};
  return of;
}

}  // namespace apsis
