// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/scratch.hpp"
#include <apsis/core/text.hpp>
#include <apsis/run/loop.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

using namespace apsis;
using apsis::testing::contains;

namespace {

deck::Configuration deck_with(std::string const& bodies, std::vector<std::string> overrides) {
  return deck::configure(R"({"bodies": )" + bodies +
                             R"(, "integrator": {"name": "leapfrog_kdk", "time_step": 0.015625},
                                   "run": {"end_time": 64},
                                   "output": {"conservation_interval": 0.25}})",
                         "deck", overrides)
      .configuration;
}

run::Outcome outcome_of(deck::Configuration const& run, HostBodies const& bodies) {
  testing::Scratch const scratch;
  run::RunDirectory directory(scratch / "run", run::Existing::replace);
  directory.prepare();
  run::RunOutput output(run, directory, "{}", {});
  auto outcome = run::simulate(run, bodies, output);
  output.finish();
  return outcome;
}

run::Outcome outcome_of(deck::Configuration const& run) {
  return outcome_of(run, simulation::make_bodies(run));
}

/// Eccentric binary that this step does not resolve, moving with this velocity along x.
std::string binary(double velocity) {
  auto const v = shortest(velocity);
  return R"({"list": [{"mass": 0.5, "position": [0.95, 0, 0], "velocity": [)" + v +
         R"(, 0.1147, 0]}, {"mass": 0.5, "position": [-0.95, 0, 0], "velocity": [)" + v +
         R"(, -0.1147, 0]}]})";
}

std::string const limit = "conservation.max_relative_energy_error=";

}  // namespace

TEST_CASE("the energy error of a binary is independent of its bulk velocity") {
  auto const rest = outcome_of(deck_with(binary(0.0), {limit + "1e-4"}));
  auto const moving = outcome_of(deck_with(binary(1000.0), {limit + "1e-4"}));
  for (auto const* outcome : {&rest, &moving}) {
    CHECK(outcome->exit == ExitStatus::not_conserved);
    REQUIRE(outcome->problems.size() == 1);
    CHECK(contains(outcome->problems[0].text(), "over |E0| in the centre-of-mass frame"));
    CHECK(outcome->conservation.max_relative_energy_error > 0.4);
    CHECK(std::abs(outcome->conservation.initial_internal_energy() + 0.125) < 3e-2);
  }
  CHECK(moving.conservation.initial_energy() > 4.9e5);
  // Coordinates of 64 000 resolve the orbit to 1e-11.
  CHECK(std::abs(moving.conservation.max_relative_energy_error /
                     rest.conservation.max_relative_energy_error -
                 1.0) < 1e-3);
}

TEST_CASE("a run without limits gets a note on its internal energy, in any frame") {
  for (double const velocity : {0.0, 1000.0}) {
    CAPTURE(velocity);
    auto const run = deck_with(binary(velocity), {});
    auto const outcome = outcome_of(run);
    CHECK(outcome.exit == ExitStatus::conserved);
    auto const remark = run::summary_remark(run, outcome).value_or("");
    CHECK(contains(remark, "the energy changed by 4"));
    CHECK(contains(remark, " %: the results of this run are not reliable"));
    auto const text = run::summary_text(run, outcome, "run");
    CHECK(contains(text, "  measured by    |E0| in the centre-of-mass frame\n"));
  }
}

TEST_CASE("with a limit on momentum alone a wrong energy still gives a note") {
  auto const run = deck_with(binary(0.0), {"conservation.max_momentum_error=1"});
  CHECK(contains(run::summary_remark(run, outcome_of(run)).value_or(""), "changed by 4"));
}

TEST_CASE("the energy error of a star cluster is measured in its centre-of-mass frame") {
  auto const run = deck_with(
      R"({"generator": "plummer", "count": 64, "seed": 2})",
      {"run.end_time=2", "integrator.time_step=0.125", limit + "1e-5", "gravity.softening=0.01"});
  auto const rest = simulation::make_bodies(run);
  auto moving = rest;
  for (auto& x : moving.position) x += Vec3<double>{8500.0, 0.0, 0.0};
  for (auto& v : moving.velocity) v += Vec3<double>{0.0, 230.0, 0.0};
  double const error = outcome_of(run, rest).conservation.max_relative_energy_error;
  auto const outcome = outcome_of(run, moving);
  CHECK(error > 0.01);
  CHECK(std::abs(outcome.conservation.max_relative_energy_error / error - 1.0) < 1e-6);
  CHECK(outcome.exit == ExitStatus::not_conserved);
}

TEST_CASE("a parabolic orbit accurate to rounding is conserved, and its energy scale is shown") {
  auto const run = deck_with(R"({"generator": "composite", "parts": [
      {"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}]}},
      {"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}]},
       "orbit": {"pericentre": 1, "separation": 10}}]})",
                             {"integrator.name=blanes_moan6", "run.end_time=10", limit + "1e-12"});
  auto const outcome = outcome_of(run);
  auto const& conserved = outcome.conservation;
  CHECK(outcome.exit == ExitStatus::conserved);
  CHECK(std::abs(conserved.initial_internal_energy()) < 1e-15);
  CHECK(conserved.max_relative_energy_error < 1e-12);
  CHECK(conserved.energy_scale.measure != diagnostics::EnergyMeasure::energy);
  CHECK(std::abs(conserved.energy_scale.value - 0.1) < 1e-15);  // G m1 m2 / 10
  auto const text = run::summary_text(run, outcome, "run");
  CHECK(contains(text, " in the centre-of-mass frame: |E0| is less than a tenth of it\n"));
  auto const json = run::summary_json(run, outcome);
  CHECK(contains(json, R"("energy_frame": "centre of mass")"));
  auto const measure = name_of(conserved.energy_scale.measure);
  CHECK(contains(json, "\"energy_measure\": \"" + measure + "\""));
  // This energy scale still detects the error of a broken step.
  auto const broken = outcome_of(
      deck_with(binary(0.0), {"integrator.name=euler", "run.end_time=10", limit + "1e-12"}));
  CHECK(broken.exit == ExitStatus::not_conserved);
}

TEST_CASE("around a single mass the energy of a massless body is judged and noted in any frame") {
  auto const swarm = [](double speed, double v) {
    auto const bulk = shortest(v);
    return R"({"list": [{"mass": 1, "position": [0, 0, 0], "velocity": [0, 0, )" + bulk +
           R"(]}, {"mass": 0, "position": [1, 0, 0], "velocity": [0, )" + shortest(speed) + ", " +
           bulk + "]}]}";
  };
  double const parabolic = std::sqrt(2.0);
  for (double const v : {0.0, 1000.0}) {
    CAPTURE(v);
    // It falls to a pericentre of 0.0011, which this step does not resolve.
    auto const run = deck_with(swarm(0.047, v), {"run.end_time=4"});
    auto const outcome = outcome_of(run);
    CHECK(outcome.conservation.max_relative_energy_error > 1.0);
    CHECK(outcome.conservation.max_test_particle_energy_error ==
          outcome.conservation.max_relative_energy_error);
    CHECK(contains(run::summary_remark(run, outcome).value_or(""),
                   "the energy of a massless body changed by "));
    auto const parabola = outcome_of(deck_with(
        swarm(parabolic, v), {"integrator.name=blanes_casas8", "run.end_time=4", limit + "1e-9"}));
    CHECK(parabola.exit == ExitStatus::conserved);
  }
}
