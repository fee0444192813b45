// SPDX-License-Identifier: Apache-2.0
#include "masses.hpp"

#include <cmath>
#include <numbers>

namespace apsis::initial_conditions {

namespace {

/// Scale radius of a Plummer sphere in Henon units (G = M = 1, E = -1/4).
constexpr double henon_scale_radius = 3.0 * std::numbers::pi / 16.0;

/// Default outer radius in scale radii: it encloses 0.999 of the mass of the infinite sphere, as in
/// Starlab, NEMO and AMUSE (22.8 in Henon units).
constexpr double default_truncation = 38.7;

/// Draws a speed in units of the local escape speed from g(q) = q^2 (1 - q^2)^(7/2) by rejection
/// below 0.1 (the maximum is 0.0922). Aarseth, Henon & Wielen 1974, equations A4 and A5.
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
  // Fraction of the mass of the infinite sphere inside the truncation (equation A1). The bodies
  // have this mass; the mass outside would not accelerate them.
  double const inside = std::pow(1.0 + 1.0 / (truncation * truncation), -1.5);
  double const unit = std::sqrt(G * masses.total / inside / scale);  // unit of velocity
  return make_cluster(
      values, std::move(masses), G, [=](auto& random, auto& position, auto& velocity) {
        // Equation A2: radius that encloses a random fraction of the mass.
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
  return cited(
      cluster_entry(
          "plummer",
          "Plummer sphere in equilibrium (Aarseth, Henon & Wielen 1974), truncated far out, at the "
          "origin",
          {number("scale_radius", "Plummer's a [length]; the default is that of Henon units")
               .above(0.0)
               .with_default_in_natural_units(henon_scale_radius),
           number("truncation",
                  "outer radius in scale radii; 38.7, which encloses 0.999 of the mass of the "
                  "infinite "
                  "sphere, as in Starlab, NEMO and AMUSE; NBODY6 has 10")
               .at_least(1.0)
               .at_most(1e6)
               .with_default(default_truncation)},
          make_plummer),
      {"Plummer1911", "AarsethHenonWielen1974", "Salmon2011"});
}

}  // namespace apsis::initial_conditions
