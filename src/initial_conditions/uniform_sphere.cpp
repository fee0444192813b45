// SPDX-License-Identifier: Apache-2.0
#include "masses.hpp"

#include <cmath>

namespace apsis::initial_conditions {

namespace {

HostBodies make_uniform_sphere(Values const& values, double G) {
  auto masses = drawn_masses(values);
  double const radius = values.number("radius");
  // K = Q |W| with W = -3 G M^2 / (5 R) (Binney & Tremaine 2008, equation 2.41) and K = 3/2 M
  // sigma^2, but for the sampling errors, which the simulation removes.
  double const sigma = std::sqrt(0.4 * values.number("virial_ratio") * G * masses.total / radius);
  return make_cluster(
      values, std::move(masses), G, [=](auto& random, auto& position, auto& velocity) {
        double const r = radius * std::cbrt(random.uniform());
        position = r * random.direction();
        double const vx = random.normal(), vy = random.normal(), vz = random.normal();
        velocity = sigma * Vec3<double>{vx, vy, vz};
      });
}

}  // namespace

ModelEntry uniform_sphere_entry() {
  return cited(
      cluster_entry("uniform_sphere",
                    "sphere of constant density, cold (it collapses in pi/2 sqrt(R^3 / (2 G M))) "
                    "or with normal "
                    "velocities",
                    {number("radius", "R [length]").above(0.0).with_default_in_natural_units(1.0),
                     virial_ratio_key(0.0)},
                    make_uniform_sphere),
      {"Salmon2011"});
}

}  // namespace apsis::initial_conditions
