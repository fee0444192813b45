// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/relative.hpp"
#include "support/runs.hpp"
#include "support/suites.hpp"
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/forces/extra_formula.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/measurements.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::contains;
using apsis::testing::content;
using simulation::EventKind;

namespace {

/// A star, a body that falls into it, and a planet, with massless bodies.
std::string falling_deck(std::string const& integrator, std::string const& more = "") {
  return R"({"bodies": {"list": [
      {"mass": 1, "radius": 0.1, "position": [0, 0, 0]},
      {"mass": 1e-3, "radius": 0.02, "position": [1, 0, 0], "velocity": [-1, 0.02, 0]},
      {"mass": 1e-3, "radius": 0.02, "position": [0, 3, 0], "velocity": [-0.55, 0, 0]},
      {"mass": 0, "position": [0, -0.8, 0], "velocity": [0, 1, 0.01]},
      {"mass": 0, "position": [-1.4, 0, 0], "velocity": [0.5, -0.7, 0]}]},
    "integrator": )" +
         integrator + R"(, "run": {"end_time": 2})" + more + "}";
}

}  // namespace

TEST_CASE("every integrator merges a falling body at the time of contact") {
  struct Case {
    std::string integrator;
    double time_error, energy_error;
  };
  // The time of contact with steps of 1e-4, and of the fall of the massless body.
  double contact = 0.0, massless_contact = 0.0;
  for (
      auto const& each : {
          Case{R"({"name": "gauss_radau15", "time_step": 1})", 1e-9, 1e-12},
          Case{R"({"name": "gauss_radau15", "time_step": 0.125})", 1e-9, 1e-12},
          Case{R"({"name": "leapfrog_kdk", "time_step": 0.0078125})", 1e-3, 1e-3},
          Case{R"({"name": "blanes_casas8", "time_step": 0.0078125})", 1e-6, 1e-7},
          Case{R"({"name": "rk4", "time_step": 0.0078125})", 1e-5, 1e-4},
          Case{
              R"({"name": "hermite4", "time_step": 0.125, "stepping": {"mode": "adaptive", "eta": 0.01}})",
              1e-5, 1e-5},
          Case{
              R"({"name": "hermite4", "time_step": 0.125, "stepping": {"mode": "block", "eta": 0.01}})",
              1e-5, 1e-5},
          Case{
              R"({"name": "hermite6", "time_step": 0.125, "stepping": {"mode": "adaptive", "eta": 0.1}})",
              1e-5, 1e-6},
          Case{R"({"name": "wisdom_holman", "time_step": 0.0078125})", 1e-3, 1e-3},
      }) {
    CAPTURE(each.integrator);
    auto const deck =
        deck::configure(falling_deck(each.integrator, R"(, "collisions": {})"), "deck", {});
    auto const& run = deck.configuration;
    auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
    auto const start = simulation->measure();
    std::vector<simulation::Event> events;
    for (std::uint64_t step = 0; step < run.steps; ++step) {
      CHECK(simulation->advance_quietly(1) == 0);
      simulation->advance();
      auto const& last = simulation->events();
      events.insert(events.end(), last.begin(), last.end());
    }
    REQUIRE(events.size() == 2);
    CHECK(events[0].kind == EventKind::merge);
    CHECK(events[0].first == 0);
    CHECK(events[1].first == 0);
    CHECK((*events[0].second == 1) != (*events[1].second == 1));
    for (auto const& event : events) {
      double const radii = *event.second == 1 ? 0.12 : 0.1;
      CHECK(std::abs(event.distance - radii) < 1e-2);
      auto& known = *event.second == 1 ? contact : massless_contact;
      if (known == 0.0) known = event.time;
      CHECK(std::abs(event.time - known) < each.time_error);
    }
    auto const& end = simulation->measure();
    CHECK(std::abs(end.internal_energy() + end.moved.energy - start.internal_energy()) <
          each.energy_error);
    CHECK(norm(end.momentum - start.momentum) < 1e-12);
    CHECK(simulation->state().gone == 2);
    CHECK(simulation->bodies().id == std::vector<std::uint64_t>{0, 2, 4});
    CHECK(simulation->bodies().mass[0] == 1.001);
    CHECK(simulation->info().massless.count == 1);
    auto const closest = simulation->closest_approach();
    REQUIRE(closest);
    CHECK(closest->distance < 5.0);  // not a body that is gone
  }
}

TEST_CASE("an elastic ball keeps its height, and a run that stops is before the contact") {
  std::string const integrator = R"({"name": "gauss_radau15", "time_step": 0.5})";
  auto const ball = [&](std::string const& more) {
    auto const deck = deck::configure(
        R"({"bodies": {"list": [{"mass": 1, "radius": 0.5, "position": [0, 0, 0]},
                                {"mass": 0, "radius": 0.1, "position": [1, 0, 0]}]},
            "integrator": )" +
            integrator + R"(, "run": {"end_time": 20})" + more + "}",
        "deck", {});
    return simulation::make_simulation(deck.configuration,
                                       simulation::make_bodies(deck.configuration));
  };
  auto const bouncing = ball(R"(, "collisions": {"on_collision": "bounce"})");
  std::size_t bounces = 0;
  for (int step = 0; step < 40; ++step) {
    bouncing->advance();
    for (auto const& event : bouncing->events()) {
      CHECK(event.kind == EventKind::bounce);
      CHECK(event.moved.energy == 0.0);
      ++bounces;
    }
  }
  CHECK(bounces > 10);
  auto const& bodies = bouncing->bodies();
  double const e = 0.5 * dot(bodies.velocity[1], bodies.velocity[1]) -
                   1.0 / norm(bodies.position[1] - bodies.position[0]);
  CHECK(std::abs(e + 1.0) < 1e-10);

  auto const stopping = ball(R"(, "collisions": {"on_collision": "stop"})");
  stopping->advance();
  CHECK(stopping->events().empty());
  auto const before = stopping->bodies();
  stopping->advance();
  REQUIRE(stopping->events().size() == 1);
  CHECK(stopping->events()[0].kind == EventKind::collision);
  CHECK(stopping->step() == 1);
  CHECK(stopping->bodies().position[1] == before.position[1]);
}

TEST_CASE("inelastic bodies that come to rest on each other do not end a run") {
  for (std::string const restitution : {"0.5", "0"}) {
    CAPTURE(restitution);
    auto const run = deck::configure(R"({"bodies": {"list": [
        {"mass": 1, "radius": 0.1, "position": [0, 0, 0]},
        {"mass": 0.5, "radius": 0.08, "position": [0.4, 0, 0]},
        {"mass": 0.3, "radius": 0.07, "position": [0, 0.5, 0]}]},
      "integrator": {"name": "gauss_radau15", "time_step": 0.1}, "run": {"steps": 10},
      "collisions": {"on_collision": "bounce", "restitution": )" +
                                         restitution + "}}",
                                     "deck", {})
                         .configuration;
    auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
    auto const start = simulation->measure();
    std::size_t bounces = 0;
    for (int step = 0; step < 10; ++step) {
      simulation->advance();
      bounces += simulation->events().size();
    }
    CHECK(bounces > 100);
    CHECK(bounces < 20000);
    // The heap is at rest, but for the slowest rebounds.
    auto const bodies = simulation->bodies();
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        double const distance = norm(bodies.position[i] - bodies.position[j]);
        CHECK(distance > (1.0 - 1e-9) * (bodies.radius[i] + bodies.radius[j]));
        CHECK(distance < 1.2 * (bodies.radius[i] + bodies.radius[j]) + 0.15);
      }
    }
    auto const& end = simulation->measure();
    CHECK(end.internal_energy() < 1.2 * start.internal_energy());
    CHECK(std::abs(end.internal_energy() + end.moved.energy - start.internal_energy()) < 1e-9);
  }
}

TEST_CASE("a run that events end in mid-run has a summary and a state") {
  // A force loses its source.
  testing::RunFiles files("lost");
  std::string const deck = R"({"bodies": {"list": [
        {"mass": 1, "radius": 0.1, "position": [0, 0, 0]},
        {"mass": 1e-3, "radius": 0.02, "position": [1, 0, 0], "velocity": [-1, 0.02, 0]}]},
      "integrator": {"name": "gauss_radau15", "time_step": 0.125}, "run": {"end_time": 2},
      "collisions": {}, "forces": [{"name": "oblate", "J2": 0.05, "R": 0.2, "body": 1}]})";
  auto const outcome = files.start(deck, {});
  CHECK(outcome.exit == ExitStatus::internal);
  CHECK(outcome.stop.reason == run::StopReason::collision);
  REQUIRE(outcome.problems.size() == 1);
  CHECK(contains(outcome.problems.front().text(), "forces"));
  CHECK(outcome.steps > 0);
  CHECK(outcome.checkpoint == outcome.steps);
  CHECK(outcome.events.merged == 0);
  // Bodies bounce infinitely often.
  auto const endless = files.start(
      R"({"bodies": {"list": [{"mass": 1, "radius": 0.1, "position": [0, 0, 0]},
                              {"mass": 0.5, "radius": 0.1, "position": [0.3, 0, 0]}]},
      "integrator": {"name": "leapfrog_kdk", "time_step": 0.015625}, "run": {"end_time": 2},
      "collisions": {"on_collision": "bounce", "restitution": 0.5, "slowest_rebound": 0}})",
      {});
  REQUIRE(endless.exit == ExitStatus::internal);
  CHECK(contains(endless.problems.front().text(), "times of contact in one step"));
  CHECK(endless.checkpoint == endless.steps);
  CHECK(endless.events.collisions > 0);
}

TEST_CASE("encounters inside steps are listed at their closest approach") {
  for (
      std::string const integrator :
      {R"({"name": "gauss_radau15", "time_step": 1})",
       R"({"name": "hermite6", "time_step": 0.25, "stepping": {"mode": "adaptive", "eta": 0.05}})"}) {
    CAPTURE(integrator);
    auto const deck = deck::configure(R"({"bodies": {"generator": "pythagorean"}, "integrator": )" +
                                          integrator + R"(, "run": {"end_time": 16},
        "encounters": {"distance": 0.01}})",
                                      "deck", {});
    auto const simulation = simulation::make_simulation(
        deck.configuration, simulation::make_bodies(deck.configuration));
    std::vector<simulation::Event> events;
    for (std::uint64_t step = 0; step < deck.configuration.steps; ++step) {
      simulation->advance();
      auto const& last = simulation->events();
      events.insert(events.end(), last.begin(), last.end());
    }
    REQUIRE(!events.empty());
    auto const& closest =
        *std::min_element(events.begin(), events.end(),
                          [](auto const& a, auto const& b) { return a.distance < b.distance; });
    CHECK(closest.kind == EventKind::encounter);
    CHECK(closest.distance == approximately(4.13824836e-4, 1e-4));
    CHECK(closest.time == approximately(15.829920271581, 1e-7));
    CHECK(closest.first == 2);
    CHECK(closest.second == 1);
    CHECK(std::is_sorted(events.begin(), events.end(),
                         [](auto const& a, auto const& b) { return a.time < b.time; }));
  }
}

TEST_CASE("a run with collisions resumes with the same bits" * testing::thread_counts) {
  std::string const deck = falling_deck(
      R"({"name": "hermite4", "time_step": 0.03125, "stepping": {"mode": "adaptive"}})",
      R"(, "collisions": {}, "encounters": {"distance": 1}, "removal": {"beyond": 2.9, "of": "massless"},
          "output": {"checkpoint_interval": 0.5, "conservation_interval": 0.25},
          "diagnostics": {"trajectories": {}, "pair_distances": {}})");
  testing::RunFiles whole("whole"), parts("parts");
  whole.start(deck, {});
  parts.start(deck, {"run.end_time=1"});
  parts.resume(deck, {});
  auto const events = content(whole.path() / "events.csv");
  CHECK(contains(events, ",merge,0,1,"));
  CHECK(contains(events, ",encounter,"));
  for (auto const* file : {"events.csv", "trajectories.csv", "pair_distances.csv"}) {
    CHECK(content(whole.path() / file) == content(parts.path() / file));
  }
}

TEST_CASE("a run resumes with the same bits after a step of many encounters" *
          testing::thread_counts) {
  auto const run = deck::configure(R"({"bodies": {"generator": "plummer", "count": 60},
      "gravity": {"softening": 0.1}, "run": {"steps": 4}, "encounters": {"distance": 10},
      "integrator": {"name": "hermite6", "time_step": 2, "stepping": {"mode": "adaptive"}}})",
                                   "deck", {})
                       .configuration;
  auto const whole = simulation::make_simulation(run, simulation::make_bodies(run));
  whole->advance();
  CHECK(whole->events().size() > 256);  // the buffer has grown
  SavedState saved;
  whole->exchange(saved);
  SavedState state(saved.blocks());
  auto const resumed = simulation::restore_simulation(run, 60, state);
  state.finish();
  whole->advance();
  resumed->advance();
  CHECK(whole->events().size() > 256);
  CHECK(resumed->bodies().position == whole->bodies().position);
  CHECK(resumed->bodies().velocity == whole->bodies().velocity);
}

TEST_CASE("a checkpoint holds the sums that events have moved") {
  diagnostics::Conservation written, read;
  written.last.moved = {-2.0, {1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  SavedState saved;
  written.exchange(saved);
  SavedState state(saved.blocks());
  read.exchange(state);
  state.finish();
  CHECK(read.last.moved.energy == -2.0);
  CHECK(read.last.moved.momentum == written.last.moved.momentum);
  CHECK(read.last.moved.angular_momentum == written.last.moved.angular_momentum);
}

TEST_CASE("tables have no rows of bodies that are gone") {
  std::string const deck = falling_deck(R"({"name": "gauss_radau15", "time_step": 1})",
                                        R"(, "collisions": {}, "diagnostics": {
        "trajectories": {"bodies": [1, 2], "interval": 1},
        "orbital_elements": {"bodies": [1, 2], "primary": "0, 1", "interval": 1}})");
  testing::RunFiles files("gone");
  CHECK(files.start(deck, {}).exit == ExitStatus::conserved);
  auto const trajectories = content(files.path() / "trajectories.csv");
  CHECK(contains(trajectories, "0,0,1,"));
  CHECK_FALSE(contains(trajectories, "2,2,1,"));
  CHECK(contains(trajectories, "2,2,2,"));
  // All orbits are about a body that is gone.
  CHECK(files.start(deck, {"diagnostics.orbital_elements.primary=1"}).exit ==
        ExitStatus::conserved);
  CHECK_FALSE(contains(content(files.path() / "orbital_elements.csv"), "\n2,2,"));
}

namespace {

/// The acceleration (t, 0, 0).
struct Ramp {
  template <class Number>
  KOKKOS_FUNCTION forces::Push<Number> operator()(forces::Particle<Number> const& body) const {
    return {{body.time, Number(0.0), Number(0.0)}, Number(0.0)};
  }
};

}  // namespace

TEST_CASE("a force that depends on time has its time in every part of a step with collisions") {
  forces::ExtraForceEntry entry{
      "ramp", "", {}, [](auto const&...) { return forces::make_force(Ramp{}); }};
  entry.time_dependent = true;
  for (std::string const time_step : {"0.25", "-0.25"}) {
    CAPTURE(time_step);
    auto run = deck::configure(
                   R"({"bodies": {"list": [
        {"mass": 1e-12, "radius": 0.1, "position": [0, 0, 0]},
        {"mass": 1e-12, "radius": 0.1, "position": [1, 0, 0], "velocity": [-1, 0, 0]},
        {"mass": 0, "position": [0, 50, 0]}]},
      "integrator": {"name": "rk4", "time_step": 0.25}, "run": {"steps": 8}, "collisions": {}})",
                   "deck",
                   {"integrator.time_step=" + time_step,
                    time_step[0] == '-' ? "bodies.list[1].velocity[0]=1" : "title=forwards"})
                   .configuration;
    run.forces.push_back({&entry, {}, "forces[0]"});
    auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
    simulation->advance(8);
    CHECK(simulation->state().gone == 1);
    double const t = simulation->time();
    CHECK(std::abs(simulation->bodies().position[1].x - t * t * t / 6.0) < 1e-9);
    CHECK(std::abs(simulation->bodies().velocity[1].x - t * t / 2.0) < 1e-9);
  }
}

TEST_CASE("wisdom_holman applies forces to the bodies that a merger leaves") {
  std::vector<Vec3<double>> places[2];
  for (int k = 0; k < 2; ++k) {
    std::string const integrator = k == 0 ? R"({"name": "gauss_radau15", "time_step": 1})"
                                          : R"({"name": "wisdom_holman", "time_step": 0.0078125})";
    auto const run = deck::configure(R"({"bodies": {"list": [
        {"mass": 1, "radius": 0.1, "position": [0, 0, 0]},
        {"mass": 1e-3, "radius": 0.02, "position": [1, 0, 0], "velocity": [-1, 0.02, 0]},
        {"mass": 1e-3, "position": [0, 3, 0], "velocity": [-0.55, 0, 0]},
        {"mass": 1e-3, "position": [-5, 0, 0], "velocity": [0, -0.45, 0]}]},
      "integrator": )" + integrator + R"(, "run": {"end_time": 2}, "collisions": {},
      "forces": [{"name": "oblate", "J2": 0.05, "R": 0.2, "body": 0}]})",
                                     "deck", {})
                         .configuration;
    auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
    simulation->advance(run.steps);
    CHECK(simulation->bodies().id == std::vector<std::uint64_t>{0, 2, 3});
    places[k] = simulation->bodies().position;
  }
  for (std::size_t i = 0; i < 3; ++i) CHECK(norm(places[1][i] - places[0][i]) < 1e-3);
}

TEST_CASE("a step that no step can finish is undone with the mergers in it") {
  auto const run = deck::configure(R"({"bodies": {"list": [
        {"mass": 0.5, "position": [0, 0, 0]}, {"mass": 0.5, "position": [1, 0, 0]},
        {"mass": 1e-3, "radius": 0.1, "position": [100, 0, 0]},
        {"mass": 1e-3, "radius": 0.1, "position": [100.5, 0, 0], "velocity": [-1, 0, 0]}]},
      "integrator": {"name": "hermite4", "time_step": 2, "stepping": {"mode": "adaptive"}},
      "run": {"steps": 1}, "collisions": {}})",
                                   "deck", {})
                       .configuration;
  auto const start = simulation::make_bodies(run);
  auto const simulation = simulation::make_simulation(run, start);
  CHECK_THROWS_AS(simulation->advance(), integrators::Collision);
  CHECK(simulation->step() == 0);
  CHECK(simulation->events().empty());
  CHECK(simulation->state().gone == 0);
  CHECK(simulation->bodies().mass == start.mass);
  CHECK(simulation->bodies().position == start.position);
  CHECK(simulation->bodies().radius == start.radius);
  CHECK(simulation->measure().moved.energy == 0.0);
}

TEST_CASE("every section of events goes with every table, integrator and set of bodies") {
  std::string const star = R"({"mass": 1, "radius": 1e-4, "position": [0, 0, 0]})",
                    planet = R"(, {"mass": 1e-3, "radius": 1e-5, "semi_major_axis": 5})",
                    massless = R"(, {"mass": 0, "semi_major_axis": 1})";
  for (auto const& bodies : {star + massless, star + planet, star + planet + massless}) {
    for (std::string const integrator :
         {R"("name": "gauss_radau15", "time_step": 1)",
          R"("name": "leapfrog_kdk", "time_step": 0.1)",
          R"("name": "hermite4", "time_step": 0.1, "stepping": {"mode": "adaptive"})",
          R"("name": "hermite4", "time_step": 0.1, "stepping": {"mode": "block"})",
          R"("name": "wisdom_holman", "time_step": 0.1)"}) {
      std::vector<Vec3<double>> without;
      for (
          std::string const events :
          {R"()", R"(, "removal": {"beyond": 100, "of": "massless"})",
           R"(, "removal": {"beyond": 100, "unbound": true})", R"(, "collisions": {})",
           R"(, "encounters": {"distance": 1e-3})",
           R"(, "collisions": {}, "removal": {"beyond": 100}, "encounters": {"distance": 1e-3})"}) {
        for (std::string const more :
             {R"()", R"(, "encounter_distance": 1e-3)",
              R"(}, "diagnostics": {"pair_distances": {})",
              R"(, "encounter_distance": 1e-3}, "diagnostics": {"pair_distances": {})"}) {
          CAPTURE(bodies);
          CAPTURE(integrator);
          CAPTURE(events);
          CAPTURE(more);
          auto const run =
              deck::configure(R"({"bodies": {"list": [)" + bodies + R"(]}, "integrator": {)" +
                                  integrator + R"(}, "run": {"steps": 3)" + more + "}" + events +
                                  "}",
                              "deck", {})
                  .configuration;
          auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
          simulation->advance(3);
          CHECK(simulation->events().empty());
          auto const& now = simulation->bodies().position;
          if (without.empty()) without = now;
          CHECK(now == without);
        }
      }
    }
  }
}

TEST_CASE("sections of events that contradict the run are refused in one line each") {
  auto const refusal = [](std::vector<std::string> const& overrides) {
    try {
      auto const deck = deck::configure(
          R"({"bodies": {"list": [{"mass": 1, "radius": 0.1, "position": [0, 0, 0]},
                                  {"mass": 2, "radius": 0.2, "position": [1, 0, 0]}]},
              "integrator": {"time_step": 0.1}, "run": {"steps": 1}})",
          "deck", overrides);
      simulation::make_bodies(deck.configuration);
    } catch (Error const& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal({"collisions.on_collision=merge"}) == "");
  CHECK(contains(refusal({"collisions.on_collision=merge", "bodies.list[1].position[0]=0.25"}),
                 "bodies 0 and 1 overlap at the start"));
  CHECK(refusal({"bodies.list[1].position[0]=0.25"}) == "");
  CHECK(contains(refusal({"collisions.on_collision=bounce", "collisions.restitution=1.5"}),
                 "restitution"));
  CHECK(contains(refusal({"collisions.on_collision=merge", "collisions.restitution=0.5"}),
                 "without bounces"));
  CHECK(contains(refusal({"collisions.on_collision=merge", "bodies.list[0].radius=0",
                          "bodies.list[1].radius=0"}),
                 "no body has a radius"));
  CHECK(contains(refusal({"bodies.list[0].radius=-1"}), "radius"));
  CHECK(contains(refusal({"removal.beyond=0.1"}), "would remove the heaviest body"));
  CHECK(refusal({"removal.beyond=0.5"}) == "");
  CHECK(contains(refusal({"collisions.on_collision=merge", "gravity.solver=fmm"}),
                 "contradicts collisions"));
  CHECK(contains(refusal({"encounters.distance=0.5", "conservation.on_violation=retry",
                          "conservation.max_momentum_error=1"}),
                 "contradicts encounters"));
}
