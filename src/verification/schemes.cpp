// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include <apsis/core/text.hpp>
#include <apsis/integrators/integrator_entry.hpp>

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

/// Returns the largest relative energy error over one period from apocentre, at `samples` times.
/// (The position after one period is misleading: its error has order 2 even for semi-implicit
/// Euler.)
double period_error(Setting const& setting, std::string const& integrator, double eccentricity,
                    int samples, int steps_between) {
  int const steps = samples * steps_between;
  auto const orbit = make_experiment(
      setting, R"({"bodies": {"generator": "kepler"}})",
      {"integrator.name=" + integrator, make_override("bodies.eccentricity", eccentricity),
       make_override("integrator.time_step", 2.0 * std::numbers::pi / steps)});
  return worst_energy_error(*orbit, samples, static_cast<std::uint64_t>(steps_between));
}

/// Errors at the same times of two runs; the second has half the step.
struct Errors {
  double coarse, fine;
};
Errors period_errors(Setting const& setting, std::string const& integrator, double eccentricity,
                     int steps) {
  return {period_error(setting, integrator, eccentricity, steps, 1),
          period_error(setting, integrator, eccentricity, steps, 2)};
}

/// Number of steps for which the leading term dominates the error and rounding is negligible.
/// Without a symplectic form the error of the next order accumulates, so more steps are needed.
constexpr double eccentric = 0.5;
int coarse_steps(integrators::IntegratorEntry const& integrator) {
  if (integrator.order <= 4) return integrator.symplectic ? 400 : 1600;
  return 400;
}

/// Measures symplectic schemes of high order. Their errors differ by five orders of magnitude, so
/// the steps are shortened until the error is close to rounding, but above it.
constexpr double near_circular = 0.17;
Errors errors_near_rounding(Setting const& setting, std::string const& integrator) {
  for (int steps = 10;; steps += steps / 2 - steps / 8) {
    auto const errors = period_errors(setting, integrator, near_circular, steps);
    if (!(errors.fine > 3e-12)) return errors;
  }
}

void report_order(Report const& report, integrators::IntegratorEntry const& integrator,
                  std::string const& problem, Errors const& errors) {
  report({problem + ": order of the energy error", integrator.name,
          std::log2(errors.coarse / errors.fine), static_cast<double>(integrator.order), 0.1});
}

std::string kepler_problem(double eccentricity) {
  return "Kepler e = " + shortest(eccentricity);
}

/// A star and two planets, for schemes that solve the Kepler problem exactly.
std::string const planets = R"({"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
  {"mass": 0.001, "semi_major_axis": 1, "eccentricity": 0.05},
  {"mass": 0.002, "semi_major_axis": 1.9, "eccentricity": 0.1, "mean_anomaly": 100,
   "inclination": 3}]}, "integrator": {"time_step": 0.01}})";

double planets_error(Setting const& setting, std::string const& integrator, int steps) {
  auto const run =
      make_experiment(setting, planets,
                      {"integrator.name=" + integrator,
                       make_override("integrator.time_step", 2.0 * std::numbers::pi / steps)});
  return worst_energy_error(*run, 200, static_cast<std::uint64_t>(steps / 20));
}

}  // namespace

void convergence_order(Setting const& setting, Report const& report) {
  for (auto const& integrator : integrators::integrators()) {
    if (integrator.has_own_steps()) continue;  // the error does not depend on time_step
    if (integrator.needs_dominant_body) {
      report_order(report, integrator, "two planets",
                   {planets_error(setting, integrator.name, 40),
                    planets_error(setting, integrator.name, 80)});
    } else if (integrator.symplectic && integrator.order > 4) {
      report_order(report, integrator, kepler_problem(near_circular),
                   errors_near_rounding(setting, integrator.name));
    } else {
      report_order(report, integrator, kepler_problem(eccentric),
                   period_errors(setting, integrator.name, eccentric, coarse_steps(integrator)));
    }
  }
}

void time_reversal(Setting const& setting, Report const& report) {
  std::string const sphere_deck = R"({"bodies": {"generator": "plummer", "count": 128, "seed": 1},
                                      "gravity": {"softening": 0.05},
                                      "integrator": {"time_step": 0.0078125}})";
  for (auto const& integrator : integrators::integrators()) {
    if (!integrator.time_reversible) continue;
    bool const has_planets = integrator.needs_dominant_body;
    auto const run = make_experiment(setting, has_planets ? planets : sphere_deck,
                                     {"integrator.name=" + integrator.name});
    auto const start = run->bodies();
    run->advance(128);
    run->reverse_time();
    run->advance(128);
    report({(has_planets ? "two planets" : "Plummer sphere") +
                std::string(", forth and back: distance missed"),
            integrator.name, largest_distance(start, run->bodies()), std::nullopt, 1e-13});
  }
}

}  // namespace apsis::verification
