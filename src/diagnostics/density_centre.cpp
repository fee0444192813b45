// SPDX-License-Identifier: Apache-2.0
#include "apsis/diagnostics/density_centre.hpp"

#include "neighbours.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace apsis::diagnostics {

namespace {

/// Density at each body, from its nearest neighbours.
struct DensityOfNeighbours {
  static constexpr int last = density_neighbours - 1;
  NearestSources<density_neighbours> nearest;
  ReadColumns mass;
  Column<double> density;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    double inside = 0.0;
    for (int k = 0; k < last; ++k) {
      bool const exists = nearest.squared(i, k) < Kokkos::Experimental::infinity_v<double>;
      inside += exists ? mass(nearest.index(i, k)) : 0.0;
    }
    double const r_squared = nearest.squared(i, last);
    double const volume = 4.0 / 3.0 * std::numbers::pi * r_squared * Kokkos::sqrt(r_squared);
    density(i) = inside > 0.0 ? inside / volume : 0.0;
  }
};

}  // namespace

std::vector<double> neighbour_densities(ExecutionSpace const& space, ReadBodies const& bodies,
                                        Poll const& poll, NeighbourSearch search) {
  std::size_t const count = bodies.size();
  Column<double> const density(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                                  "apsis::diagnostics::neighbour_densities"),
                               count);
  auto const nearest = nearest_sources<density_neighbours>(
      space, "apsis::diagnostics::neighbour_densities", bodies.position, count, poll, search);
  for_each(space, "apsis::diagnostics::neighbour_densities::density", count,
           DensityOfNeighbours{nearest, bodies.mass, density});
  return values_on_host(space, density);
}

std::optional<DensityCentre> density_centre(HostBodies const& bodies,
                                            std::vector<double> const& density) {
  APSIS_EXPECT(density.size() == bodies.size(), "each body has a density");
  double densest = 0.0;
  for (double const rho : density) densest = std::max(densest, rho);
  if (!(densest > 0.0 && std::isfinite(densest))) return std::nullopt;

  // Densities are in units of the largest one, because its square may overflow.
  DensityCentre result{};
  double weights = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double const weight = density[i] / densest;
    weights += weight;
    result.position += weight * bodies.position[i];
  }
  result.position = (1.0 / weights) * result.position;

  double squares = 0.0, squared_radii = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const r = bodies.position[i] - result.position;
    double const weight = density[i] / densest;
    squares += weight * weight;
    squared_radii += weight * weight * dot(r, r);
  }
  result.core_radius = std::sqrt(squared_radii / squares);
  return result;
}

}  // namespace apsis::diagnostics
