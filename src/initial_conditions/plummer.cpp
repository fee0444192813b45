// SPDX-License-Identifier: Apache-2.0
#include "masses.hpp"

#include <cmath>
#include <numbers>

namespace apsis::initial_conditions {

namespace {

/// The scale radius of a Plummer sphere in Henon units (G = M = 1, E = -1/4).
constexpr double henon_scale_radius = 3.0 * std::numbers::pi / 16.0;

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
  double const unit = std::sqrt(G * masses.total / scale);  // of velocity
  return cluster(values, std::move(masses), [=](auto& random, auto& position, auto& velocity) {
    // Equation A2: the radius that encloses a random fraction of the mass.
    double const radius = 1.0 / std::sqrt(std::pow(random.uniform(), -2.0 / 3.0) - 1.0);
    double const escape = std::numbers::sqrt2 * std::pow(1.0 + radius * radius, -0.25);
    position = scale * radius * random.direction();
    double const speed = escape_speed_fraction(random) * escape * unit;
    velocity = speed * random.direction();
  });
}

}  // namespace

ModelEntry plummer_entry() {
  return cluster_entry(
      "plummer", "Plummer sphere in equilibrium (Aarseth, Henon & Wielen 1974), centred",
      {number("scale_radius", "Plummer's a [length]; the default is that of Henon units")
           .above(0.0)
           .or_else(henon_scale_radius)},
      make_plummer);
}

}  // namespace apsis::initial_conditions
