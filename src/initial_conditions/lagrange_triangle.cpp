// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

#include <cmath>
#include <numbers>

namespace apsis::initial_conditions {

namespace {

HostBodies make_lagrange_triangle(Values const& values, double G) {
  double const side = values.number("side");
  double const height = side * std::numbers::sqrt3 / 2.0;
  HostBodies bodies(3);
  bodies.mass = {values.number("mass_1"), values.number("mass_2"), values.number("mass_3")};
  bodies.position = {{2.0 / 3.0 * height, 0.0, 0.0},
                     {-height / 3.0, side / 2.0, 0.0},
                     {-height / 3.0, -side / 2.0, 0.0}};
  centre(bodies);
  // Lagrange's solution: for any three masses the acceleration of each body points to the centre of
  // mass and is omega^2 times the distance to it, with omega^2 = G M / side^3 (Murray & Dermott
  // 1999, section 3.5, for the restricted problem; Danby 1988, Celestial Mechanics, section 8.4).
  double const mass = bodies.mass[0] + bodies.mass[1] + bodies.mass[2];
  double const omega = std::sqrt(G * mass / side) / side;
  for (std::size_t i = 0; i < 3; ++i) {
    auto const x = bodies.position[i];
    bodies.velocity[i] = {-omega * x.y, omega * x.x, 0.0};
  }
  return bodies;
}

}  // namespace

ModelEntry lagrange_triangle_entry() {
  return {
      "lagrange_triangle",
      "three masses that rotate as a rigid equilateral triangle (Lagrange 1772) with the period "
      "2 pi sqrt(side^3 / (G M))",
      {number("mass_1", "m1 [mass]; stable only if 27 (m1 m2 + m2 m3 + m3 m1) < (m1 + m2 + m3)^2")
           .above(0.0)
           .or_else_in_natural_units(1.0),
       number("mass_2", "m2 [mass]").at_least(0.0).or_else_in_natural_units(1.0),
       number("mass_3", "m3 [mass]").at_least(0.0).or_else_in_natural_units(1.0),
       number("side", "distance between any two bodies [length]")
           .above(0.0)
           .or_else_in_natural_units(std::numbers::sqrt3)},
      fixed_count<3>,
      make_lagrange_triangle};
}

}  // namespace apsis::initial_conditions
