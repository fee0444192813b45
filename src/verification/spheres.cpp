// SPDX-License-Identifier: Apache-2.0
#include "benchmark/compare.hpp"
#include "core/percentile.hpp"
#include "diagnostics/structure.hpp"
#include "experiment.hpp"
#include "initial_conditions/sphere_profiles.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

/// Returns the radius of a Plummer sphere in Henon units that encloses a fraction of the mass
/// (Aarseth, Henon & Wielen 1974, equation A2).
double plummer_radius(double fraction) {
  double const scale = 3.0 * std::numbers::pi / 16.0;
  return scale / std::sqrt(std::pow(fraction, -2.0 / 3.0) - 1.0);
}

double half_mass_radius(HostBodies const& bodies) {
  return diagnostics::lagrangian_radii(bodies, {}, {0.5}).front();
}

struct Cost {
  double error, interactions;
};

Cost measure_cost(Setting const& setting, std::string const& count, std::string const& mode,
                  double eta) {
  auto const sphere =
      make_experiment(setting, R"({"bodies": {"generator": "plummer", "count": 512, "seed": 1},
                        "integrator": {"name": "hermite4", "time_step": 0.03125}})",
                      {"bodies.count=" + count, make_override("integrator.stepping.eta", eta),
                       "integrator.stepping.mode=" + mode});
  sphere->advance(0);
  auto const previous = sphere->interactions();
  double const error = worst_energy_error(*sphere, 4, 1);
  return {error, sphere->interactions() - previous};
}

/// King 1966, AJ 71, 64, in Henon units; integrated independently, in long double.
struct Model {
  double W0, concentration, half_mass_radius, tidal_radius;
};
constexpr Model models[]{
    {1, 0.295507, 0.857390, 2.565726},  {3, 0.672043, 0.838793, 3.131075},
    {5, 1.029264, 0.813742, 4.357611},  {6, 1.255070, 0.803833, 5.463914},
    {7, 1.527740, 0.811333, 6.975221},  {9, 2.118532, 0.979870, 8.353449},
    {12, 2.738938, 0.978624, 6.208634},
};

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

void plummer_equilibrium(Setting const& setting, Report const& report) {
  bool const quick = setting.quick;
  // Ten crossing times of 2 sqrt 2 (Henon units) are 905 steps of 1/32. Radii are averaged over the
  // last crossing time, because the radius of a shell also varies by phase mixing and counting
  // noise.
  constexpr int samples = 100, steps_per_sample = 9, averaged = samples / 10;
  // Softened, so that close pairs do not relax the sphere within the ten crossing times.
  auto const sphere =
      make_experiment(setting, R"({"bodies": {"generator": "plummer", "count": 8192, "seed": 1,
                                   "henon_units": true},
                        "gravity": {"softening": 0.03},
                        "integrator": {"name": "leapfrog_kdk", "time_step": 0.03125}})",
                      {quick ? "bodies.count=2048" : "bodies.count=8192"});
  std::vector<double> const fractions{0.1, 0.5, 0.9};
  std::vector<double> radii(fractions.size());
  diagnostics::Conservation energy;
  energy.add(sphere->measure());
  double virial_ratio = 0.0;
  for (int sample = 0; sample < samples; ++sample) {
    sphere->advance(steps_per_sample);
    virial_ratio += sphere->measure().virial_ratio() / samples;
    energy.add(sphere->measure());
    if (sample < samples - averaged) continue;
    auto const now = diagnostics::lagrangian_radii(sphere->bodies(), {}, fractions);
    for (std::size_t k = 0; k < radii.size(); ++k) radii[k] += now[k] / averaged;
  }
  std::string const name = "Plummer sphere, 10 crossing times: ";
  auto const method = "leapfrog_kdk";
  for (std::size_t k = 0; k < fractions.size(); ++k) {
    // Four times the scatter between seeds.
    double const expected = plummer_radius(fractions[k]);
    report({name + formatted("r(%.0f %%)", 100.0 * fractions[k]), method, radii[k], expected,
            (quick ? 0.08 : 0.04) * expected});
  }
  report({name + "virial ratio", method, virial_ratio, 0.5, 0.01});
  report({name + "energy error", method, energy.max_relative_energy_error, std::nullopt, 2e-3});
}

void cold_collapse(Setting const& setting, Report const& report) {
  bool const quick = setting.quick;
  auto const sphere = make_experiment(
      setting, R"({"bodies": {"generator": "uniform_sphere", "count": 8192, "seed": 1},
                        "gravity": {"softening": 0.02},
                        "integrator": {"name": "leapfrog_kdk", "time_step": 0.0078125}})",
      {quick ? "bodies.count=1024" : "bodies.count=8192"});
  report({"cold sphere: potential energy at the start", "uniform_sphere",
          sphere->measure().potential, -0.6, 0.01});
  // The half-mass shell falls from its initial radius in the field of that half.
  double const start = half_mass_radius(sphere->bodies());
  // Free fall from rest to half the radius takes this fraction of the time to the centre: with r =
  // r0 cos^2 b, b + sin(2 b) / 2 = pi t / (2 t_ff).
  constexpr double to_half = 0.5 + std::numbers::inv_pi;
  double const fall_of_shell = 0.5 * std::numbers::pi * std::sqrt(start * start * start);
  double previous = start, time_of_half = 0.0;
  double deepest = 0.0, time_of_deepest = 0.0;
  for (int step = 1; step <= 192; ++step) {
    sphere->advance();
    double const time = step * sphere->state().time_step;
    double const radius = half_mass_radius(sphere->bodies());
    double const half = 0.5 * start;
    if (time_of_half == 0.0 && radius <= half) {
      time_of_half = time - sphere->state().time_step * (half - radius) / (previous - radius);
    }
    previous = radius;
    double const potential = sphere->measure().potential;
    if (potential < deepest) {
      deepest = potential;
      time_of_deepest = time;
    }
  }
  // Limits: four times the scatter between seeds. Density fluctuations of N bodies stop the
  // collapse early in some places and late in others: the deepest potential is 0.03 later than in a
  // smooth sphere for N = 1024.
  report({"cold sphere: fall to half the radius, over theory", "leapfrog_kdk",
          time_of_half / (to_half * fall_of_shell), 1.0, quick ? 0.03 : 0.01});
  report({"cold sphere: time of the deepest potential", "leapfrog_kdk", time_of_deepest,
          0.5 * std::numbers::pi * std::sqrt(0.5), quick ? 0.1 : 0.04});
}

void block_steps(Setting const& setting, Report const& report) {
  std::string const count = setting.quick ? "512" : "4096";
  // With shared steps most bodies step far more often than needed and have much smaller errors. For
  // the same total error, block steps need a smaller eta. Both errors are sums over encounters and
  // differ between machines.
  auto const shared = measure_cost(setting, count, "adaptive", 0.01);
  auto const block = measure_cost(setting, count, "block", 0.002);
  auto const name = "Plummer sphere of " + count + ": ";
  report({name + "energy error", "hermite4 shared", shared.error, std::nullopt, 2e-9});
  report({name + "energy error", "hermite4 block", block.error, std::nullopt, 2e-9});
  report({name + "interactions, block over shared", "hermite4",
          block.interactions / shared.interactions, std::nullopt, setting.quick ? 0.2 : 0.1});
}

void king_tables(Setting const&, Report const& report) {
  constexpr double limit = 2e-6;  // two units of the last digit of the table
  for (auto const& model : models) {
    auto const profile = initial_conditions::king_profile(model.W0);
    auto const method = formatted("W0 = %.0f", model.W0);
    report(
        {"King model: concentration", method, profile.concentration, model.concentration, limit});
    report({"King model: half-mass radius", method, profile.half_mass_radius,
            model.half_mass_radius, limit});
    report({"King model: tidal radius", method, profile.tidal_radius, model.tidal_radius, limit});
    auto const bodies =
        make_deck_bodies(R"({"bodies": {"generator": "king", "count": 16384, "seed": 1},
                                      "integrator": {"time_step": 1}})",
                         {make_override("bodies.W0", model.W0)});
    // Four times the scatter for this number of bodies.
    report({"King model of 16384 bodies: half-mass radius", method, half_mass_radius(bodies),
            model.half_mass_radius, 0.03 * model.half_mass_radius});
  }
}

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

  // A quarter of the bodies form the disk; too few would heat it by scattering.
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
