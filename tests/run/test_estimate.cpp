// SPDX-License-Identifier: Apache-2.0
#include "run/estimate.hpp"
#include "support/decks.hpp"
#include <apsis/core/poll.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>

using namespace apsis;
using run::count_due;

TEST_CASE("work at several intervals is counted once where they coincide") {
  CHECK(count_due({3}, 10) == 5.0);  // 0 3 6 9, and the last step
  CHECK(count_due({5}, 10) == 3.0);  // 0 5 10
  CHECK(count_due({1}, 10) == 11.0);
  CHECK(count_due({2, 3}, 12) == 9.0);  // 0 2 3 4 6 8 9 10 12
  CHECK(count_due({4, 6, 9}, 36) == 15.0);
  CHECK(count_due({2, 2, 4}, 8) == 5.0);
  CHECK(count_due({1000}, 10) == 2.0);
  CHECK(count_due({7, 11}, 0) == 1.0);
  CHECK(count_due({std::uint64_t{1} << 62, 3}, std::uint64_t{1} << 53) == 3002399751580332.0);
}

namespace {

/// Ratio of the estimate for a run to the measured time of its steps and tables, once.
double ratio_once(deck::Configuration const& run) {
  auto const bodies = simulation::make_bodies(run);
  auto const expected = run::estimate(run, bodies, static_cast<double>(bodies.size()));
  auto const simulation = simulation::make_simulation(run, bodies);
  simulation->advance(0);
  Stopwatch const watch;
  for (std::uint64_t step = 0; step <= run.steps; ++step) {
    if (step > 0) simulation->advance(1, simulation::FollowUp::measurement);
    simulation->measure();
    for (auto const& plan : run.diagnostics) plan.entry->rows(plan.values, *simulation);
  }
  return expected.total(run.steps) / watch.seconds();
}

/// Median of three ratios: other processes can halt one of the measurements.
double ratio(std::string const& deck) {
  auto const run = testing::configured(deck, {});
  std::array<double, 3> ratios{};
  for (double& value : ratios) value = ratio_once(run);
  std::sort(ratios.begin(), ratios.end());
  return ratios[1];
}

}  // namespace

// The bounds allow for a busy machine; earlier estimates were 4 to 37 times too short.
TEST_CASE("estimates include tables") {
  double const estimate_ratio = ratio(R"({
    "bodies": {"generator": "plummer", "count": 3000}, "gravity": {"softening": 0.05},
    "integrator": {"time_step": 0.01}, "run": {"steps": 3}, "output": {"final_state": false},
    "diagnostics": {"structure": {"interval": 0.01}, "lagrangian_radii": {"interval": 0.01},
                    "pair_distances": {"interval": 0.01}}})");
  CHECK(estimate_ratio > 0.2);
  CHECK(estimate_ratio < 8.0);
}

TEST_CASE("the sample of an estimate needs no body that a force names") {
  auto const run = testing::configured(R"({
    "bodies": {"generator": "plummer", "count": 300}, "gravity": {"softening": 0.05},
    "integrator": {"time_step": 0.01}, "run": {"steps": 1},
    "forces": [{"name": "oblate", "J2": 0.1, "R": 0.01, "body": 1}]})",
                                       {});
  auto const bodies = simulation::make_bodies(run);
  CHECK(run::estimate(run, bodies, 300.0).step > 0.0);
  auto sample = bodies;
  for (auto& id : sample.id) id += 1000;
  CHECK(run::estimate(run, sample, 3000.0).step > 0.0);
}

TEST_CASE("estimates of block steps use the steps of the bodies") {
  for (auto const* integrator : {"leapfrog_kdk", "hermite4"}) {
    CAPTURE(integrator);
    double const estimate_ratio = ratio(R"({
      "bodies": {"generator": "plummer", "count": 1500}, "gravity": {"softening": 0.001},
      "integrator": {"name": ")" + std::string(integrator) +
                                        R"(", "time_step": 0.0625, "stepping": {"mode": "block"}},
      "run": {"steps": 1}, "output": {"final_state": false}})");
    CHECK(estimate_ratio > 0.2);
    CHECK(estimate_ratio < 8.0);
  }
}
