// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include <apsis/core/text.hpp>
#include <apsis/integrators/integrator_entry.hpp>

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

/// Largest relative energy error over one period from apocentre, at so many times. (The position
/// after a period is a trap: its error has order 2 even for semi-implicit Euler.)
double error_of_a_period(Setting const& setting, std::string const& integrator, double eccentricity,
                         int looks, int steps_between) {
  int const steps = looks * steps_between;
  auto const orbit = experiment(
      setting, R"({"bodies": {"generator": "kepler"}})",
      {"integrator.name=" + integrator, override_with("bodies.eccentricity", eccentricity),
       override_with("integrator.time_step", 2.0 * std::numbers::pi / steps)});
  return worst_energy_error(*orbit, looks, static_cast<std::uint64_t>(steps_between));
}

/// Errors at the same times of two runs, one with half the step of the other.
struct Errors {
  double coarse, fine;
};
Errors errors_of_a_period(Setting const& setting, std::string const& integrator,
                          double eccentricity, int steps) {
  return {error_of_a_period(setting, integrator, eccentricity, steps, 1),
          error_of_a_period(setting, integrator, eccentricity, steps, 2)};
}

/// Enough steps for the leading term of the error, and few enough that rounding is no part of it.
/// Without a symplectic form the error of the next order adds up meanwhile.
constexpr double eccentric = 0.5;
int coarse_steps(integrators::IntegratorEntry const& integrator) {
  if (integrator.order <= 4) return integrator.symplectic ? 400 : 1600;
  return 400;
}

/// Symplectic schemes of high order: their errors differ by five orders of magnitude, so the steps
/// are made shorter until the error is near the rounding, but above it.
constexpr double near_circular = 0.17;
Errors errors_near_rounding(Setting const& setting, std::string const& integrator) {
  for (int steps = 10;; steps += steps / 2 - steps / 8) {
    auto const errors = errors_of_a_period(setting, integrator, near_circular, steps);
    if (!(errors.fine > 3e-12)) return errors;
  }
}

void tell_order(Tell const& tell, integrators::IntegratorEntry const& integrator,
                double eccentricity, Errors const& errors) {
  tell({"Kepler e = " + shortest(eccentricity) + ": order of the energy error", integrator.name,
        std::log2(errors.coarse / errors.fine), static_cast<double>(integrator.order), 0.1});
}

}  // namespace

void convergence_order(Setting const& setting, Tell const& tell) {
  for (auto const& integrator : integrators::integrators()) {
    if (integrator.symplectic && integrator.order > 4) {
      tell_order(tell, integrator, near_circular, errors_near_rounding(setting, integrator.name));
    } else {
      tell_order(tell, integrator, eccentric,
                 errors_of_a_period(setting, integrator.name, eccentric, coarse_steps(integrator)));
    }
  }
}

void time_reversal(Setting const& setting, Tell const& tell) {
  for (auto const& integrator : integrators::integrators()) {
    if (!integrator.time_reversible) continue;
    auto const sphere =
        experiment(setting, R"({"bodies": {"generator": "plummer", "count": 128, "seed": 1},
                                 "gravity": {"softening": 0.05},
                                 "integrator": {"time_step": 0.0078125}})",
                   {"integrator.name=" + integrator.name});
    auto const start = sphere->bodies();
    sphere->advance(128);
    sphere->reverse_time();
    sphere->advance(128);
    tell({"Plummer sphere, forth and back: distance missed", integrator.name,
          largest_distance(start, sphere->bodies()), std::nullopt, 1e-13});
  }
}

}  // namespace apsis::verification
