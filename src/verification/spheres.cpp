// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/structure.hpp"
#include "experiment.hpp"
#include "initial_conditions/sphere_profiles.hpp"
#include <apsis/core/text.hpp>

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

/// Energy error of a sphere and the interactions that it took.
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
  // The shell that encloses half of the mass falls from its initial radius in the field of that
  // half.
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

}  // namespace apsis::verification
