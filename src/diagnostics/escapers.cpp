// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/centre_of_mass.hpp>
#include <apsis/core/error.hpp>
#include <apsis/diagnostics/escapers.hpp>

namespace apsis::diagnostics {

Escapers escapers(HostBodies const& bodies, std::vector<double> const& potential) {
  APSIS_EXPECT(potential.size() == bodies.size(), "each body has a potential");
  auto const mean = centre_of_mass(bodies).velocity;
  Escapers found;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const v = bodies.velocity[i] - mean;
    if (!(0.5 * dot(v, v) + potential[i] > 0.0)) continue;
    ++found.count;
    found.mass += bodies.mass[i];
  }
  return found;
}

}  // namespace apsis::diagnostics
