// SPDX-License-Identifier: Apache-2.0
#include "support/decks.hpp"
#include "support/integrators.hpp"
#include <apsis/integrators/integrator_entry.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

/// Runs with a negative time step.
using namespace apsis;

namespace {

std::string backward_deck(std::string const& integrator, std::string const& stepping, double dt) {
  std::string const mode =
      stepping.empty() ? "" : R"(, "stepping": {"mode": ")" + stepping + R"(", "eta": 0.01})";
  return R"({"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
    {"mass": 1e-3, "semi_major_axis": 1, "eccentricity": 0.2, "inclination": 3},
    {"mass": 5e-4, "semi_major_axis": 1.9, "eccentricity": 0.1, "mean_anomaly": 70},
    {"mass": 0, "semi_major_axis": 3, "mean_anomaly": 150}]},
    "integrator": {"name": ")" +
         integrator + "\", \"time_step\": " + std::to_string(dt) + mode +
         R"(}, "run": {"steps": 100}})";
}

/// Largest distance of the positions of a body.
double largest_distance(HostBodies const& a, HostBodies const& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, norm(a.position[i] - b.position[i]));
  }
  return largest;
}

}  // namespace

TEST_CASE("every scheme runs backwards: a run forth and one back end at the start") {
  constexpr double dt = 0.03125;
  for (auto const& entry : integrators::integrators()) {
    for (auto const& mode : testing::stepping_modes(entry)) {
      if (entry.needs_dominant_body && mode != "fixed") continue;
      // The criterion of schemes without their own needs softening.
      if (entry.criterion.empty() && (mode == "adaptive" || mode == "block")) continue;
      CAPTURE(entry.name);
      CAPTURE(mode);
      auto const stepping = mode == "adaptive" || mode == "block" ? mode : std::string();
      auto const forward = testing::configured(backward_deck(entry.name, stepping, dt), {});
      auto const start = simulation::make_bodies(forward);
      auto forth = simulation::make_simulation(forward, start);
      forth->advance(100);
      CHECK(largest_distance(forth->bodies(), start) > 0.5);
      auto const backward = testing::configured(backward_deck(entry.name, stepping, -dt), {});
      auto back = simulation::make_simulation(backward, forth->bodies());
      back->advance(100);
      CHECK(back->time() == -100.0 * dt);
      double const error = largest_distance(back->bodies(), start);
      // Rounding for reversible schemes with equal steps, else twice the error of the scheme.
      bool const is_reversible = entry.time_reversible && mode == "fixed";
      CHECK(error < (is_reversible ? 1e-11 : entry.order >= 4 ? 1e-4 : 1.0));
    }
  }
}

TEST_CASE("a criterion shortens backward steps as it shortens forward steps") {
  for (auto const* mode : {"adaptive", "block"}) {
    CAPTURE(mode);
    std::uint64_t steps[2];
    for (int k = 0; k < 2; ++k) {
      auto const run =
          testing::configured(backward_deck("hermite4", mode, k == 0 ? 1.0 : -1.0), {});
      auto simulation = simulation::make_simulation(run, simulation::make_bodies(run));
      simulation->advance(1);
      steps[k] = simulation->state().integrator_steps;
    }
    CHECK(steps[0] >= 32);
    CHECK(std::max(steps[0], steps[1]) < 1.3 * static_cast<double>(std::min(steps[0], steps[1])));
  }
}

TEST_CASE("a run may begin at any time, with the same positions") {
  auto deck = backward_deck("leapfrog_kdk", "", 0.015625);
  auto const start = simulation::make_simulation(
      testing::configured(deck, {}), simulation::make_bodies(testing::configured(deck, {})));
  auto const run = testing::configured(deck, {"run.start_time=-0.25"});
  auto const later = simulation::make_simulation(run, simulation::make_bodies(run));
  CHECK(start->time() == 0.0);
  CHECK(later->time() == -0.25);
  for (int step = 0; step < 32; ++step) {
    start->advance();
    later->advance();
  }
  CHECK(start->time() == 0.5);
  CHECK(later->time() == 0.25);
  CHECK(later->time() == run.time(32));
  CHECK(later->bodies().position == start->bodies().position);
}
