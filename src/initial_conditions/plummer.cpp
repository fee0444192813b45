// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/initial_conditions/random.hpp>

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

HostBodies make(Values const& values, double G) {
  auto const count = static_cast<std::size_t>(requested_count(values));
  auto const seed = requested_seed(values);
  double const mass = values.number("mass");
  double const scale = values.number("scale_radius");
  HostBodies bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    BodyRandom random(seed, i);
    // Equation A2: the radius that encloses a random fraction of the mass.
    double const radius = 1.0 / std::sqrt(std::pow(random.uniform(), -2.0 / 3.0) - 1.0);
    double const escape = std::numbers::sqrt2 * std::pow(1.0 + radius * radius, -0.25);
    bodies.mass[i] = mass / static_cast<double>(count);
    bodies.position[i] = scale * radius * random.direction();
    double const speed = escape_speed_fraction(random) * escape * std::sqrt(G * mass / scale);
    bodies.velocity[i] = speed * random.direction();
  }
  centre(bodies);
  return bodies;
}

}  // namespace

ModelEntry plummer_entry() {
  return {"plummer",
          "Plummer sphere in equilibrium (Aarseth, Henon & Wielen 1974), equal masses, centred",
          with_count_and_seed(
              {number("mass", "of the whole sphere [mass]").above(0.0).or_else(1.0),
               number("scale_radius", "Plummer's a [length]; the default is that of Henon units")
                   .above(0.0)
                   .or_else(henon_scale_radius),
               boolean("henon_units",
                       "rescale the finished sphere so that M = 1, E = -1/4 and 2K = -W exactly, "
                       "with the run's own softening; needs G = 1")
                   .or_else(false)}),
          requested_count, make};
}

}  // namespace apsis::initial_conditions
