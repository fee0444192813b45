// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/initial_conditions/orbit.hpp>

namespace apsis::initial_conditions {

namespace {

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

ModelEntry kepler_entry() {
  return {
      "kepler",
      "two bodies on an elliptic orbit about their centre of mass, which is at rest at the origin",
      {number("primary_mass", "mass of the first body [mass]")
           .above(0.0)
           .or_else_in_natural_units(0.5),
       number("secondary_mass", "mass of the second body [mass]")
           .at_least(0.0)
           .or_else_in_natural_units(0.5),
       number("semi_major_axis", "a of the relative orbit [length]")
           .above(0.0)
           .or_else_in_natural_units(1.0),
       number("eccentricity", "e").at_least(0.0).below(1.0).or_else(0.0),
       number("mean_anomaly", "initial mean anomaly [degrees]; 0 is pericentre, 180 apocentre")
           .or_else(180.0),
       number("inclination", "inclination of the orbit to the x-y plane [degrees]").or_else(0.0),
       number("node", "longitude of the ascending node [degrees]").or_else(0.0),
       number("argument", "argument of pericentre, from the node [degrees]").or_else(0.0)},
      fixed_count<2>,
      make_kepler};
}

}  // namespace apsis::initial_conditions
