// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"

#include <cmath>
#include <numbers>

namespace apsis::verification {

namespace {

constexpr int steps_a_period = 600;

void verify(Extent, Tell const& tell) {
  // Three masses of 1 at distance 1 from their centre: omega^2 = 3 / sqrt(3)^3.
  double const period = 2.0 * std::numbers::pi * std::pow(3.0, 0.25);
  auto const triangle =
      experiment(R"({"bodies": {"generator": "lagrange_triangle"},
                                 "integrator": {"name": "yoshida8", "time_step": 1},
                                 "run": {"steps": 1}})",
                 {override_with("integrator.time_step", period / steps_a_period)});
  auto const start = triangle->bodies();
  triangle->advance(steps_a_period);
  tell({"Lagrange triangle: distance missed after a period", "yoshida8",
        largest_distance(start, triangle->bodies()), std::nullopt, 1e-11});
  tell({"Lagrange triangle: energy", "yoshida8", triangle->measure().total(),
        -0.5 * std::numbers::sqrt3, 1e-13});
}

}  // namespace

KnownAnswer lagrange_triangle() {
  return {"lagrange_triangle", "three equal masses turn as a rigid triangle (Lagrange 1772)",
          verify};
}

}  // namespace apsis::verification
