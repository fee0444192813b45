// SPDX-License-Identifier: Apache-2.0
#include "support/decks.hpp"
#include "support/suites.hpp"
#include <apsis/core/poll.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/simulation/simulation.hpp>
#include <apsis/simulation/steered_simulation.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>

/// Stop requests within a step of the deck.
using namespace apsis;

namespace {

/// A star, planets that are merged and a body that is removed on the way, and massless bodies.
deck::Configuration few_bodies(std::string const& integrator, std::string const& sections) {
  std::string few = R"({"mass": 1.0, "radius": 0.01, "position": [0, 0, 0]},
    {"mass": 1e-4, "radius": 1e-3, "position": [1, 0, 0], "velocity": [0, 1, 0.05]},
    {"mass": 2e-4, "position": [0, 1.6, 0.1], "velocity": [-0.8, 0, 0]},
    {"mass": 1e-5, "radius": 1e-3, "position": [0.9, 0, 0], "velocity": [0, 1.04, 0.05]},
    {"mass": 0, "position": [-2.5, 0, 0], "velocity": [0, -0.7, 0.02]},
    {"mass": 0, "position": [5, 0, 0], "velocity": [1, 0, 0]})";
  return testing::configured(R"({"bodies": {"list": [)" + few + R"(]}, "integrator": {)" +
                                 integrator + R"(}, "run": {"steps": 100})" + sections + "}",
                             {});
}

std::unique_ptr<simulation::Simulation> make(deck::Configuration const& run) {
  return simulation::make_simulation(run, simulation::make_bodies(run));
}

/// Interrupts the step in progress at its n-th poll, once.
void interrupt_at(simulation::Simulation& simulation, int n) {
  simulation.set_step_poll(
      [n](double) mutable {
        if (--n == 0) throw Interrupted();
      },
      simulation::Simulation::StepPoll::interrupt);
}

void check_same_state(simulation::Simulation& a, simulation::Simulation& b) {
  auto const x = a.bodies(), y = b.bodies();
  CHECK(x.id == y.id);
  CHECK(x.mass == y.mass);
  CHECK(x.position == y.position);
  CHECK(x.velocity == y.velocity);
  CHECK(a.interactions() == b.interactions());
  CHECK(a.state().integrator_steps == b.state().integrator_steps);
  CHECK(a.time() == b.time());
  CHECK(a.measure().moved.energy == b.measure().moved.energy);
}

std::string const star_events =
    R"(, "collisions": {}, "removal": {"beyond": 5.5, "of": "massless"},
        "encounters": {"distance": 0.3}, "diagnostics": {"pair_distances": {}})";

}  // namespace

TEST_CASE("a step that is interrupted anywhere is taken back with all bits" *
          testing::thread_counts) {
  for (std::string const integrator : {
           R"("name": "gauss_radau15", "time_step": 4)",
           R"("name": "hermite4", "time_step": 2, "stepping": {"mode": "adaptive"})",
           R"("name": "hermite6", "time_step": 8, "stepping": {"mode": "adaptive"})",
           R"("name": "hermite4", "time_step": 2, "stepping": {"mode": "block"})",
           R"("name": "wisdom_holman", "time_step": 0.5, "substeps": 20, "corrector": 11)",
       }) {
    for (std::string const& sections :
         {std::string(), star_events, std::string(R"(, "diagnostics": {"pair_distances": {}})")}) {
      CAPTURE(integrator);
      CAPTURE(sections);
      auto const run = few_bodies(integrator, sections);
      auto const whole = make(run);
      for (int step = 0; step < 4; ++step) whole->advance();
      int interruptions = 0;
      for (int const poll : {1, 2, 5, 20, 60}) {
        for (int const interrupted_step : {0, 2, 3}) {
          CAPTURE(poll);
          CAPTURE(interrupted_step);
          auto parts = make(run);
          for (int step = 0; step < 4; ++step) {
            if (step == interrupted_step) {
              // Polls of few bodies are counted by sixteens.
              interrupt_at(*parts, poll);
              try {
                if (step == 3) parts->advance_quietly(1);
                if (parts->step() == 3) parts->advance();
              } catch (Interrupted const&) {
                ++interruptions;
                CHECK(parts->step() == static_cast<std::uint64_t>(step));
                // A checkpoint of this state goes on alike.
                SavedState saved;
                parts->exchange(saved);
                SavedState state(saved.blocks());
                parts = simulation::restore_simulation(run, 6, state);
                state.finish();
              }
              parts->set_step_poll({});
            }
            if (parts->step() == static_cast<std::uint64_t>(step)) parts->advance();
          }
          CHECK(parts->step() == 4);
          check_same_state(*parts, *whole);
        }
      }
      CHECK(interruptions > 0);
    }
  }
}

TEST_CASE("a quiet step that is interrupted leaves the steps before it" * testing::thread_counts) {
  auto const run = few_bodies(R"("name": "gauss_radau15", "time_step": 1)", "");
  auto const whole = make(run), parts = make(run);
  for (auto const& simulation : {whole.get(), parts.get()}) simulation->advance();
  interrupt_at(*parts, 12);
  CHECK_THROWS_AS(parts->advance_quietly(1000), Interrupted);
  CHECK(parts->step() > 1);
  CHECK(parts->step() < 1000);
  parts->set_step_poll({});
  while (whole->step() < parts->step()) whole->advance();
  check_same_state(*parts, *whole);
  for (auto const& simulation : {whole.get(), parts.get()}) simulation->advance(2);
  check_same_state(*parts, *whole);
}

TEST_CASE("a force evaluation of many bodies follows a poll, also in the trial of a first step") {
  for (std::string const integrator :
       {R"("name": "rk4", "time_step": 0.01)",
        R"("name": "hermite4", "time_step": 1, "stepping": {"mode": "block"})",
        R"("name": "gauss_radau15", "time_step": 0.1)"}) {
    CAPTURE(integrator);
    auto const run = testing::configured(
        R"({"bodies": {"generator": "plummer", "count": 100}, "integrator": {)" + integrator +
            R"(}, "gravity": {"softening": 0.05}, "run": {"steps": 2}})",
        {});
    auto const whole = make(run), parts = make(run);
    whole->advance();
    int polls = 0, interruptions = 0;
    for (int n = 1; n < 40 && parts->step() == 0; ++n) {
      interrupt_at(*parts, n);
      try {
        parts->advance();
      } catch (Interrupted const&) {
        ++interruptions;
      }
      ++polls;
    }
    CHECK(interruptions > 1);
    parts->set_step_poll({});
    if (parts->step() == 0) parts->advance();
    check_same_state(*parts, *whole);
  }
}
