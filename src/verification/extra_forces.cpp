// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/orbital_elements.hpp>

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

constexpr double pi = std::numbers::pi;
constexpr auto own_steps = "gauss_radau15";

/// A body at rest at the origin, a massless body, and a force. hermite4 makes two corrections,
/// which its order needs if a force depends on velocity.
std::unique_ptr<simulation::Simulation> make_orbit(Setting const& setting, std::string const& force,
                                                   Vec3<double> const& position,
                                                   Vec3<double> const& velocity, double time_step,
                                                   std::string const& integrator = own_steps,
                                                   double central_mass = 1.0) {
  auto const vector = [](Vec3<double> const& v) {
    auto const number = [](double value) { return make_override("", value).substr(1); };
    return "[" + number(v.x) + ", " + number(v.y) + ", " + number(v.z) + "]";
  };
  std::string const sun = central_mass > 0.0 ? R"({"mass": 1, "position": [0, 0, 0]}, )" : "";
  return make_experiment(setting,
                         R"({"bodies": {"list": [)" + sun + R"({"mass": 0, "position": )" +
                             vector(position) + R"(, "velocity": )" + vector(velocity) +
                             R"(}]}, "gravity": {"softening": 0}, "integrator": {"name": ")" +
                             integrator +
                             (integrator == "hermite4" ? R"(", "corrections": 2)" : R"(")") +
                             R"(}, "forces": [)" + force + "]}",
                         {make_override("integrator.time_step", time_step)});
}

diagnostics::OrbitalElements elements_of(simulation::Simulation& orbit, double mu = 1.0) {
  auto const& bodies = orbit.bodies();
  return diagnostics::orbital_elements(1.0, mu, bodies.position[1] - bodies.position[0],
                                       bodies.velocity[1] - bodies.velocity[0]);
}

double turned(double start, double end) {
  return std::remainder(end - start, 2.0 * pi);
}

/// Advances to the next passage of pericentre, which is less than half an orbit away in time. The
/// elements vary during an orbit, but not from pericentre to pericentre.
diagnostics::OrbitalElements at_pericentre(simulation::Simulation& orbit) {
  for (int iteration = 0; iteration < 3; ++iteration) {
    auto const now = elements_of(orbit);
    double const anomaly = std::remainder(now.mean_anomaly, 2.0 * pi);
    orbit.set_time_step(-anomaly / (2.0 * pi) * now.period);
    orbit.advance();
  }
  return elements_of(orbit);
}

/// Pericentre of Mercury per orbit: 6 pi G M / (c^2 a (1 - e^2)); au, Msun, years / 2 pi.
void precession(Setting const& setting, Report const& report) {
  constexpr double a = 0.38709893, e = 0.20563069, known = 5.018843127094e-07;
  double const period = 2.0 * pi * std::pow(a, 1.5);
  constexpr int orbits = 100;
  auto const report_angle = [&](simulation::Simulation& orbit, std::string const& problem) {
    auto const start = elements_of(orbit);
    orbit.advance();
    double const angle =
        turned(start.argument_of_pericentre, at_pericentre(orbit).argument_of_pericentre);
    report({problem, own_steps, angle / orbits, known, 1e-6 * known});
  };
  double const q = a * (1.0 - e), speed = std::sqrt((1.0 + e) / q);
  std::string const light = R"(", "c": 10065.130024416565})";
  for (std::string const name : {"post_newtonian", "schwarzschild", "einstein_infeld_hoffmann"}) {
    auto const orbit = make_orbit(setting, R"({"name": ")" + name + light, {q, 0.0, 0.0},
                                  {0.0, speed, 0.0}, orbits * period);
    report_angle(*orbit, name + ": precession per orbit");
  }
  // For two masses the angle depends only on their sum.
  auto const body = [&](char const* mass, double share) {
    auto const number = [&](double value) { return shortest(share * value); };
    return R"({"mass": )" + std::string(mass) + R"(, "position": [)" + number(q) +
           R"(, 0, 0], "velocity": [0, )" + number(speed) + ", 0]}";
  };
  auto const binary = make_experiment(
      setting,
      R"({"bodies": {"list": [)" + body("0.75", -0.25) + ", " + body("0.25", 0.75) +
          R"(]}, "gravity": {"softening": 0}, "integrator": {"name": "gauss_radau15"},
             "forces": [{"name": "einstein_infeld_hoffmann)" +
          light + "]}",
      {make_override("integrator.time_step", orbits * period)});
  report_angle(*binary, "einstein_infeld_hoffmann: precession, two masses");
}

/// Secular rates of node and pericentre for J2 = 1e-3, R = 0.1, a = 1, e = 0.1, i = 30 deg, to
/// first order in J2. Measured with a thousandth of that J2, so that the second order is small.
void oblateness(Setting const& setting, Report const& report) {
  constexpr double node_rate = -1.325413841115e-05, pericentre_rate = 2.104377104377e-05;
  constexpr double e = 0.1, scale = 1e-3;
  constexpr int orbits = 50;
  double const speed = std::sqrt((1.0 + e) / (1.0 - e));
  auto const orbit =
      make_orbit(setting, R"({"name": "oblate", "J2": 1e-6, "R": 0.1})", {1.0 - e, 0.0, 0.0},
                 {0.0, speed * std::sqrt(0.75), 0.5 * speed}, 2.0 * pi * orbits);
  auto const start = elements_of(*orbit);
  orbit->advance();
  auto const end = at_pericentre(*orbit);
  double const time = orbit->time() * scale;
  report({"oblate: rate of the node", own_steps,
          turned(start.ascending_node, end.ascending_node) / time, node_rate,
          1e-6 * std::abs(node_rate)});
  report({"oblate: rate of pericentre", own_steps,
          turned(start.argument_of_pericentre, end.argument_of_pericentre) / time, pericentre_rate,
          1e-6 * pericentre_rate});
}

/// A circular orbit decays as a^2 = a0^2 - 4 beta G M t / c (Burns, Lamy & Soter 1979), where it is
/// that about the mass (1 - beta) M.
void drag(Setting const& setting, Report const& report) {
  constexpr double beta = 0.1, c = 1e5, time = 200.0 * pi;
  auto const orbit =
      make_orbit(setting, R"({"name": "radiation", "beta": {"value": 0.1}, "c": 1e5})",
                 {1.0, 0.0, 0.0}, {0.0, std::sqrt(1.0 - beta), 0.0}, time);
  orbit->advance();
  double const lost = 1.0 - elements_of(*orbit, 1.0 - beta).semi_major_axis;
  double const known = 1.0 - std::sqrt(1.0 - 4.0 * beta * time / c);
  report({"radiation: decay of a circular orbit", own_steps, lost, known, 1e-6 * known});
}

/// A circular orbit in the plane of a profile closes after 2 pi r / v.
void circular_orbits(Setting const& setting, Report const& report) {
  constexpr double r = 1.5;
  double const ln = std::log(1.0 + r / 2.0);
  struct Case {
    char const *profile, *parameters;
    double speed_squared;
  };
  Case const cases[]{
      {"point_mass", R"("mass": 3)", 3.0 / r},
      {"plummer", R"("mass": 3, "scale_radius": 2)", 3.0 * r * r / std::pow(r * r + 4.0, 1.5)},
      {"logarithmic", R"("velocity": 1.25, "scale_radius": 0.5, "flattening": 0.8)",
       1.25 * 1.25 * r * r / (r * r + 0.25)},
      {"nfw", R"("mass": 3, "scale_radius": 2)", 3.0 / r * (ln - r / (2.0 + r))},
      {"miyamoto_nagai", R"("mass": 3, "scale_radius": 2, "scale_height": 0.5)",
       3.0 * r * r / std::pow(r * r + 6.25, 1.5)}};
  constexpr int steps = 800;
  for (auto const& known : cases) {
    double const speed = std::sqrt(known.speed_squared);
    for (std::string const integrator : {"yoshida8", "hermite6"}) {
      auto const orbit = make_orbit(
          setting,
          R"({"name": "external", "profile": ")" + std::string(known.profile) + "\", " +
              known.parameters + "}",
          {r, 0.0, 0.0}, {0.0, speed, 0.0}, 2.0 * pi * r / speed / steps, integrator, 0.0);
      orbit->advance(steps);
      report({std::string(known.profile) + ": distance missed after a circle", integrator,
              norm(orbit->bodies().position[0] - Vec3<double>{r, 0.0, 0.0}), std::nullopt,
              integrator == "yoshida8" ? 1e-12 : 1e-11});
    }
  }
}

/// Epicycle x = cos(kappa t), y = -2 omega / kappa sin(kappa t), z = cos(nu t).
void epicycles(Setting const& setting, Report const& report) {
  constexpr double omega = 0.5, kappa = 0.7, nu = 1.1, time = 100.0;
  for (std::string const integrator : {"gauss_radau15", "hermite4"}) {
    bool const is_own = integrator == own_steps;
    int const steps = is_own ? 1 : 20000;
    auto const orbit =
        make_orbit(setting, R"({"name": "tidal_field", "omega": 0.5, "kappa": 0.7, "nu": 1.1})",
                   {1.0, 0.0, 1.0}, {0.0, -2.0 * omega, 0.0}, time / steps, integrator, 0.0);
    orbit->advance(static_cast<std::uint64_t>(steps));
    Vec3<double> const known{std::cos(kappa * time), -2.0 * omega / kappa * std::sin(kappa * time),
                             std::cos(nu * time)};
    report({"tidal_field: distance from the epicycle", integrator,
            norm(orbit->bodies().position[0] - known), std::nullopt, is_own ? 1e-11 : 1e-8});
  }
}

/// Energy of massive bodies: pairs once, fields once per body.
void energies(Setting const& setting, Report const& report) {
  constexpr auto bodies = R"({"bodies": {"list": [
      {"mass": 1, "position": [0.3, 0.1, 0]},
      {"mass": 0.2, "position": [1.2, 0, 0.1], "velocity": [0, 0.9, 0.3]},
      {"mass": 0.1, "position": [0, -2.5, 0.5], "velocity": [0.7, 0, 0]}]},
      "integrator": {"name": "gauss_radau15", "time_step": 1}, "forces": [)";
  char const* const forces[][2]{
      {"external", R"({"name": "external", "profile": "miyamoto_nagai", "mass": 2,
                       "scale_radius": 1, "scale_height": 0.3})"},
      {"tidal_field", R"({"name": "tidal_field", "omega": 0.2})"},
      {"oblate", R"({"name": "oblate", "J2": 0.1, "R": 0.2, "axis": [1, 0, 2]})"},
      {"post_newtonian", R"({"name": "post_newtonian", "c": 20})"},
      // The error is of the order (v / c)^4.
      {"einstein_infeld_hoffmann", R"({"name": "einstein_infeld_hoffmann", "c": 4000})"}};
  for (auto const& [name, force] : forces) {
    auto const system = make_experiment(setting, bodies + std::string(force) + "]}");
    report({std::string(name) + ", three masses: energy error", own_steps,
            worst_energy_error(*system, 20), std::nullopt, 1e-11});
  }
}

}  // namespace

void extra_forces(Setting const& setting, Report const& report) {
  precession(setting, report);
  oblateness(setting, report);
  drag(setting, report);
  circular_orbits(setting, report);
  epicycles(setting, report);
  energies(setting, report);
}

}  // namespace apsis::verification
