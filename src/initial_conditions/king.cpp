// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/king_profile.hpp"
#include "masses.hpp"

#include <cmath>

namespace apsis::initial_conditions {

namespace {

/// Ratio of the radius in the deck to the same radius in Henon units.
double length_scale(Values const& values, KingProfile const& king) {
  if (values.has("core_radius")) return values.number("core_radius") / king.core_radius;
  if (values.has("half_mass_radius")) {
    return values.number("half_mass_radius") / king.half_mass_radius;
  }
  return values.has("virial_radius") ? values.number("virial_radius") : 1.0;
}

HostBodies make_king(Values const& values, double G) {
  auto masses = drawn_masses(values);
  auto const king = king_profile(values.number("W0"));
  double const length = length_scale(values, king);
  double const unit = std::sqrt(G * masses.total / length) * king.velocity_scale;
  return make_cluster(
      values, std::move(masses), G, [&](auto& random, auto& position, auto& velocity) {
        double const radius = king.radius_of_mass(random.uniform());
        position = (length * radius) * random.direction();
        double const speed = unit * draw_king_speed(random, king.potential_at(radius));
        velocity = speed * random.direction();
      });
}

std::vector<Problem> check_king(Values const& values, Units const& units) {
  auto problems = check_masses(values, units);
  std::string other;
  for (auto const* name : {"virial_radius", "half_mass_radius", "core_radius"}) {
    if (!values.has(name)) continue;
    if (!other.empty()) {
      problems.push_back({name, "contradicts " + other, "each of them sets the size of the cluster",
                          "keep one of them"});
    }
    other = name;
  }
  return problems;
}

}  // namespace

ModelEntry king_entry() {
  auto entry = cluster_entry(
      "king",
      "King model in equilibrium (King 1966, AJ 71, 64), isotropic, at the origin; its density "
      "ends at the tidal radius",
      {number("W0", "central potential over the squared velocity scale")
           .at_least(0.1)
           .at_most(16.0)
           .with_default(6.0),
       number(
           "virial_radius",
           "G M^2 / (2 |W|) [length]; set at most one of the three radii; without any of them the "
           "virial radius is 1 in dimensionless units, as in Henon units")
           .above(0.0)
           .with_default_in_natural_units({})
           .needed_unless({"half_mass_radius", "core_radius"}),
       number("half_mass_radius", "encloses half the mass [length]").above(0.0),
       number("core_radius", "King's r_c = 3 sigma / sqrt(4 pi G rho_0) [length]").above(0.0)},
      make_king);
  entry.check = check_king;
  entry.cite = {"King1966", "Salmon2011"};
  return entry;
}

}  // namespace apsis::initial_conditions
