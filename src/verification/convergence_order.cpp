// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"
#include <apsis/integrators/integrator_entry.hpp>

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

/// Largest relative energy error over one period from apocentre. (The position after a period is a
/// trap: its error has order 2 even for semi-implicit Euler.)
double worst_energy_error(std::string const& integrator, int steps) {
  auto const orbit =
      experiment(R"({"bodies": {"generator": "kepler", "eccentricity": 0.5},
                              "integrator": {"time_step": 1}, "run": {"steps": 1}})",
                 {"integrator.name=" + integrator,
                  override_with("integrator.time_step", 2.0 * std::numbers::pi / steps)});
  double const start_energy = orbit->measure().total();
  double worst = 0.0;
  for (int step = 0; step < steps; ++step) {
    orbit->advance();
    worst = worse(worst, relative_energy_error(*orbit, start_energy));
  }
  return worst;
}

/// Enough steps a period for the leading term of the error, and few enough that the rounding is no
/// part of it. Without a symplectic form the error of the next order adds up meanwhile.
int coarse_steps(integrators::IntegratorEntry const& integrator) {
  if (integrator.order <= 4) return integrator.symplectic ? 400 : 1600;
  return integrator.symplectic ? 200 : 400;
}

void verify(Extent, Tell const& tell) {
  for (auto const& integrator : integrators::integrators()) {
    int const steps = coarse_steps(integrator);
    double const ratio =
        worst_energy_error(integrator.name, steps) / worst_energy_error(integrator.name, 2 * steps);
    tell({"Kepler e = 0.5: order of the energy error", integrator.name, std::log2(ratio),
          static_cast<double>(integrator.order), 0.1});
  }
}

}  // namespace

KnownAnswer convergence_order() {
  return {"convergence_order", "every integrator's order, on a Kepler orbit with e = 0.5", verify};
}

}  // namespace apsis::verification
