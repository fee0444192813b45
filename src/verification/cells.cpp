// SPDX-License-Identifier: Apache-2.0
#include "benchmark/solver_cost.hpp"
#include "core/percentile.hpp"
#include "diagnostics/structure.hpp"
#include "experiment.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::verification {

namespace {

constexpr auto fmm_method = "fmm";

/// Runs both solvers from the same start. Returns the largest difference of their half-mass radii
/// at 12 times, relative to the initial radius.
double radius_difference(Setting const& setting, std::string const& count) {
  std::string const deck = R"({"bodies": {"generator": "uniform_sphere", "seed": 1},
                               "gravity": {"softening": 0.05, "precision": "single"},
                               "integrator": {"name": "leapfrog_kdk", "time_step": 0.0078125}})";
  auto const make_simulation_with = [&](std::string const& solver) {
    return make_experiment(setting, deck, {"bodies.count=" + count, "gravity.solver=" + solver});
  };
  auto const direct = make_simulation_with("direct"), cells = make_simulation_with("fmm");
  auto const radius = [](simulation::Simulation& simulation) {
    return diagnostics::lagrangian_radii(simulation.bodies(), {}, {0.5}).front();
  };
  double const start = radius(*direct);
  double largest = 0.0;
  for (int sample = 0; sample < 12; ++sample) {
    direct->advance(16);
    cells->advance(16);
    largest = worse(largest, (radius(*cells) - radius(*direct)) / start);
  }
  return largest;
}

/// Median height of the first `count` bodies, those of the disk.
double thickness(HostBodies const& bodies, std::size_t count) {
  std::vector<double> heights;
  for (std::size_t i = 0; i < count; ++i) heights.push_back(std::abs(bodies.position[i].z));
  return upper_median(heights);
}

}  // namespace

void cells_and_pairs(Setting const& setting, Report const& report) {
  bool const quick = setting.quick;
  double const accuracy = 1e-3;
  double worst = 0.0, momentum = 0.0;
  benchmark::compare_fmm(quick ? 4000 : 100000, {forces::Precision::single_precision}, accuracy,
                         [&](benchmark::FmmErrors const& simulation) {
                           worst = worse(worst, simulation.acceleration.p99);
                           momentum = worse(momentum, simulation.momentum);
                         });
  report({"nine configurations: worst error of 99 %", fmm_method, worst, std::nullopt, accuracy});
  report(
      {"nine configurations: momentum made by forces", fmm_method, momentum, std::nullopt, 1e-6});

  // Ten crossing times of 2 sqrt 2 are 905 steps of 1/32. The quick run takes a tenth of that.
  auto const sphere = make_experiment(
      setting, R"({"bodies": {"generator": "plummer", "seed": 1, "henon_units": true},
                        "gravity": {"solver": "fmm", "softening": 0.03, "precision": "single"},
                        "integrator": {"name": "leapfrog_kdk", "time_step": 0.03125}})",
      {quick ? "bodies.count=8192" : "bodies.count=100000"});
  std::string const name = quick ? "Plummer sphere of 8192, 1 crossing time: "
                                 : "Plummer sphere of 100000, 10 crossing times: ";
  auto const before = sphere->measure();
  double const energy = worst_energy_error(*sphere, 10, quick ? 9 : 91);
  report({name + "energy", fmm_method, energy, std::nullopt, 2e-4});
  auto const momentum_error = sphere->measure().momentum - before.momentum;
  // Relative to M v, with |v| = sqrt(1/2).
  report(
      {name + "momentum", fmm_method, norm(momentum_error) / std::sqrt(0.5), std::nullopt, 1e-5});

  report({"cold sphere: half-mass radius against direct's", fmm_method,
          radius_difference(setting, quick ? "2048" : "16384"), std::nullopt, quick ? 0.02 : 0.01});

  // A quarter of the bodies form the disk. Too few disk bodies would scatter each other and heat
  // the disk.
  std::size_t const count = quick ? 8000 : 100000;
  auto const galaxy =
      make_experiment(setting, R"({"bodies": {"generator": "disk_galaxy", "seed": 1},
                   "gravity": {"solver": "fmm", "softening": 0.1, "precision": "single"},
                   "integrator": {"name": "leapfrog_kdk", "time_step": 0.0625}})",
                      {"bodies.count=" + std::to_string(count)});
  double const thin = thickness(galaxy->bodies(), count / 4);
  galaxy->advance(quick ? 32 : 160);
  report({"disk galaxy: thickness over that at the start", fmm_method,
          thickness(galaxy->bodies(), count / 4) / thin, 1.0, 0.15});
}

}  // namespace apsis::verification
