// SPDX-License-Identifier: Apache-2.0
#include "masses.hpp"

#include <cmath>

namespace apsis::initial_conditions {

namespace {

/// Potential energy |W| of a homogeneous cube of side L in units of G M^2 / L: (1 + sqrt 2 - 2 sqrt
/// 3) / 5 - pi / 3 + ln((1 + sqrt 2) (2 + sqrt 3)) (Ciftja 2011, Physics Letters A 375, 766, the
/// Coulomb energy of a uniformly charged cube).
constexpr double cube_energy = 0.9411563221948303;

HostBodies make_uniform_cube(Values const& values, double G) {
  auto masses = drawn_masses(values);
  double const side = values.number("side");
  // K = 3/2 M sigma^2, but for the sampling errors, which the simulation removes.
  double const ratio = values.number("virial_ratio");
  double const sigma = std::sqrt(2.0 / 3.0 * ratio * cube_energy * G * masses.total / side);
  return make_cluster(
      values, std::move(masses), G, [=](auto& random, auto& position, auto& velocity) {
        position = 0.5 * side * random.in_cube();
        double const vx = random.normal(), vy = random.normal(), vz = random.normal();
        velocity = sigma * Vec3<double>{vx, vy, vz};
      });
}

}  // namespace

ModelEntry uniform_cube_entry() {
  return cited(
      cluster_entry("uniform_cube",
                    "cube of constant density about the origin, cold or with normal velocities",
                    {number("side", "L, the length of its edges [length]")
                         .above(0.0)
                         .with_default_in_natural_units(1.0),
                     virial_ratio_key(0.0)},
                    make_uniform_cube, false),
      {"Salmon2011"});
}

}  // namespace apsis::initial_conditions
