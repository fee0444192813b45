// SPDX-License-Identifier: Apache-2.0
#include "masses.hpp"

#include <cmath>
#include <numbers>

namespace apsis::initial_conditions {

namespace {

/// The scale radius of a Plummer sphere in Henon units (G = M = 1, E = -1/4).
constexpr double henon_scale_radius = 3.0 * std::numbers::pi / 16.0;

/// Where the sphere ends over its scale radius: it has 0.999 of its mass inside, as in Starlab,
/// NEMO and AMUSE (22.8 in Henon units).
constexpr double usual_truncation = 38.7;

/// Speed in units of the local escape speed, drawn from g(q) = q^2 (1 - q^2)^(7/2) by rejection
/// under 0.1 (its largest value is 0.0922). Aarseth, Henon & Wielen 1974, equations A4 and A5.
double escape_speed_fraction(BodyRandom& random) {
  for (;;) {
    double const q = random.uniform();
    double const y = 0.1 * random.uniform();
    if (y < q * q * std::pow(1.0 - q * q, 3.5)) return q;
  }
}

HostBodies make_plummer(Values const& values, double G) {
  auto masses = drawn_masses(values);
  double const scale = values.number("scale_radius");
  double const truncation = values.number("truncation");
  // The part of an endless sphere's mass that is inside (equation A1). The bodies have it, and what
  // would be further out pulls none of them.
  double const inside = std::pow(1.0 + 1.0 / (truncation * truncation), -1.5);
  double const unit = std::sqrt(G * masses.total / inside / scale);  // of velocity
  return cluster(values, std::move(masses), [=](auto& random, auto& position, auto& velocity) {
    // Equation A2: the radius that encloses a random fraction of the mass.
    double const fraction = inside * random.uniform();
    double const radius = 1.0 / std::sqrt(std::pow(fraction, -2.0 / 3.0) - 1.0);
    double const escape = std::numbers::sqrt2 * std::pow(1.0 + radius * radius, -0.25);
    position = scale * radius * random.direction();
    double const speed = escape_speed_fraction(random) * escape * unit;
    velocity = speed * random.direction();
  });
}

}  // namespace

ModelEntry plummer_entry() {
  return cluster_entry(
      "plummer",
      "Plummer sphere in equilibrium (Aarseth, Henon & Wielen 1974), cut far out, at the origin",
      {number("scale_radius", "Plummer's a [length]; the default is that of Henon units")
           .above(0.0)
           .or_else_in_natural_units(henon_scale_radius),
       number("truncation",
              "the sphere ends at this many scale radii; 38.7, with 0.999 of an endless sphere's "
              "mass inside, is Starlab's, NEMO's and AMUSE's, 10 is NBODY6's")
           .at_least(1.0)
           .at_most(1e6)
           .or_else(usual_truncation)},
      make_plummer);
}

}  // namespace apsis::initial_conditions
