// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/structure.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/bodies/transfer.hpp>
#include <apsis/diagnostics/density_centre.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

using namespace apsis;
using namespace apsis::testing;
using diagnostics::lagrangian_radii;

namespace {

/// Plummer sphere in Henon units about `centre`. The radii are quantiles of the mass profile; their
/// order and the directions are random.
HostBodies quiet_plummer(std::size_t count, Vec3<double> const& centre) {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal;
  auto bodies = sample_bodies(count);
  double const a = 3.0 * std::numbers::pi / 16.0;
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), generator);
  for (std::size_t i = 0; i < count; ++i) {
    double const fraction = (static_cast<double>(order[i]) + 0.5) / static_cast<double>(count);
    double const radius = a / std::sqrt(std::pow(fraction, -2.0 / 3.0) - 1.0);
    Vec3<double> const direction{normal(generator), normal(generator), normal(generator)};
    bodies.mass[i] = 1.0 / static_cast<double>(count);
    bodies.position[i] = centre + (radius / norm(direction)) * direction;
  }
  return bodies;
}

}  // namespace

TEST_CASE("Lagrangian radii of a Plummer sphere agree with its mass profile" *
          testing::thread_counts) {
  Vec3<double> const centre{3.0, -1.0, 0.5};
  auto const radii = lagrangian_radii(quiet_plummer(20000, centre), centre, {0.9, 0.1, 0.5});
  REQUIRE(radii.size() == 3);
  // The body that completes a fraction is half a body inside the exact radius.
  CHECK(std::abs(radii[0] - 2.183670) < 5e-4);
  CHECK(std::abs(radii[1] - 0.308678) < 5e-5);
  CHECK(std::abs(radii[2] - 0.768571) < 5e-5);
}

TEST_CASE("density centre and core radius agree with values computed by hand") {
  HostBodies bodies(3);
  bodies.position = {{0.0, 0.0, 0.0}, {4.0, 0.0, 0.0}, {0.0, 4.0, 8.0}};
  auto const result = diagnostics::density_centre(bodies, {2e200, 1e200, 1e200});
  REQUIRE(result.has_value());
  CHECK((result->position == Vec3<double>{1.0, 1.0, 2.0}));
  // Squared distances 6, 14 and 46 with weights 4, 1 and 1.
  CHECK(result->core_radius == approximately(std::sqrt(84.0 / 6.0), 1e-15));
}

TEST_CASE("a Plummer sphere has its density centre at its centre and the core radius sqrt(0.3) a") {
  // For rho ~ (1 + r^2)^(-5/2) the mean of r^2 over rho^3 r^2 dr is B(5/2, 5) / B(3/2, 6) = 0.3.
  ExecutionSpace const space;
  Vec3<double> const centre{3.0, -1.0, 0.5};
  auto const host = quiet_plummer(8000, centre);
  auto const density = diagnostics::neighbour_densities(space, to_device<double>(space, host));
  auto const result = diagnostics::density_centre(host, density);
  REQUIRE(result.has_value());
  double const expected = std::sqrt(0.3) * 3.0 * std::numbers::pi / 16.0;
  // Densities from six neighbours have a relative scatter of 0.5; about a thousand bodies have most
  // of the weight.
  CHECK(norm(result->position - centre) < 0.03);
  CHECK(result->core_radius == approximately(expected, 0.05));
}

TEST_CASE("a Lagrangian radius is the distance of the body that completes the fraction" *
          testing::thread_counts) {
  HostBodies bodies(11);
  for (std::size_t i = 0; i < 11; ++i) {
    bodies.mass[i] = 0.1;
    bodies.position[i] = {0.0, static_cast<double>(11 - i), 0.0};
  }
  bodies.mass[10] = 0.0;  // the nearest body has no mass
  CHECK(lagrangian_radii(bodies, {}, {1e-6, 0.1, 0.3, 0.5, 0.7, 0.8, 1.0}) ==
        std::vector<double>{2.0, 2.0, 4.0, 6.0, 8.0, 9.0, 11.0});
  bodies.mass[0] = 1.1;  // the farthest body has more than half of the mass
  CHECK(lagrangian_radii(bodies, {}, {0.45, 0.5}) == std::vector<double>{10.0, 11.0});
  CHECK(std::isnan(lagrangian_radii(HostBodies(0), {}, {0.5}).at(0)));
  CHECK(std::isnan(lagrangian_radii(HostBodies(3), {}, {1.0}).at(0)));
}

TEST_CASE("position and velocity of the centre of mass agree with values computed by hand") {
  HostBodies bodies(3);
  bodies.mass = {1.0, 3.0, 0.0};
  bodies.position = {{4.0, 0.0, 0.0}, {0.0, 8.0, 0.0}, {99.0, 99.0, 99.0}};
  bodies.velocity = {{0.0, 0.0, 4.0}, {-4.0, 0.0, 0.0}, {99.0, 99.0, 99.0}};
  auto const result = centre_of_mass(bodies);
  CHECK((result.position == Vec3<double>{1.0, 6.0, 0.0}));
  CHECK((result.velocity == Vec3<double>{-3.0, 0.0, 1.0}));
  CHECK(norm(centre_of_mass(HostBodies(2)).position) == 0.0);
}

TEST_CASE("the velocity dispersion is one-dimensional, mass-weighted and about the mean") {
  auto bodies = sample_bodies(1000);
  for (auto& v : bodies.velocity) v += {5.0, -2.0, 1.0};
  long double mass = 0, squares = 0;
  Vec3<long double> momentum;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Vec3<long double> const v{bodies.velocity[i].x, bodies.velocity[i].y, bodies.velocity[i].z};
    mass += bodies.mass[i];
    momentum += (long double)bodies.mass[i] * v;
    squares += bodies.mass[i] * dot(v, v);
  }
  // The mean of the squares minus the square of the mean.
  long double const variance = (squares - dot(momentum, momentum) / mass) / (3 * mass);
  double const result = diagnostics::velocity_dispersion(bodies);
  CHECK(result == approximately(double(std::sqrt(variance)), 1e-14));
  CHECK(result == approximately(1.0, 0.05));
  CHECK(diagnostics::velocity_dispersion(HostBodies(0)) !=
        diagnostics::velocity_dispersion(HostBodies(0)));
}

TEST_CASE("escapers have positive energy relative to the centre of mass") {
  // A moving binary and two bodies that leave it with opposite velocities.
  HostBodies bodies(5);
  bodies.mass = {0.5, 0.5, 0.1, 0.1, 0.0};
  Vec3<double> const drift{10.0, 0.0, 0.0};
  bodies.velocity = {{0.0, 0.5, 0.0}, {0.0, -0.5, 0.0}, {0.0, 0.0, 2.0}, {0.0, 0.0, -2.0}, {}};
  for (auto& v : bodies.velocity) v += drift;
  std::vector<double> const potential{-1.0, -0.125, -1.9, -2.1,
                                      -std::numeric_limits<double>::infinity()};
  auto const result = diagnostics::escapers(bodies, potential);
  CHECK(result.count == 1);  // an energy of 0 does not escape
  CHECK(result.mass == 0.1);
  CHECK(diagnostics::escapers(HostBodies(0), {}).count == 0);
}
