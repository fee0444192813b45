// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/lagrangian_radii.hpp>

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

/// Ten crossing times of 2 sqrt 2 (Henon units) are 905 steps of 1/32.
constexpr int steps_a_sample = 9;
constexpr int samples = 100;
/// Over the last crossing time the mean is taken: what else a shell's radius does is phase mixing
/// and the noise of counting.
constexpr int averaged = samples / 10;

/// The radius of a Plummer sphere in Henon units that encloses a fraction of the mass (Aarseth,
/// Henon & Wielen 1974, equation A2).
double plummer_radius(double fraction) {
  double const scale = 3.0 * std::numbers::pi / 16.0;
  return scale / std::sqrt(std::pow(fraction, -2.0 / 3.0) - 1.0);
}

void verify(Extent extent, Tell const& tell) {
  bool const quick = extent == Extent::quick;
  // Softened, lest close pairs relax the sphere within the ten crossing times.
  auto const sphere = experiment(R"({"bodies": {"generator": "plummer", "count": 8192, "seed": 1,
                                   "henon_units": true},
                        "gravity": {"softening": 0.03},
                        "integrator": {"name": "leapfrog_kdk", "time_step": 0.03125},
                        "run": {"steps": 1}})",
                                 {quick ? "bodies.count=2048" : "bodies.count=8192"});
  std::vector<double> const fractions{0.1, 0.5, 0.9};
  std::vector<double> radii(fractions.size());
  double const start_energy = sphere->measure().total();
  double virial_ratio = 0.0, energy_error = 0.0;
  for (int sample = 0; sample < samples; ++sample) {
    sphere->advance(steps_a_sample);
    virial_ratio += sphere->measure().virial_ratio() / samples;
    energy_error = worse(energy_error, relative_energy_error(*sphere, start_energy));
    if (sample < samples - averaged) continue;
    auto const now = diagnostics::lagrangian_radii(sphere->bodies(), {}, fractions);
    for (std::size_t k = 0; k < radii.size(); ++k) radii[k] += now[k] / averaged;
  }
  std::string const name = "Plummer sphere, 10 crossing times: ";
  auto const method = "leapfrog_kdk";
  for (std::size_t k = 0; k < fractions.size(); ++k) {
    // Four times the scatter from seed to seed.
    double const expected = plummer_radius(fractions[k]);
    tell({name + formatted("r(%.0f %%)", 100.0 * fractions[k]), method, radii[k], expected,
          (quick ? 0.08 : 0.04) * expected});
  }
  tell({name + "virial ratio", method, virial_ratio, 0.5, 0.01});
  tell({name + "energy error", method, energy_error, std::nullopt, 2e-3});
}

}  // namespace

KnownAnswer plummer_equilibrium() {
  return {"plummer_equilibrium", "a Plummer sphere keeps its Lagrangian radii (Plummer 1911)",
          verify};
}

}  // namespace apsis::verification
