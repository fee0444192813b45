// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

namespace apsis::initial_conditions {

namespace {

HostBodies make_pythagorean(Values const& values, double /*G*/) {
  double const mass = values.number("mass_scale");
  double const length = values.number("length_scale");
  HostBodies bodies(3);
  bodies.mass = {3.0 * mass, 4.0 * mass, 5.0 * mass};
  bodies.position = {length * Vec3<double>{1.0, 3.0, 0.0}, length * Vec3<double>{-2.0, -1.0, 0.0},
                     length * Vec3<double>{1.0, -1.0, 0.0}};
  return bodies;
}

}  // namespace

ModelEntry pythagorean_entry() {
  return {"pythagorean",
          "masses 3, 4, 5 at rest, each opposite the side of that length of a triangle (Burrau "
          "1913; Szebehely & Peters 1967)",
          {number("mass_scale", "a fifth of the largest mass [mass]")
               .above(0.0)
               .or_else_in_natural_units(1.0),
           number("length_scale", "a fifth of the longest side [length]")
               .above(0.0)
               .or_else_in_natural_units(1.0)},
          fixed_count<3>,
          make_pythagorean};
}

}  // namespace apsis::initial_conditions
