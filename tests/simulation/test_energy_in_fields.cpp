// SPDX-License-Identifier: Apache-2.0
#include "support/decks.hpp"
#include "support/relative.hpp"
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// Energies of a run, measured after every `interval` steps.
struct Measured {
  diagnostics::Conservation conservation;
  diagnostics::Measurement last;
  simulation::SimulationState state;

  /// Energy of the mutual gravity in the centre-of-mass frame.
  double internal() const { return last.internal_kinetic + last.potential - last.extra_energy; }
};

Measured measured(std::string const& json, std::vector<std::string> const& overrides = {},
                  std::uint64_t interval = 1) {
  auto const run = configured(json, overrides);
  auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
  Measured result;
  result.conservation.add(simulation->measure());
  for (std::uint64_t step = 0; step < run.steps; step += interval) {
    simulation->advance(interval, simulation::FollowUp::measurement);
    result.conservation.add(simulation->measure());
  }
  result.last = simulation->measure();
  result.state = simulation->state();
  return result;
}

/// A binary of separation 0.1 on a circle of radius 100 about a point mass of 1e6.
std::string const binary_in_field = R"({
  "bodies": {"list": [
    {"mass": 0.5, "position": [100.05, 0, 0], "velocity": [0, 101.5811388, 0]},
    {"mass": 0.5, "position": [99.95, 0, 0], "velocity": [0, 98.4188612, 0]}]},
  "gravity": {"softening": 0}, "integrator": {"name": "leapfrog_kdk", "time_step": 0.00390625},
  "forces": [{"name": "external", "profile": "point_mass", "mass": 1e6}],
  "run": {"end_time": 1}})";

/// A cluster with the velocity of an orbit in a galaxy, and the forces of a deck.
std::string cluster_with(std::string const& forces) {
  return R"({
  "units": {"system": "astrophysical"},
  "bodies": {"generator": "composite", "parts": [{
    "bodies": {"generator": "plummer", "count": 100, "seed": 5, "mass": 100, "scale_radius": 0.3},
    "position": [8500, 0, 0], "velocity": [0, 225, 0]}]},
  "gravity": {"softening": 0},
  "integrator": {"name": "hermite4", "time_step": 0.125,
                 "stepping": {"mode": "block", "eta": 0.02}},)" +
         forces + R"("run": {"end_time": 1}})";
}
std::string const cluster_in_field =
    cluster_with(R"("forces": [{"name": "external", "profile": "logarithmic", "velocity": 225}],)");

}  // namespace

TEST_CASE("an orbit in a field does not dilute the energy error of the bodies on it") {
  auto const pair = measured(binary_in_field);
  auto const& conservation = pair.conservation;
  // -G m m / 2a of the pair; the orbit in the field has -5000.
  CHECK(conservation.energy_scale.value == approximately(1.25, 1e-2));
  CHECK_FALSE(conservation.energy_scale.in_field);
  double const change = std::abs(conservation.final_energy() - conservation.initial_energy());
  CHECK(conservation.relative_energy_error == approximately(change / 1.25, 1e-2));
  CHECK(conservation.max_relative_energy_error > 1e-5);
  CHECK(frame_of(conservation) == "of the bodies alone, in the centre-of-mass frame");
  // Steps of leapfrog that let the cluster explode.
  auto const cluster =
      measured(cluster_in_field, {"integrator.name=leapfrog_kdk", "integrator.time_step=0.125",
                                  R"(integrator.stepping={"mode": "fixed"})"});
  CHECK(cluster.conservation.max_relative_energy_error > 0.1);
  CHECK(cluster.conservation.energy_scale.value < 100.0);
}

TEST_CASE("one body and massless bodies are measured by their energy in the field") {
  auto const one = measured(R"({
    "bodies": {"list": [{"mass": 0.5, "position": [100, 0, 0], "velocity": [0, 90, 0]},
                        {"mass": 0, "position": [50, 0, 0], "velocity": [0, 99, 0]}]},
    "gravity": {"softening": 0}, "integrator": {"name": "leapfrog_kdk", "time_step": 0.015625},
    "forces": [{"name": "external", "profile": "point_mass", "mass": 1e6}],
    "run": {"end_time": 1}})");
  CHECK(one.conservation.energy_scale.in_field);
  CHECK(one.conservation.energy_scale.value == approximately(0.5 * (1e4 - 4050.0)));
  CHECK(one.conservation.max_relative_energy_error < 1e-4);
  CHECK(frame_of(one.conservation) == "in the frame of the coordinates");
}

TEST_CASE("after a merger the energy scale is that of the bodies that are left") {
  std::string const deck = R"({
    "bodies": {"list": [
      {"mass": 1, "position": [0, 0, 0], "radius": 0.002},
      {"mass": 0.67, "position": [0.01, 0, 0], "velocity": [0, 0.1, 0], "radius": 0.002},
      {"mass": 0.1, "position": [0.5, 0, 0], "velocity": [0, 1.8, 0]}]},
    "gravity": {"softening": 0}, "integrator": {"name": "gauss_radau15", "time_step": 0.125},
    "collisions": {"on_collision": "merge"}, "run": {"end_time": 2}})";
  auto const good = measured(deck);
  double const first = std::abs(good.conservation.initial_internal_energy());
  CHECK(first > 60.0);
  CHECK(good.conservation.energy_scale.value < 0.2);
  CHECK(good.conservation.energy_scale.value ==
        approximately(std::abs(good.conservation.final_internal_energy()), 1e-9));
  CHECK(good.conservation.max_relative_energy_error < 1e-11);
  // Errors of 3 in an energy of 0.2 are no 4 %.
  auto const bad =
      measured(deck, {"integrator.name=leapfrog_kdk", "integrator.time_step=0.000244140625"}, 512);
  CHECK(bad.conservation.max_relative_energy_error > 1.0);
}

TEST_CASE("steps of Hermite schemes follow mutual gravity in a smooth field") {
  // A binary that falls with 200 times its own acceleration.
  auto const binary_with = [](std::string const& forces) {
    return R"({"bodies": {"list": [
      {"mass": 0.5, "position": [1000000.05, 0, 0], "velocity": [0, 1.5811388, 0]},
      {"mass": 0.5, "position": [999999.95, 0, 0], "velocity": [0, -1.5811388, 0]}]},
      "gravity": {"softening": 0}, "integrator": {"name": "hermite4", "time_step": 0.125},)" +
           forces + R"("run": {"end_time": 1}})";
  };
  auto const field = binary_with(
      R"("forces": [{"name": "external", "profile": "logarithmic", "velocity": 100000}],)");
  struct Scheme {
    std::string name, mode, eta;
    double error;  ///< of the energy -1.25 of the binary
  };
  for (auto const& [name, mode, eta, error] : {Scheme{"hermite4", "block", "0.1", 1e-3},
                                               {"hermite4", "adaptive", "0.1", 1e-3},
                                               {"hermite6", "adaptive", "0.4", 1e-4}}) {
    CAPTURE(name);
    CAPTURE(mode);
    std::vector<std::string> const overrides{
        "integrator.name=" + name,
        R"(integrator.stepping={"mode": ")" + mode + R"(", "eta": )" + eta + "}"};
    auto const in_field = measured(field, overrides);
    auto const alone = measured(binary_with(""), overrides);
    CHECK(in_field.state.integrator_steps == alone.state.integrator_steps);
    CHECK(std::abs(in_field.internal() + 1.25) < error);
  }
  // The steps of a single body are those of the field.
  auto const single = measured(
      cluster_in_field,
      {R"(bodies={"list": [{"mass": 1, "position": [8500, 0, 0], "velocity": [0, 225, 0]}]})",
       "integrator.time_step=1024", "run.end_time=1024"});
  CHECK(single.state.integrator_steps > 32);
  CHECK(single.conservation.max_relative_energy_error < 1e-3);
}

TEST_CASE("a composite keeps its velocity in a field") {
  auto const run = configured(cluster_in_field, {});
  auto const kept = centre_of_mass(simulation::make_bodies(run)).velocity;
  CHECK(norm(kept - Vec3<double>{0, 225, 0}) < 1e-9);
  auto const rest = centre_of_mass(simulation::make_bodies(configured(cluster_with(""), {})));
  CHECK(norm(rest.velocity) < 1e-9);
  // Forces of one body on the others do not fix the frame.
  auto const oblate =
      configured(cluster_with(R"("forces": [{"name": "oblate", "J2": 0.001, "R": 0.0001}],)"), {});
  CHECK(norm(centre_of_mass(simulation::make_bodies(oblate)).velocity) < 1e-9);
}
