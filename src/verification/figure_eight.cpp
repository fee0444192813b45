// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"

namespace apsis::verification {

namespace {

/// For G = m = 1; Chenciner & Montgomery 2000, refined until the orbit closes in 40 digits.
constexpr double period = 6.32591398292621;
constexpr int steps_a_third = 200;

void verify(Extent, Tell const& tell) {
  auto const eight =
      experiment(R"({"bodies": {"generator": "figure_eight"},
                              "integrator": {"name": "yoshida8", "time_step": 1},
                              "run": {"steps": 1}})",
                 {override_with("integrator.time_step", period / (3 * steps_a_third))});
  auto const start = eight->bodies();
  // Each body is where another was a third of a period ago.
  auto permuted = start;
  for (std::size_t i = 0; i < 3; ++i) permuted.position[i] = start.position[(i + 2) % 3];
  eight->advance(steps_a_third);
  tell({"figure of eight: distance missed after T / 3", "yoshida8",
        largest_distance(permuted, eight->bodies()), std::nullopt, 1e-12});
  eight->advance(2 * steps_a_third);
  tell({"figure of eight: distance missed after T", "yoshida8",
        largest_distance(start, eight->bodies()), std::nullopt, 1e-12});
}

}  // namespace

KnownAnswer figure_eight() {
  return {"figure_eight",
          "three bodies take each other's places after T / 3 and return after T (Chenciner & "
          "Montgomery 2000)",
          verify};
}

}  // namespace apsis::verification
