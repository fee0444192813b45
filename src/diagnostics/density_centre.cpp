// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/diagnostics/density_centre.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::diagnostics {

std::optional<DensityCentre> density_centre(HostBodies const& bodies,
                                            std::vector<double> const& density) {
  APSIS_EXPECT(density.size() == bodies.size(), "each body has a density");
  double densest = 0.0;
  for (double const rho : density) densest = std::max(densest, rho);
  if (!(densest > 0.0 && std::isfinite(densest))) return std::nullopt;

  // In units of the largest density: its square need not be a number.
  DensityCentre of{};
  double weights = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double const weight = density[i] / densest;
    weights += weight;
    of.position += weight * bodies.position[i];
  }
  of.position = (1.0 / weights) * of.position;

  double squares = 0.0, of_radius = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const r = bodies.position[i] - of.position;
    double const weight = density[i] / densest;
    squares += weight * weight;
    of_radius += weight * weight * dot(r, r);
  }
  of.core_radius = std::sqrt(of_radius / squares);
  return of;
}

}  // namespace apsis::diagnostics
