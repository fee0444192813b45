// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"
#include <apsis/diagnostics/orbital_elements.hpp>

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

constexpr int steps_a_period = 200;

/// The difference of two angles, in (-pi, pi].
double turned(double from, double to) {
  return std::remainder(to - from, 2.0 * std::numbers::pi);
}

void verify(Extent extent, Tell const& tell) {
  int const orbits = extent == Extent::quick ? 100 : 1000;
  auto const orbit = experiment(
      R"({"bodies": {"generator": "kepler", "eccentricity": 0.5,
                                "primary_mass": 0.7, "secondary_mass": 0.3,
                                "inclination": 30, "node": 40, "argument": 50},
                              "integrator": {"name": "yoshida8", "time_step": 1},
                              "run": {"steps": 1}})",
      {override_with("integrator.time_step", 2.0 * std::numbers::pi / steps_a_period)});
  auto const elements = [&] {
    auto const bodies = orbit->bodies();
    return diagnostics::orbital_elements(1.0, 1.0, bodies.position[1] - bodies.position[0],
                                         bodies.velocity[1] - bodies.velocity[0]);
  };
  auto const start = elements();
  double axis = 0.0, eccentricity = 0.0;
  for (int i = 0; i < orbits; ++i) {
    orbit->advance(steps_a_period);
    auto const now = elements();
    axis = worse(axis, now.semi_major_axis - 1.0);
    eccentricity = worse(eccentricity, now.eccentricity - 0.5);
  }
  auto const end = elements();
  auto const name = "Kepler e = 0.5, " + std::to_string(orbits) + " orbits: ";
  auto const row = [&](std::string const& what, double error, double limit) {
    tell({name + what, "yoshida8", std::abs(error), std::nullopt, limit});
  };
  row("error of a", axis, 1e-12);
  row("error of e", eccentricity, 1e-12);
  row("turn of the plane", end.inclination - start.inclination, 1e-12);
  row("turn of the node", turned(start.ascending_node, end.ascending_node), 1e-12);
  // What is left of order 8 at so many steps turns the orbit, as the same angle each period.
  row("turn of pericentre", turned(start.argument_of_pericentre, end.argument_of_pericentre),
      2e-9 * orbits);
  row("error of the phase", turned(start.mean_anomaly, end.mean_anomaly), 5e-10 * orbits);
}

}  // namespace

KnownAnswer two_body_orbit() {
  return {"two_body_orbit", "the elements of a Kepler orbit stay for a thousand orbits", verify};
}

}  // namespace apsis::verification
