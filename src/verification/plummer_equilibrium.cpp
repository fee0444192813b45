// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/lagrangian_radii.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::verification {

namespace {

/// In Henon units a crossing time is 2 sqrt 2: 181 steps of 1/64.
constexpr int steps_a_crossing = 181;
constexpr int crossings = 10;
constexpr int samples_a_crossing = 10;

struct Structure {
  std::vector<double> radii;
  double virial_ratio = 0.0;
};

/// The mean over samples of a crossing time: what a shell's radius does meanwhile is phase mixing
/// and counting noise.
Structure mean_over_a_crossing(Experiment& sphere, std::vector<double> const& fractions) {
  Structure mean{std::vector<double>(fractions.size()), 0.0};
  for (int sample = 0; sample < samples_a_crossing; ++sample) {
    sphere.advance(sample == 0 ? steps_a_crossing - 18 * (samples_a_crossing - 1) : 18);
    auto const radii = diagnostics::lagrangian_radii(sphere.bodies(), {}, fractions);
    for (std::size_t k = 0; k < radii.size(); ++k) mean.radii[k] += radii[k] / samples_a_crossing;
    mean.virial_ratio += sphere.measure().virial_ratio() / samples_a_crossing;
  }
  return mean;
}

void verify(ExecutionSpace const& space, Extent extent, Tell const& tell) {
  // Softening keeps close pairs from relaxing the sphere: its relaxation time is that of a sphere
  // of many more bodies.
  Experiment sphere(space, R"({"bodies": {"generator": "plummer", "count": 8192, "seed": 1,
                                          "henon_units": true},
                               "gravity": {"softening": 0.05},
                               "integrator": {"name": "leapfrog_kdk", "time_step": 0.015625},
                               "run": {"steps": 1}})",
                    {"bodies.count=" + std::string(extent == Extent::quick ? "2048" : "8192")});
  std::vector<double> const fractions{0.1, 0.5, 0.9};
  double worst_energy = 0.0, virial_ratio = 0.0;
  Structure first, last;
  for (int crossing = 0; crossing < crossings; ++crossing) {
    auto const structure = mean_over_a_crossing(sphere, fractions);
    if (crossing == 0) first = structure;
    last = structure;
    virial_ratio += structure.virial_ratio / crossings;
    worst_energy = std::max(worst_energy, sphere.relative_energy_error());
  }
  auto const method = "leapfrog_kdk";
  for (std::size_t k = 0; k < fractions.size(); ++k) {
    tell({formatted("Plummer, 10 crossing times: change of r(%.0f %%)", 100.0 * fractions[k]),
          method, last.radii[k] / first.radii[k] - 1.0, 0.0, 0.05});
  }
  tell({"Plummer, 10 crossing times: mean virial ratio", method, virial_ratio, 0.5, 0.005});
  tell({"Plummer, 10 crossing times: energy error", method, worst_energy, std::nullopt, 1e-4});
}

}  // namespace

KnownAnswer plummer_equilibrium() {
  return {"plummer_equilibrium", "a Plummer sphere at rest keeps its Lagrangian radii", verify};
}

}  // namespace apsis::verification
