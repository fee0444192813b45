// SPDX-License-Identifier: Apache-2.0
#include <apsis/diagnostics/velocity_dispersion.hpp>

#include <cmath>
#include <limits>

namespace apsis::diagnostics {

Vec3<double> mean_velocity(HostBodies const& bodies) {
  double mass = 0.0;
  Vec3<double> momentum;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    mass += bodies.mass[i];
    momentum += bodies.mass[i] * bodies.velocity[i];
  }
  return mass > 0.0 ? (1.0 / mass) * momentum : Vec3<double>{};
}

double velocity_dispersion(HostBodies const& bodies) {
  auto const mean = mean_velocity(bodies);
  double mass = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const v = bodies.velocity[i] - mean;
    mass += bodies.mass[i];
    squares += bodies.mass[i] * dot(v, v);
  }
  return mass > 0.0 ? std::sqrt(squares / (3.0 * mass)) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace apsis::diagnostics
