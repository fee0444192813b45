// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include <apsis/benchmark/solver_cost.hpp>
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/structure.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::verification {

namespace {

constexpr auto fmm_method = "fmm";

/// By both solvers from the same start: the largest difference of the half-mass radius over what it
/// was at the start, of so many looks.
double difference_of_radii(Setting const& setting, std::string const& count) {
  std::string const deck = R"({"bodies": {"generator": "uniform_sphere", "seed": 1},
                               "gravity": {"softening": 0.05, "precision": "single"},
                               "integrator": {"name": "leapfrog_kdk", "time_step": 0.0078125}})";
  auto const by = [&](std::string const& solver) {
    return experiment(setting, deck, {"bodies.count=" + count, "gravity.solver=" + solver});
  };
  auto const direct = by("direct"), cells = by("fmm");
  auto const radius = [](driver::Simulation& of) {
    return diagnostics::lagrangian_radii(of.bodies(), {}, {0.5}).front();
  };
  double const start = radius(*direct);
  double most = 0.0;
  for (int look = 0; look < 12; ++look) {
    direct->advance(16);
    cells->advance(16);
    most = worse(most, (radius(*cells) - radius(*direct)) / start);
  }
  return most;
}

/// Of the bodies that come first.
double thickness(HostBodies const& bodies, std::size_t count) {
  std::vector<double> heights;
  for (std::size_t i = 0; i < count; ++i) heights.push_back(std::abs(bodies.position[i].z));
  auto const middle = heights.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return *middle;
}

}  // namespace

void cells_and_pairs(Setting const& setting, Tell const& tell) {
  bool const quick = setting.quick;
  double const accuracy = 1e-3;
  double worst = 0.0, momentum = 0.0;
  benchmark::compare_fmm(quick ? 4000 : 100000, {forces::Precision::single_precision}, accuracy,
                         [&](benchmark::FmmErrors const& of) {
                           worst = worse(worst, of.acceleration.p99);
                           momentum = worse(momentum, of.momentum);
                         });
  tell({"nine configurations: worst error of 99 %", fmm_method, worst, std::nullopt, accuracy});
  tell({"nine configurations: momentum made by forces", fmm_method, momentum, std::nullopt, 1e-6});

  // Ten crossing times of 2 sqrt 2 are 905 steps of 1/32, a tenth of that if it is to be quick.
  auto const sphere =
      experiment(setting, R"({"bodies": {"generator": "plummer", "seed": 1, "henon_units": true},
                        "gravity": {"solver": "fmm", "softening": 0.03, "precision": "single"},
                        "integrator": {"name": "leapfrog_kdk", "time_step": 0.03125}})",
                 {quick ? "bodies.count=8192" : "bodies.count=100000"});
  std::string const name = quick ? "Plummer sphere of 8192, 1 crossing time: "
                                 : "Plummer sphere of 100000, 10 crossing times: ";
  auto const before = sphere->measure();
  double const energy = worst_energy_error(*sphere, 10, quick ? 9 : 91);
  tell({name + "energy", fmm_method, energy, std::nullopt, 2e-4});
  auto const made = sphere->measure().momentum - before.momentum;
  // Of M v, with |v| = sqrt(1/2).
  tell({name + "momentum", fmm_method, norm(made) / std::sqrt(0.5), std::nullopt, 1e-5});

  tell({"cold sphere: half-mass radius against direct's", fmm_method,
        difference_of_radii(setting, quick ? "2048" : "16384"), std::nullopt, quick ? 0.02 : 0.01});

  // A quarter of the bodies are the disk. Its bodies scatter each other, so few of them heat it.
  std::size_t const count = quick ? 8000 : 100000;
  auto const galaxy = experiment(setting, R"({"bodies": {"generator": "disk_galaxy", "seed": 1},
                   "gravity": {"solver": "fmm", "softening": 0.1, "precision": "single"},
                   "integrator": {"name": "leapfrog_kdk", "time_step": 0.0625}})",
                                 {"bodies.count=" + std::to_string(count)});
  double const thin = thickness(galaxy->bodies(), count / 4);
  galaxy->advance(quick ? 32 : 160);
  tell({"disk galaxy: thickness over that at the start", fmm_method,
        thickness(galaxy->bodies(), count / 4) / thin, 1.0, 0.15});
}

}  // namespace apsis::verification
