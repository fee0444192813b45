// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include "initial_conditions/orbit.hpp"

#include <cmath>
#include <numbers>

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

HostBodies make_pythagorean(Values const& values, double /*G*/) {
  double const mass = values.number("mass_scale");
  double const length = values.number("length_scale");
  HostBodies bodies(3);
  bodies.mass = {3.0 * mass, 4.0 * mass, 5.0 * mass};
  bodies.position = {length * Vec3<double>{1.0, 3.0, 0.0}, length * Vec3<double>{-2.0, -1.0, 0.0},
                     length * Vec3<double>{1.0, -1.0, 0.0}};
  return bodies;
}

HostBodies make_kepler(Values const& values, double G) {
  double const primary = values.number("primary_mass");
  double const secondary = values.number("secondary_mass");
  double const mass = primary + secondary;
  auto const relative =
      state_on_orbit({values.number("semi_major_axis"), values.number("eccentricity"),
                      values.number("mean_anomaly"), values.number("inclination"),
                      values.number("node"), values.number("argument")},
                     G * mass);
  HostBodies bodies(2);
  bodies.mass = {primary, secondary};
  bodies.position = {(-secondary / mass) * relative.position, (primary / mass) * relative.position};
  bodies.velocity = {(-secondary / mass) * relative.velocity, (primary / mass) * relative.velocity};
  return bodies;
}

}  // namespace

ModelEntry figure_eight_entry() {
  return cited(
      ModelEntry{"figure_eight",
                 "three equal masses on one figure of eight (Chenciner & Montgomery 2000), with "
                 "period 6.32591398292621",
                 {positive("mass", "m of each body [mass]").with_default_in_natural_units(1.0),
                  positive("length_scale",
                           "factor s on the published positions [length]; the period is "
                           "proportional to sqrt(s^3 / (G m))")
                      .with_default_in_natural_units(1.0)},
                 fixed_count<3>,
                 make_figure_eight},
      {"ChencinerMontgomery2000"});
}

ModelEntry lagrange_triangle_entry() {
  return cited(
      ModelEntry{
          "lagrange_triangle",
          "three masses that rotate as a rigid equilateral triangle (Lagrange 1772) with the "
          "period 2 pi sqrt(side^3 / (G M))",
          {positive("mass_1",
                    "m1 [mass]; stable only if 27 (m1 m2 + m2 m3 + m3 m1) < (m1 + m2 + m3)^2")
               .with_default_in_natural_units(1.0),
           number("mass_2", "m2 [mass]").at_least(0.0).with_default_in_natural_units(1.0),
           number("mass_3", "m3 [mass]").at_least(0.0).with_default_in_natural_units(1.0),
           positive("side", "distance between any two bodies [length]")
               .with_default_in_natural_units(std::numbers::sqrt3)},
          fixed_count<3>,
          make_lagrange_triangle},
      {"Apsis"});
}

ModelEntry pythagorean_entry() {
  return cited(ModelEntry{"pythagorean",
                          "masses 3, 4, 5 at rest, each opposite the side of that length of a "
                          "triangle (Burrau 1913; Szebehely & Peters 1967)",
                          {positive("mass_scale", "a fifth of the largest mass [mass]")
                               .with_default_in_natural_units(1.0),
                           positive("length_scale", "a fifth of the longest side [length]")
                               .with_default_in_natural_units(1.0)},
                          fixed_count<3>,
                          make_pythagorean},
               {"SzebehelyPeters1967"});
}

ModelEntry kepler_entry() {
  return cited(
      ModelEntry{
          "kepler",
          "two bodies on an elliptic orbit about their centre of mass, which is at rest at the "
          "origin",
          {positive("primary_mass", "mass of the first body [mass]")
               .with_default_in_natural_units(0.5),
           number("secondary_mass", "mass of the second body [mass]")
               .at_least(0.0)
               .with_default_in_natural_units(0.5),
           positive("semi_major_axis", "a of the relative orbit [length]")
               .with_default_in_natural_units(1.0),
           number("eccentricity", "e").at_least(0.0).below(1.0).with_default(0.0),
           number("mean_anomaly", "initial mean anomaly [degrees]; 0 is pericentre, 180 apocentre")
               .with_default(180.0),
           number("inclination", "inclination of the orbit to the x-y plane [degrees]")
               .with_default(0.0),
           number("node", "longitude of the ascending node [degrees]").with_default(0.0),
           number("argument", "argument of pericentre, from the node [degrees]").with_default(0.0)},
          fixed_count<2>,
          make_kepler},
      {"Apsis"});
}

}  // namespace apsis::initial_conditions
