// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include <apsis/integrators/integrator_entry.hpp>

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

/// Largest relative energy error over one period from apocentre. (The position after a period is a
/// trap: its error has order 2 even for semi-implicit Euler.)
double error_of_a_period(std::string const& integrator, int steps) {
  auto const orbit =
      experiment(R"({"bodies": {"generator": "kepler", "eccentricity": 0.5}})",
                 {"integrator.name=" + integrator,
                  override_with("integrator.time_step", 2.0 * std::numbers::pi / steps)});
  return worst_energy_error(*orbit, steps);
}

/// Enough steps a period for the leading term of the error, and few enough that the rounding is no
/// part of it. Without a symplectic form the error of the next order adds up meanwhile.
int coarse_steps(integrators::IntegratorEntry const& integrator) {
  if (integrator.order <= 4) return integrator.symplectic ? 400 : 1600;
  return integrator.symplectic ? 200 : 400;
}

}  // namespace

void convergence_order(Extent, Tell const& tell) {
  for (auto const& integrator : integrators::integrators()) {
    int const steps = coarse_steps(integrator);
    double const ratio =
        error_of_a_period(integrator.name, steps) / error_of_a_period(integrator.name, 2 * steps);
    tell({"Kepler e = 0.5: order of the energy error", integrator.name, std::log2(ratio),
          static_cast<double>(integrator.order), 0.1});
  }
}

void time_reversal(Extent, Tell const& tell) {
  for (auto const& integrator : integrators::integrators()) {
    if (!integrator.time_reversible) continue;
    auto const sphere = experiment(R"({"bodies": {"generator": "plummer", "count": 128, "seed": 1},
                                 "gravity": {"softening": 0.05},
                                 "integrator": {"time_step": 0.0078125}})",
                                   {"integrator.name=" + integrator.name});
    auto const start = sphere->bodies();
    sphere->advance(128);
    sphere->turn_back();
    sphere->advance(128);
    tell({"Plummer sphere, forth and back: distance missed", integrator.name,
          largest_distance(start, sphere->bodies()), std::nullopt, 1e-13});
  }
}

}  // namespace apsis::verification
