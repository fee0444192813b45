// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/reference_force.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/core/kokkos_session.hpp>
#include <apsis/simulation/field.hpp>
#include <apsis/simulation/steered_simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::contains;
using simulation::SteeredSimulation;

namespace {

/// A deck without the sections `bodies` and `run`.
std::string const bare_deck = R"({"integrator": {"name": "leapfrog_kdk", "time_step": 0.1}})";

/// Two bodies of equal mass on a circle of diameter 1: period 2 pi / sqrt(2).
HostBodies pair() {
  HostBodies bodies(2);
  bodies.mass = {1.0, 1.0};
  bodies.position = {{0.5, 0, 0}, {-0.5, 0, 0}};
  double const v = std::sqrt(0.5);
  bodies.velocity = {{0, v, 0}, {0, -v, 0}};
  return bodies;
}

SteeredSimulation steered(HostBodies bodies, std::vector<std::string> const& overrides = {}) {
  return SteeredSimulation(
      deck::configure_simulation(bare_deck, "deck", overrides, std::move(bodies)));
}

std::string problems_of_simulation(std::string const& json, std::optional<HostBodies> bodies) {
  try {
    deck::configure_simulation(json, "deck", {}, std::move(bodies));
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

bool same_places(HostBodies const& a, HostBodies const& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto const &p = a.position[i], &q = b.position[i];
    if (p.x != q.x || p.y != q.y || p.z != q.z) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("configure_simulation: a deck without run, with bodies of its own or of the program") {
  auto const deck = deck::configure_simulation(
      R"({"bodies": {"generator": "plummer", "count": 20}, "integrator": {"time_step": 0.1}})",
      "deck", {});
  CHECK(deck.configuration.bodies.count() == 20);
  CHECK(deck::configure_simulation(bare_deck, "deck", {}, pair()).configuration.bodies.count() ==
        2);
  // A section that is there is checked as ever.
  CHECK(contains(problems_of_simulation(
                     R"({"bodies": {"generator": "plummer", "count": 20}, "run": {"end": 1}})", {}),
                 "run.end"));
  CHECK(contains(problems_of_simulation(bare_deck, {}), "bodies"));
  CHECK(contains(problems_of_simulation("{", pair()), "deck"));
  CHECK(contains(
      problems_of_simulation(R"({"bodies": {"generator": "plummer", "count": 20}})", pair()),
      "bodies: given twice"));
}

TEST_CASE("configure_simulation: what is wrong with bodies of the program") {
  auto const problems = [](auto const& change) {
    auto bodies = pair();
    change(bodies);
    return problems_of_simulation(bare_deck, bodies);
  };
  CHECK(
      contains(problems([](auto& b) { b.position.pop_back(); }), "'position' has another length"));
  CHECK(contains(problems([](auto& b) { b.radius = {1.0}; }), "'radius' has another length"));
  CHECK(contains(problems([](auto& b) { b.species = {1, 6}; }), "unknown species (it is 6)"));
  CHECK(contains(problems([](auto& b) { b.id = {7, 7}; }), "id"));
  CHECK(contains(problems([](auto& b) { b.mass[1] = -1.0; }), "mass"));
  CHECK(contains(
      problems([](auto& b) { b.velocity[0].y = std::numeric_limits<double>::quiet_NaN(); }),
      "finite"));
  CHECK(contains(problems([](auto& b) { b = HostBodies(); }), "no bodies"));
  CHECK(contains(problems([](auto& b) { b.position[1] = b.position[0]; }), "in the same place"));
}

TEST_CASE("advance_to lands exactly, by whole steps and one shorter one") {
  for (double const time : {0.3, 0.25, 1.0 / 3.0, 0.05, 1e-7, 2.0}) {
    CAPTURE(time);
    auto simulation = steered(pair());
    CHECK(simulation.advance_to(time));
    CHECK(std::abs(simulation.now().time() - time) <= 1e-15);
    CHECK(simulation.now().state().time_step == 0.1);
    CHECK(simulation.now().step() == static_cast<std::uint64_t>(std::ceil(time / 0.1 - 1e-9)));
    // The error of the scheme: a circle of radius 1/2 with the angular velocity sqrt(2).
    auto const& p = simulation.now().bodies().position[0];
    double const angle = std::sqrt(2.0) * time;
    CHECK(std::abs(p.x - 0.5 * std::cos(angle)) < 2e-2 * time);
    CHECK(std::abs(p.y - 0.5 * std::sin(angle)) < 2e-2 * time);
  }
  auto simulation = steered(pair());
  for (double const time : {0.17, 0.17, 0.333, 0.9}) CHECK(simulation.advance_to(time));
  CHECK(simulation.now().time() == 0.9);
  CHECK_THROWS_AS(simulation.advance_to(0.5), Error);
  CHECK_THROWS_AS(simulation.advance_to(std::numeric_limits<double>::infinity()), Error);
  simulation.now().reverse_time();
  CHECK(simulation.advance_to(0.45));
  CHECK(simulation.now().time() == 0.45);
}

TEST_CASE("what ends a run ends a call, and a later call goes on") {
  // Two light bodies pass each other at a distance of 0.5 at time 3.05.
  HostBodies bodies(2);
  bodies.mass = {1e-9, 1e-9};
  bodies.position = {{-3.05, 0.25, 0}, {3.05, -0.25, 0}};
  bodies.velocity = {{1, 0, 0}, {-1, 0, 0}};
  bodies.radius = {0.3, 0.3};
  auto const end_of = [&](std::string const& condition, simulation::StopReason reason) {
    CAPTURE(condition);
    auto simulation = steered(bodies, {"integrator.time_step=0.125", condition});
    CHECK_FALSE(simulation.advance_to(20.0));
    REQUIRE(simulation.stop());
    CHECK(simulation.stop()->reason == reason);
    double const end = simulation.now().time();
    CHECK(simulation.advance(1) == 1);
    CHECK(simulation.now().time() == end + 0.125);
    return end;
  };
  using simulation::StopReason;
  CHECK(end_of("encounters={\"distance\": 0.6, \"then\": \"stop\"}", StopReason::encounter) ==
        3.125);
  CHECK(end_of("collisions={\"on_collision\": \"bounce\", \"at_most\": 1}",
               StopReason::collision) == 3.0);
  CHECK(end_of("run={\"encounter_distance\": 1}", StopReason::encounter) == 2.625);
  CHECK(end_of("run={\"escape_radius\": 5}", StopReason::escape) == 8.125);
}

TEST_CASE("advance_to a whole number of steps has the bits of advance, of any cut into calls" *
          testing::thread_counts) {
  auto by_time = steered(pair()), by_steps = steered(pair()), one_by_one = steered(pair());
  CHECK(by_time.advance_to(5.0));
  CHECK(by_steps.advance(50) == 50);
  for (int k = 0; k < 50; ++k) CHECK(one_by_one.advance(1) == 1);
  CHECK(same_places(by_time.now().bodies(), by_steps.now().bodies()));
  CHECK(same_places(by_time.now().bodies(), one_by_one.now().bodies()));
}

TEST_CASE("a poll that throws leaves a state from which the steps continue with the same bits" *
          testing::thread_counts) {
  auto whole = steered(testing::sample_bodies(600)), cut = steered(testing::sample_bodies(600));
  std::vector<std::string> const none;
  whole.advance(400);
  struct Stop {};
  std::uint64_t calls = 0;
  auto const poll = [&](double fraction) {
    CHECK(fraction > 0.0);
    CHECK(fraction < 1.0);
    if (++calls % 2 == 0) throw Stop();
  };
  while (cut.now().step() < 400) {
    try {
      cut.advance(400 - cut.now().step(), poll);
    } catch (Stop const&) {
    }
  }
  CHECK(same_places(whole.now().bodies(), cut.now().bodies()));
}

TEST_CASE("set_bodies: steps continue as from a simulation that begins with these bodies" *
          testing::thread_counts) {
  for (char const* name : {"leapfrog_kdk", "hermite4", "gauss_radau15"}) {
    CAPTURE(name);
    std::vector<std::string> const scheme{"integrator.name=" + std::string(name)};
    auto edited = steered(pair(), scheme);
    edited.advance_to(0.7);
    auto bodies = edited.now().bodies();
    bodies.mass.push_back(0.5);
    bodies.position.push_back({3, 0, 0});
    bodies.velocity.push_back({0, 1, 0});
    bodies.id.push_back(9);
    edited.set_bodies(bodies);
    CHECK(edited.now().time() == approximately(0.7, 1e-15));
    CHECK(edited.now().count() == 3);
    edited.advance(20);
    auto fresh = steered(bodies, scheme);
    fresh.advance(20);
    CHECK(same_places(edited.now().bodies(), fresh.now().bodies()));
    CHECK(edited.now().time() == approximately(2.7, 1e-14));
  }
  auto simulation = steered(pair(), {"gravity.precision=single"});
  auto bodies = pair();
  bodies.mass[0] = 1e60;
  CHECK_THROWS_AS(simulation.set_bodies(bodies), Error);
  CHECK(simulation.now().bodies().mass[0] == 1.0);  // unchanged
}

TEST_CASE("save and restore: the same bits, also after changes, and damaged bytes are refused" *
          testing::thread_counts) {
  for (char const* name : {"leapfrog_kdk", "hermite4", "gauss_radau15", "blanes_moan6"}) {
    CAPTURE(name);
    auto simulation = steered(pair(), {"integrator.name=" + std::string(name)});
    simulation.advance_to(0.55);
    simulation.set_bodies(simulation.now().bodies());
    simulation.advance(3);
    auto const bytes = simulation.save();
    auto restored = SteeredSimulation::restore(bytes);
    CHECK(restored.now().time() == simulation.now().time());
    simulation.advance(30);
    restored.advance(30);
    CHECK(same_places(simulation.now().bodies(), restored.now().bodies()));
    CHECK(restored.now().time() == simulation.now().time());
    auto damaged = bytes;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    CHECK_THROWS_AS(SteeredSimulation::restore(damaged), Error);
    CHECK_THROWS_AS(SteeredSimulation::restore(bytes.substr(0, bytes.size() - 9)), Error);
  }
}

TEST_CASE("picture: settings as in a deck") {
  auto simulation = steered(pair());
  auto const png = simulation.picture(R"({"width": 64, "height": 48, "extent": 3})");
  CHECK(png.substr(1, 3) == "PNG");
  CHECK(png == simulation.picture(R"({"width": 64, "height": 48, "extent": 3})"));
  CHECK_THROWS_AS(simulation.picture(R"({"colour": "pink"})"), Error);
  CHECK_THROWS_AS(simulation.picture("1"), Error);
}

TEST_CASE("events of all steps of a call, and a collision that ends it") {
  auto bodies = pair();
  bodies.velocity = {{-1, 0, 0}, {1, 0, 0}};
  bodies.radius = {0.01, 0.01};
  auto merging = steered(bodies, {"collisions.on_collision=\"merge\""});
  CHECK(merging.advance_to(0.35));
  REQUIRE(merging.events().size() == 1);
  CHECK(merging.events()[0].kind == simulation::EventKind::merge);
  CHECK(merging.now().bodies().size() == 1);
  auto stopping = steered(bodies, {"collisions.on_collision=\"stop\""});
  CHECK_FALSE(stopping.advance_to(1.0));
  REQUIRE(stopping.events().size() == 1);
  CHECK(stopping.events()[0].ends_step());
  CHECK(stopping.now().time() < 0.5);
}

TEST_CASE(
    "field_at: every softening, as a loop in long double over bodies that include the point") {
  auto const bodies = testing::sample_bodies(300);
  HostBodies with_points = bodies;
  std::vector<Vec3<double>> const points{{0.1, 0.2, -0.3}, {5, 0, 0}, {0, 0, 0}, {-1, 2, 0.5}};
  for (auto const& p : points) {
    with_points.mass.push_back(0.0);
    with_points.position.push_back(p);
    with_points.velocity.push_back({});
    with_points.id.push_back(1000 + with_points.id.size());
  }
  using forces::SofteningKernel;
  for (auto const& [kernel, name] : {std::pair{SofteningKernel::plummer, "plummer"},
                                     std::pair{SofteningKernel::spline, "spline"},
                                     std::pair{SofteningKernel::wendland_c2, "wendland_c2"}}) {
    CAPTURE(name);
    auto simulation = steered(bodies, {"gravity.softening=0.1", "gravity.solver=\"direct\"",
                                       "gravity.softening_kernel=\"" + std::string(name) + "\""});
    auto const field = simulation::field_at(simulation.now(), points);
    testing::ReferenceForce const reference(with_points, 1.0, 0.1, kernel);
    for (std::size_t k = 0; k < points.size(); ++k) {
      CAPTURE(k);
      auto const& expected = reference.acceleration[bodies.size() + k];
      CHECK(norm(field.acceleration[k] - expected) <= 1e-13 * norm(expected));
      CHECK(field.potential[k] == approximately(reference.potential[bodies.size() + k], 1e-13));
    }
  }
  auto simulation = steered(bodies, {"gravity.softening=0.1"});
  CHECK(simulation::field_at(simulation.now(), {}).potential.empty());
  CHECK_THROWS_AS(
      simulation::field_at(simulation.now(), {{std::numeric_limits<double>::infinity(), 0, 0}}),
      Error);
}

TEST_CASE(
    "field_at: softening by species is that of the source, and a body in the place is left out") {
  auto bodies = pair();
  bodies.species = {species_types::dark, species_types::stars};
  auto simulation =
      steered(bodies, {R"(gravity.softening_by_species={"dark": 0.3, "stars": 0.1})"});
  auto const field = simulation::field_at(simulation.now(), {{0, 1, 0}});
  auto const potential = [](double eps) { return -1.0 / std::sqrt(1.25 + eps * eps); };
  CHECK(field.potential[0] == approximately(potential(0.3) + potential(0.1), 1e-14));
  auto unsoftened = steered(pair());
  auto const at_body = simulation::field_at(unsoftened.now(), {{0.5, 0, 0}});
  CHECK(at_body.acceleration[0].x == approximately(-1.0, 1e-14));
}

TEST_CASE("Kokkos that is initialised already is left as it is") {
  CHECK(start_kokkos() == nullptr);
  CHECK_THROWS_AS(start_kokkos({.threads = 100000}), Error);
}
