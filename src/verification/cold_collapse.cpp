// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"
#include <apsis/diagnostics/lagrangian_radii.hpp>

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

/// Free fall from rest to half the radius takes this part of the time to the centre: with
/// r = r0 cos^2 b, b + sin(2 b) / 2 = pi t / (2 t_ff).
constexpr double to_half = 0.5 + std::numbers::inv_pi;

double half_mass_radius(driver::Simulation& sphere) {
  return diagnostics::lagrangian_radii(sphere.bodies(), {}, {0.5}).front();
}

void verify(Extent extent, Tell const& tell) {
  bool const quick = extent == Extent::quick;
  auto const sphere =
      experiment(R"({"bodies": {"generator": "uniform_sphere", "count": 8192, "seed": 1},
                        "gravity": {"softening": 0.02},
                        "integrator": {"name": "leapfrog_kdk", "time_step": 0.0078125},
                        "run": {"steps": 1}})",
                 {quick ? "bodies.count=1024" : "bodies.count=8192"});
  tell({"cold sphere: potential energy at the start", "uniform_sphere", sphere->measure().potential,
        -0.6, 0.01});
  // The shell of half of the mass falls in the field of that half, from where it is.
  double const start = half_mass_radius(*sphere);
  double const fall_of_shell = 0.5 * std::numbers::pi * std::sqrt(start * start * start);
  double before = start, time_of_half = 0.0;
  double deepest = 0.0, time_of_deepest = 0.0;
  for (int step = 1; step <= 192; ++step) {
    sphere->advance();
    double const time = step * sphere->time_step();
    double const radius = half_mass_radius(*sphere);
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

}  // namespace

KnownAnswer cold_collapse() {
  return {"cold_collapse", "a uniform sphere at rest collapses after (pi / 2) sqrt(R^3 / (2 G M))",
          verify};
}

}  // namespace apsis::verification
