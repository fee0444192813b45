// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/centre_of_mass.hpp>
#include <apsis/diagnostics/velocity_dispersion.hpp>

#include <cmath>
#include <limits>

namespace apsis::diagnostics {

double velocity_dispersion(HostBodies const& bodies) {
  auto const mean = centre_of_mass(bodies).velocity;
  double mass = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const v = bodies.velocity[i] - mean;
    mass += bodies.mass[i];
    squares += bodies.mass[i] * dot(v, v);
  }
  return mass > 0.0 ? std::sqrt(squares / (3.0 * mass)) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace apsis::diagnostics
