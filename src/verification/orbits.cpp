// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include <apsis/diagnostics/orbital_elements.hpp>

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

/// Returns a simulation of few bodies with an integrator accurate to rounding.
std::unique_ptr<simulation::Simulation> make_orbits(Setting const& setting,
                                                    std::string const& bodies, double time_step) {
  return make_experiment(setting,
                         R"({"integrator": {"name": "yoshida8"}, "bodies": )" + bodies + "}",
                         {make_override("integrator.time_step", time_step)});
}

/// Returns the difference of two angles, in (-pi, pi].
double angle_difference(double start, double end) {
  return std::remainder(end - start, 2.0 * std::numbers::pi);
}

}  // namespace

void two_body_orbit(Setting const& setting, Report const& report) {
  int const orbits = setting.quick ? 100 : 1000;
  constexpr int steps_per_period = 200;
  auto const orbit = make_orbits(setting, R"({"generator": "kepler", "eccentricity": 0.5,
                                   "primary_mass": 0.7, "secondary_mass": 0.3,
                                   "inclination": 30, "node": 40, "argument": 50})",
                                 2.0 * std::numbers::pi / steps_per_period);
  auto const elements = [&] {
    auto const bodies = orbit->bodies();
    return diagnostics::orbital_elements(1.0, 1.0, bodies.position[1] - bodies.position[0],
                                         bodies.velocity[1] - bodies.velocity[0]);
  };
  auto const start = elements();
  double axis = 0.0, eccentricity = 0.0;
  for (int i = 0; i < orbits; ++i) {
    orbit->advance(steps_per_period);
    auto const now = elements();
    axis = worse(axis, now.semi_major_axis - 1.0);
    eccentricity = worse(eccentricity, now.eccentricity - 0.5);
  }
  auto const end = elements();
  auto const name = "Kepler e = 0.5, " + std::to_string(orbits) + " orbits: ";
  auto const row = [&](std::string const& quantity, double error, double limit) {
    report({name + quantity, "yoshida8", std::abs(error), std::nullopt, limit});
  };
  row("error of a", axis, 1e-12);
  row("error of e", eccentricity, 1e-12);
  row("turn of the plane", end.inclination - start.inclination, 1e-12);
  row("turn of the node", angle_difference(start.ascending_node, end.ascending_node), 1e-12);
  // The truncation error of order 8 that remains at this step rotates the orbit by the same angle
  // each period.
  row("turn of pericentre",
      angle_difference(start.argument_of_pericentre, end.argument_of_pericentre), 2e-9 * orbits);
  row("error of the phase", angle_difference(start.mean_anomaly, end.mean_anomaly), 5e-10 * orbits);
}

void few_bodies(Setting const& setting, Report const& report) {
  constexpr auto method = "gauss_radau15";
  // a = 1, e = 0.99, from apocentre; position of the first body after 100 orbits in 128 bits.
  auto const binary = make_experiment(setting, R"({"bodies": {"list": [
      {"mass": 0.7, "position": [0.597, -7.3111413909096972e-17, 0],
       "velocity": [2.6043872960675307e-16, 0.021266436150250086, 0]},
      {"mass": 0.3, "position": [-1.393, 1.7059329912122628e-16, 0],
       "velocity": [-6.0769036908242377e-16, -0.049621684350583534, 0]}]},
      "gravity": {"softening": 0},
      "integrator": {"name": "gauss_radau15", "time_step": 628.31853071795865}})");
  binary->advance();
  Vec3<double> const known{0.5969999999999999751, -3.9e-16, 0.0};
  report({"Kepler e = 0.99, 100 orbits: distance missed", method,
          norm(binary->bodies().position[0] - known), std::nullopt, 5e-12});
  auto const burrau = make_experiment(setting, R"({"bodies": {"generator": "pythagorean"},
      "gravity": {"softening": 0}, "integrator": {"name": "gauss_radau15", "time_step": 0.5}})");
  report({"Pythagorean problem to t = 70: energy error", method, worst_energy_error(*burrau, 140),
          std::nullopt, 1e-11});
}

void figure_eight(Setting const& setting, Report const& report) {
  // Period for G = m = 1; Chenciner & Montgomery 2000, refined until the orbit closes in 40 digits.
  constexpr double period = 6.32591398292621;
  constexpr int steps_per_third = 200;
  auto const eight =
      make_orbits(setting, R"({"generator": "figure_eight"})", period / (3 * steps_per_third));
  auto const start = eight->bodies();
  // After a third of a period each body is at the initial position of another.
  auto permuted = start;
  for (std::size_t i = 0; i < 3; ++i) permuted.position[i] = start.position[(i + 2) % 3];
  eight->advance(steps_per_third);
  report({"figure of eight: distance missed after T / 3", "yoshida8",
          largest_distance(permuted, eight->bodies()), std::nullopt, 1e-12});
  eight->advance(2 * steps_per_third);
  report({"figure of eight: distance missed after T", "yoshida8",
          largest_distance(start, eight->bodies()), std::nullopt, 1e-12});
}

void lagrange_triangle(Setting const& setting, Report const& report) {
  // Three masses of 1 at distance 1 from their centre: omega^2 = 3 / sqrt(3)^3.
  double const period = 2.0 * std::numbers::pi * std::pow(3.0, 0.25);
  constexpr int steps_per_period = 600;
  auto const triangle =
      make_orbits(setting, R"({"generator": "lagrange_triangle"})", period / steps_per_period);
  auto const start = triangle->bodies();
  triangle->advance(steps_per_period);
  report({"Lagrange triangle: distance missed after a period", "yoshida8",
          largest_distance(start, triangle->bodies()), std::nullopt, 1e-11});
  report({"Lagrange triangle: energy", "yoshida8", triangle->measure().total(),
          -0.5 * std::numbers::sqrt3, 1e-13});
}

void solar_system(Setting const& setting, Report const& report) {
  int const years = setting.quick ? 20 : 1000;
  constexpr int steps_per_year = 400;
  auto const planets =
      make_orbits(setting, R"({"generator": "solar_system"}, "units": {"system": "solar"})",
                  1.0 / steps_per_year);
  auto const start = planets->measure();
  // Measured 40 times a year. Once a year the Earth would always be at the same position.
  double const worst = worst_energy_error(*planets, 40 * years, steps_per_year / 40);
  auto const name = "Sun and planets, " + std::to_string(years) + " years: ";
  report({name + "energy error", "yoshida8", worst, std::nullopt, 1e-11});
  double const momentum_change = norm(planets->measure().angular_momentum - start.angular_momentum);
  report({name + "angular momentum error", "yoshida8",
          momentum_change / norm(start.angular_momentum), std::nullopt, 1e-12});
}

}  // namespace apsis::verification
