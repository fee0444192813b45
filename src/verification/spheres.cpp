// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/structure.hpp>
#include <apsis/initial_conditions/king_profile.hpp>

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

/// The radius of a Plummer sphere in Henon units that encloses a fraction of the mass (Aarseth,
/// Henon & Wielen 1974, equation A2).
double plummer_radius(double fraction) {
  double const scale = 3.0 * std::numbers::pi / 16.0;
  return scale / std::sqrt(std::pow(fraction, -2.0 / 3.0) - 1.0);
}

double half_mass_radius(HostBodies const& bodies) {
  return diagnostics::lagrangian_radii(bodies, {}, {0.5}).front();
}

/// How well a sphere's energy was kept, and for how much.
struct Cost {
  double error, interactions;
};

Cost cost_of(Setting const& setting, std::string const& count, std::string const& mode,
             double eta) {
  auto const sphere =
      experiment(setting, R"({"bodies": {"generator": "plummer", "count": 512, "seed": 1},
                        "integrator": {"name": "hermite4", "time_step": 0.03125}})",
                 {"bodies.count=" + count, override_with("integrator.stepping.eta", eta),
                  "integrator.stepping.mode=" + mode});
  sphere->advance(0);
  auto const before = sphere->interactions();
  double const error = worst_energy_error(*sphere, 4, 1);
  return {error, sphere->interactions() - before};
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

void plummer_equilibrium(Setting const& setting, Tell const& tell) {
  bool const quick = setting.quick;
  // Ten crossing times of 2 sqrt 2 (Henon units) are 905 steps of 1/32. Over the last the mean is
  // taken: what else a shell's radius does is phase mixing and the noise of counting.
  constexpr int samples = 100, steps_a_sample = 9, averaged = samples / 10;
  // Softened, lest close pairs relax the sphere within the ten crossing times.
  auto const sphere =
      experiment(setting, R"({"bodies": {"generator": "plummer", "count": 8192, "seed": 1,
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
    sphere->advance(steps_a_sample);
    virial_ratio += sphere->measure().virial_ratio() / samples;
    energy.add(sphere->measure());
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
  tell({name + "energy error", method, energy.max_relative_energy_error, std::nullopt, 2e-3});
}

void cold_collapse(Setting const& setting, Tell const& tell) {
  bool const quick = setting.quick;
  auto const sphere =
      experiment(setting, R"({"bodies": {"generator": "uniform_sphere", "count": 8192, "seed": 1},
                        "gravity": {"softening": 0.02},
                        "integrator": {"name": "leapfrog_kdk", "time_step": 0.0078125}})",
                 {quick ? "bodies.count=1024" : "bodies.count=8192"});
  tell({"cold sphere: potential energy at the start", "uniform_sphere", sphere->measure().potential,
        -0.6, 0.01});
  // The shell of half of the mass falls in the field of that half, from where it is.
  double const start = half_mass_radius(sphere->bodies());
  // Free fall from rest to half the radius takes this part of the time to the centre: with
  // r = r0 cos^2 b, b + sin(2 b) / 2 = pi t / (2 t_ff).
  constexpr double to_half = 0.5 + std::numbers::inv_pi;
  double const fall_of_shell = 0.5 * std::numbers::pi * std::sqrt(start * start * start);
  double before = start, time_of_half = 0.0;
  double deepest = 0.0, time_of_deepest = 0.0;
  for (int step = 1; step <= 192; ++step) {
    sphere->advance();
    double const time = step * sphere->time_step();
    double const radius = half_mass_radius(sphere->bodies());
    double const half = 0.5 * start;
    if (time_of_half == 0.0 && radius <= half) {
      time_of_half = time - sphere->time_step() * (half - radius) / (before - radius);
    }
    before = radius;
    double const potential = sphere->measure().potential;
    if (potential < deepest) {
      deepest = potential;
      time_of_deepest = time;
    }
  }
  // Limits: four times the scatter from seed to seed. The grain of N bodies stops the collapse
  // early and late in places: its deepest time is 0.03 after that of a smooth sphere for N = 1024.
  tell({"cold sphere: fall to half the radius, over theory", "leapfrog_kdk",
        time_of_half / (to_half * fall_of_shell), 1.0, quick ? 0.03 : 0.01});
  tell({"cold sphere: time of the deepest potential", "leapfrog_kdk", time_of_deepest,
        0.5 * std::numbers::pi * std::sqrt(0.5), quick ? 0.1 : 0.04});
}

void block_steps(Setting const& setting, Tell const& tell) {
  std::string const count = setting.quick ? "512" : "4096";
  // With one step for all most bodies step far more often than they need to, and err far less: for
  // the same error of the whole, bodies with steps of their own need a smaller eta. Both errors are
  // sums over encounters that differ from machine to machine.
  auto const shared = cost_of(setting, count, "adaptive", 0.01);
  auto const block = cost_of(setting, count, "block", 0.002);
  auto const name = "Plummer sphere of " + count + ": ";
  tell({name + "energy error", "hermite4 shared", shared.error, std::nullopt, 2e-9});
  tell({name + "energy error", "hermite4 block", block.error, std::nullopt, 2e-9});
  tell({name + "interactions, block over shared", "hermite4",
        block.interactions / shared.interactions, std::nullopt, setting.quick ? 0.2 : 0.1});
}

void king_tables(Setting const&, Tell const& tell) {
  constexpr double limit = 2e-6;  // two units of the table's last digit
  for (auto const& model : models) {
    auto const profile = initial_conditions::king_profile(model.W0);
    auto const method = formatted("W0 = %.0f", model.W0);
    tell({"King model: concentration", method, profile.concentration, model.concentration, limit});
    tell({"King model: half-mass radius", method, profile.half_mass_radius, model.half_mass_radius,
          limit});
    tell({"King model: tidal radius", method, profile.tidal_radius, model.tidal_radius, limit});
    auto const bodies = bodies_of(R"({"bodies": {"generator": "king", "count": 16384, "seed": 1},
                                      "integrator": {"time_step": 1}})",
                                  {override_with("bodies.W0", model.W0)});
    // Four times the scatter of so many bodies.
    tell({"King model of 16384 bodies: half-mass radius", method, half_mass_radius(bodies),
          model.half_mass_radius, 0.03 * model.half_mass_radius});
  }
}

}  // namespace apsis::verification
