// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"
#include <apsis/diagnostics/lagrangian_radii.hpp>

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

void verify(Extent extent, Tell const& tell) {
  Experiment sphere(R"({"bodies": {"generator": "uniform_sphere", "count": 8192, "seed": 1},
                               "gravity": {"softening": 0.02},
                               "integrator": {"name": "leapfrog_kdk", "time_step": 0.00390625},
                               "run": {"steps": 1}})",
                    {"bodies.count=" + std::string(extent == Extent::quick ? "2048" : "8192")});
  double const free_fall = 0.5 * std::numbers::pi * std::sqrt(0.5);  // for M = R = 1
  tell({"cold sphere: potential energy at the start", "uniform_sphere", sphere.measure().potential,
        -0.6, 0.01});
  double deepest = 0.0, time_of_deepest = 0.0;
  double smallest = 1.0, time_of_smallest = 0.0;
  for (int step = 1; step <= 384; ++step) {
    sphere.advance();
    double const time = step * sphere.time_step();
    double const potential = sphere.measure().potential;
    double const half_mass = diagnostics::lagrangian_radii(sphere.bodies(), {}, {0.5}).front();
    if (potential < deepest) deepest = potential, time_of_deepest = time;
    if (half_mass < smallest) smallest = half_mass, time_of_smallest = time;
  }
  tell({"cold sphere: time of the deepest potential", "leapfrog_kdk", time_of_deepest, free_fall,
        0.05});
  tell({"cold sphere: time of the least half-mass radius", "leapfrog_kdk", time_of_smallest,
        free_fall, 0.05});
}

}  // namespace

KnownAnswer cold_collapse() {
  return {"cold_collapse", "a uniform sphere at rest collapses after (pi / 2) sqrt(R^3 / (2 G M))",
          verify};
}

}  // namespace apsis::verification
