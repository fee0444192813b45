// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/runs.hpp"
#include "support/suites.hpp"
#include <apsis/diagnostics/conservation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace apsis;
using apsis::testing::configured;
using apsis::testing::contains;
using apsis::testing::RunFiles;

namespace {

std::string const cluster = R"({
  "bodies": {"generator": "plummer", "count": 20, "seed": 3, "henon_units": true},
  "gravity": {"softening": 0.05},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.03125},
  "run": {"steps": 64},
  "output": {"conservation_interval": 0.25},
  "conservation": {"max_relative_energy_error": 0.01, "max_momentum_error": 1e-12}})";

std::string const halo = R"(forces=[{"name": "external", "profile": "plummer", "mass": 3,
                            "scale_radius": 2, "centre": [3, 0, 0]}])";

std::string summary(deck::Configuration const& run, run::Outcome const& outcome) {
  return run::summary_text(run, outcome, "somewhere");
}

/// A star with a planet and a grain of dust.
std::string dusty(double mass) {
  return R"({"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-3, "semi_major_axis": 3},
      {"mass": )" +
         std::to_string(mass) + R"(, "semi_major_axis": 1}]},
      "gravity": {"softening": 0},
      "integrator": {"name": "gauss_radau15", "time_step": 1,
                     "stepping": {"mode": "own", "judged": "all"}},
      "run": {"steps": 100},
      "conservation": {"max_relative_energy_error": 1e-10, "max_momentum_error": 1e-12},
      "forces": [{"name": "radiation", "c": 100,
                  "beta": {"value": 0.1, "ids": [2]}}]})";
}

/// Momentum and centre of mass of two bodies to first post-Newtonian order, for G = 1: the sums
/// over the bodies of m v (1 + (v^2 - U) / (2 c^2)) - m U (n . v) n / (2 c^2) and of m x (1 + (v^2
/// - U) / (2 c^2)), where U = G m' / r is by the other body.
struct RelativisticSums {
  Vec3<double> momentum{}, dipole{};

  RelativisticSums(HostBodies const& bodies, double c) {
    auto const d = bodies.position[1] - bodies.position[0];
    double const r = norm(d), scale = 0.5 / (c * c);
    for (std::size_t i = 0; i < 2; ++i) {
      double const m = bodies.mass[i], depth = bodies.mass[1 - i] / r;
      auto const &x = bodies.position[i], &v = bodies.velocity[i];
      double const factor = m * (1.0 + scale * (dot(v, v) - depth));
      momentum = momentum + factor * v - (scale * m * depth * dot(d, v) / (r * r)) * d;
      dipole = dipole + factor * x;
    }
  }
};

/// The positions of a simulation after so many steps.
std::vector<Vec3<double>> places(std::vector<std::string> const& overrides, std::string const& deck,
                                 std::uint64_t steps) {
  auto const run = configured(deck, overrides);
  auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
  simulation->advance(steps);
  return simulation->bodies().position;
}

}  // namespace

TEST_CASE("a field changes the momentum, which no limit judges, and the energy is judged with it") {
  RunFiles files("halo");
  std::vector<std::string> const overrides{halo, "integrator.time_step=0.0078125", "run.steps=256"};
  auto const run = configured(cluster, overrides);
  auto const outcome = files.start(cluster, overrides);
  CHECK(outcome.exit == ExitStatus::conserved);
  auto const& conservation = outcome.conservation;
  CHECK(conservation.max_momentum_error > 0.1);
  CHECK(conservation.max_relative_energy_error < 0.01);
  CHECK(!conservation.is_internal());
  // The energy in the centre-of-mass frame changes, since the cluster falls.
  CHECK(std::abs(conservation.final_internal_energy() - conservation.initial_internal_energy()) >
        0.05);
  auto const text = summary(run, outcome);
  CHECK(contains(text, "(not judged: forces besides gravity change it)"));
  CHECK(contains(text, "external; they change, so not judged: momentum, angular momentum"));
  CHECK(contains(text, "of the bodies alone, in the centre-of-mass frame"));
  CHECK(contains(text, "status           conserved"));
  auto const json = run::summary_json(run, outcome);
  CHECK(contains(json, "\"not_conserved_with_forces\": \"momentum, angular momentum\""));
  // The other verdict is as strict as ever.
  std::string const strict = "conservation.max_relative_energy_error=1e-9";
  CHECK(files.start(cluster, {halo, strict}).exit == ExitStatus::not_conserved);
  CHECK(files.start(cluster, {"conservation.max_momentum_error=0"}).exit ==
        ExitStatus::not_conserved);
}

TEST_CASE("drag is not judged where it acts on mass") {
  RunFiles files("dust");
  auto const massive = files.start(dusty(1e-6), {});
  CHECK(massive.exit == ExitStatus::conserved);
  CHECK(massive.conservation.max_momentum_error > 1e-12);
  CHECK(contains(summary(configured(dusty(1e-6), {}), massive), "status           not_judged"));
  auto const massless = files.start(dusty(0.0), {});
  CHECK(massless.exit == ExitStatus::conserved);
  CHECK(massless.conservation.max_momentum_error < 1e-12);
  CHECK(massless.conservation.last.conserved.energy);
  CHECK(!massless.massless.measured);
}

TEST_CASE("mergers and removals in a field move its energy to the books") {
  // Two bodies meet in a field, and a third one is far away.
  std::string const deck = R"({
    "bodies": {"list": [
      {"mass": 1, "position": [2, 0, 0], "velocity": [0, 1, 0], "radius": 0.2},
      {"mass": 0.5, "position": [3, 0, 0], "velocity": [0, 0.6, 0.1], "radius": 0.1},
      {"mass": 0.1, "position": [0, 9, 0], "velocity": [0, 3, 0]}]},
    "gravity": {"softening": 0}, "integrator": {"name": "gauss_radau15", "time_step": 0.25},
    "run": {"steps": 16}, "collisions": {"on_collision": "merge"}, "removal": {"beyond": 12},
    "conservation": {"max_relative_energy_error": 1e-10},
    "forces": [{"name": "external", "profile": "plummer", "mass": 3, "scale_radius": 2},
               {"name": "post_newtonian", "c": 30}]})";
  RunFiles files("events");
  auto const outcome = files.start(deck, {});
  CHECK(outcome.exit == ExitStatus::conserved);
  CHECK(outcome.conservation.last.moved.energy != 0.0);
  auto const table = files.table("events.csv");
  CHECK(contains(table, "merge"));
  CHECK(contains(table, "removal"));
}

TEST_CASE("wisdom_holman and gauss_radau15 apply the same forces") {
  std::string const planets = R"({
    "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-3, "semi_major_axis": 1, "eccentricity": 0.05},
                        {"mass": 1e-4, "semi_major_axis": 1.9, "inclination": 5}]},
    "gravity": {"softening": 0}, "integrator": {"name": "gauss_radau15", "time_step": 1},
    "run": {"steps": 100},
    "forces": [{"name": "external", "profile": "plummer", "mass": 0.5, "scale_radius": 20,
                "centre": [5, 0, 0]},
               {"name": "oblate", "J2": 1e-3, "R": 0.3, "axis": [0.3, 0, 1]}]})";
  auto const known = places({}, planets, 100);
  auto const without = places({"forces=null"}, planets, 100);
  CHECK(norm(known[1] - without[1]) > 0.1);
  for (auto const* coordinates : {"jacobi", "democratic"}) {
    CAPTURE(coordinates);
    auto const error = [&](int substeps) {
      auto const split = places(
          {"integrator.name=wisdom_holman", "integrator.substeps=" + std::to_string(substeps),
           std::string("integrator.coordinates=") + coordinates},
          planets, 100);
      double worst = 0.0;
      for (std::size_t i = 0; i < 3; ++i) worst = std::max(worst, norm(split[i] - known[i]));
      return worst;
    };
    double const coarse = error(50), fine = error(100);
    CHECK(fine < 1e-4);
    CHECK(coarse / fine > 3.5);  // order 2
    CHECK(coarse / fine < 4.5);
  }
  CHECK_THROWS_AS(places({"integrator.name=wisdom_holman", "bodies.list[2].mass=0"}, planets, 1),
                  Error);
}

TEST_CASE("runs with forces are resumed with the same bits, and on fewer threads" *
          testing::thread_counts) {
  std::string const forces = R"(forces=[{"name": "external", "profile": "nfw", "mass": 3,
      "scale_radius": 2, "centre": [1, 0, 0]}, {"name": "oblate", "J2": 0.1, "R": 0.1},
      {"name": "post_newtonian", "c": 50}])";
  std::string const velocities = R"(forces=[{"name": "tidal_field", "omega": 0.3},
      {"name": "schwarzschild", "c": 50, "around": 4},
      {"name": "einstein_infeld_hoffmann", "c": 500}])";
  struct Case {
    char const* integrator;
    bool takes_velocities;
    int count;
  };
  for (auto const& sample :
       {Case{"leapfrog_kdk", false, 20}, Case{"hermite6", false, 20}, Case{"hermite4", true, 20},
        Case{"gauss_radau15", true, 12}, Case{"gauss_radau15", true, 20}, Case{"rk4", true, 20}}) {
    CAPTURE(sample.integrator);
    CAPTURE(sample.count);
    std::vector<std::string> const overrides{std::string("integrator.name=") + sample.integrator,
                                             sample.takes_velocities ? velocities : forces,
                                             "bodies.count=" + std::to_string(sample.count),
                                             "run.steps=12",
                                             "output.conservation_interval=0.03125"};
    RunFiles whole("whole"), cut("cut");
    whole.start(cluster, overrides);
    {
      testing::SignalAtLook const signal(SIGTERM, 6);
      CHECK(cut.start(cluster, overrides).exit == ExitStatus::stopped);
    }
    CHECK(cut.resume(cluster, overrides).resumed.has_value());
    CHECK(whole.state() == cut.state());
  }
}

TEST_CASE("two bodies under einstein_infeld_hoffmann have a constant relativistic momentum") {
  constexpr double c = 3000.0;
  std::string const binary = R"({
    "bodies": {"list": [{"mass": 0.7, "position": [0.2, 0.1, 0], "velocity": [0.3, -0.2, 0.1]},
                        {"mass": 0.3, "position": [1.1, 0, 0.2], "velocity": [0.3, 0.7, 0.2]}]},
    "gravity": {"softening": 0}, "integrator": {"name": "gauss_radau15", "time_step": 1},
    "run": {"steps": 40},
    "forces": [{"name": "einstein_infeld_hoffmann", "c": 3000}]})";
  auto const run = configured(binary, {});
  auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
  auto const newtonian = [&] {
    auto const& bodies = simulation->bodies();
    return bodies.mass[0] * bodies.velocity[0] + bodies.mass[1] * bodies.velocity[1];
  };
  auto const p = newtonian();
  RelativisticSums const start(simulation->bodies(), c);
  double momentum_change = 0.0, momentum_error = 0.0, dipole_error = 0.0;
  for (int step = 0; step < 40; ++step) {
    simulation->advance();
    RelativisticSums const now(simulation->bodies(), c);
    auto const motion = simulation->time() * start.momentum;
    momentum_change = std::max(momentum_change, norm(newtonian() - p));
    momentum_error = std::max(momentum_error, norm(now.momentum - start.momentum));
    dipole_error = std::max(dipole_error, norm(now.dipole - start.dipole - motion));
  }
  CHECK(momentum_change > 1e-8);
  CHECK(momentum_error < 1e-12);
  CHECK(dipole_error < 1e-11);
}

TEST_CASE("no limit judges energy or momentum under einstein_infeld_hoffmann") {
  RunFiles files("relativity");
  std::string const deck = R"({
    "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-3, "semi_major_axis": 1}]},
    "gravity": {"softening": 0}, "integrator": {"name": "gauss_radau15", "time_step": 1},
    "run": {"steps": 8}, "conservation": {"max_relative_energy_error": 0, "max_momentum_error": 0},
    "forces": [{"name": "einstein_infeld_hoffmann", "c": 100}]})";
  auto const outcome = files.start(deck, {});
  CHECK(outcome.exit == ExitStatus::conserved);
  CHECK(outcome.conservation.max_relative_energy_error > 0.0);
  CHECK(contains(summary(configured(deck, {}), outcome),
                 "they change, so not judged: energy, momentum, angular momentum"));
}

TEST_CASE("forces of bodies that do not exist or have no mass are refused before the run") {
  auto const message = [&](std::string const& force) {
    auto const run = configured(cluster, {"forces=[" + force + "]"});
    try {
      simulation::make_bodies(run);
    } catch (Error const& error) {
      return error.problems().front().text();
    }
    return std::string();
  };
  CHECK(contains(message(R"({"name": "oblate", "J2": 1, "R": 1, "body": 20})"),
                 "forces[0].body: no body has the id 20"));
  CHECK(message(R"({"name": "oblate", "J2": 1, "R": 1, "body": 19})").empty());
}
