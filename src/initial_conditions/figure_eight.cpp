// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

#include <cmath>

namespace apsis::initial_conditions {

namespace {

/// Initial state of Chenciner & Montgomery 2000 (section 0, after C. Simo), refined until the orbit
/// closes to the last digit of double precision. The period is 6.32591398292621 for G = m = 1.
constexpr Vec3<double> outer_position{0.970004355102357, -0.243087537900363, 0.0};
constexpr Vec3<double> outer_velocity{0.466203688557418, 0.432365727401589, 0.0};

HostBodies make_figure_eight(Values const& values, double G) {
  double const mass = values.number("mass");
  double const length = values.number("length_scale");
  double const speed = std::sqrt(G * mass / length);
  HostBodies bodies(3);
  bodies.mass = {mass, mass, mass};
  bodies.position = {length * outer_position, -length * outer_position, {}};
  bodies.velocity = {speed * outer_velocity, speed * outer_velocity,
                     (-2.0 * speed) * outer_velocity};
  return bodies;
}

}  // namespace

ModelEntry figure_eight_entry() {
  return {
      "figure_eight",
      "three equal masses on one figure of eight (Chenciner & Montgomery 2000), with period "
      "6.32591398292621",
      {number("mass", "m of each body [mass]").above(0.0).or_else_in_natural_units(1.0),
       number(
           "length_scale",
           "factor s on the published positions [length]; the period is proportional to sqrt(s^3 / "
           "(G m))")
           .above(0.0)
           .or_else_in_natural_units(1.0)},
      fixed_count<3>,
      make_figure_eight};
}

}  // namespace apsis::initial_conditions
