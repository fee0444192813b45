// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/structure.hpp"

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace apsis::diagnostics {

namespace {
/// Calls function(body, energy, speed) for each body of positive energy per mass about the centre
/// of mass.
template <class Function>
void for_each_unbound(HostBodies const& bodies, std::vector<double> const& potential,
                      Function const& function) {
  auto const mean = centre_of_mass(bodies).velocity;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const v = bodies.velocity[i] - mean;
    double const energy = 0.5 * dot(v, v) + potential[i];
    if (energy > 0.0) function(i, energy, norm(v));
  }
}
}  // namespace

std::vector<double> lagrangian_radii(HostBodies const& bodies, Vec3<double> const& centre,
                                     std::vector<double> const& fractions) {
  std::vector<std::pair<double, std::size_t>> by_distance;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.mass[i] > 0.0) by_distance.emplace_back(norm(bodies.position[i] - centre), i);
  }
  std::sort(by_distance.begin(), by_distance.end());
  std::vector<double> enclosed;
  double mass = 0.0;
  for (auto const& [distance, i] : by_distance) enclosed.push_back(mass += bodies.mass[i]);

  std::vector<double> radii;
  for (double const fraction : fractions) {
    // The tolerance prevents that rounding of the sum excludes the body that completes a fraction:
    // five of ten bodies of mass 0.1 are half of the mass.
    double const required = fraction * mass * (1.0 - 1e-12);
    auto const last = std::lower_bound(enclosed.begin(), enclosed.end(), required);
    radii.push_back(last != enclosed.end()
                        ? by_distance[static_cast<std::size_t>(last - enclosed.begin())].first
                        : std::numeric_limits<double>::quiet_NaN());
  }
  return radii;
}

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

Escapers escapers(HostBodies const& bodies, std::vector<double> const& potential) {
  APSIS_EXPECT(potential.size() == bodies.size(), "each body has a potential");
  Escapers escaped;
  for_each_unbound(bodies, potential, [&](std::size_t i, double, double) {
    ++escaped.count;
    escaped.mass += bodies.mass[i];
  });
  return escaped;
}

std::vector<Escaper> distant_escapers(HostBodies const& bodies,
                                      std::vector<double> const& potential,
                                      Vec3<double> const& centre, double radius) {
  APSIS_EXPECT(potential.size() == bodies.size(), "each body has a potential");
  std::vector<Escaper> escaped;
  for_each_unbound(bodies, potential, [&](std::size_t i, double energy, double speed) {
    double const distance = norm(bodies.position[i] - centre);
    if (distance > radius) escaped.push_back({i, energy, distance, speed});
  });
  return escaped;
}

}  // namespace apsis::diagnostics
