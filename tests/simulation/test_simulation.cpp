// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm_or_direct.hpp"
#include "run/observers/background.hpp"
#include "simulation/henon_units.hpp"
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/measured.hpp"
#include "support/sample_bodies.hpp"
#include "support/scratch.hpp"
#include "support/suites.hpp"
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/simulation/measurements.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace apsis;
using apsis::testing::contains;
using apsis::testing::expensive;

TEST_CASE("Henon units are exact with the softening of the run") {
  for (double const softening : {0.0, 0.01, 0.2}) {
    CAPTURE(softening);
    auto host = testing::sample_bodies(1000);
    forces::Direct<forces::Double> solver({1.0, softening});
    simulation::scale_to_henon_units(ExecutionSpace(), host, solver, 0.5);
    auto const system = testing::measured<double>(host, {1.0, softening});
    CHECK(std::abs(system.mass - 1.0) < 1e-14);
    CHECK(std::abs(system.potential + 0.5) < 1e-14);
    CHECK(std::abs(system.kinetic - 0.25) < 1e-14);
    CHECK(norm(system.momentum) < 1e-15);
  }
}

TEST_CASE("Henon units preserve the virial ratio of systems out of equilibrium") {
  auto const start = testing::sample_bodies(300);
  for (double const speed : {0.0, 0.01}) {
    CAPTURE(speed);
    auto host = start;
    for (auto& m : host.mass) m = 3.0 * m;
    for (auto& v : host.velocity) v = speed * v;
    initial_conditions::centre(host);
    auto const before = testing::measured<double>(host, {1.0, 0.0});
    forces::Direct<forces::Double> solver({1.0, 0.0});
    simulation::scale_to_henon_units(ExecutionSpace(), host, solver, std::nullopt);
    auto const system = testing::measured<double>(host, {1.0, 0.0});
    CHECK(std::abs(system.total() + 0.25) < 1e-14);
    CHECK(std::abs(system.virial_ratio() - before.virial_ratio()) < 1e-14);
  }
  auto unbound = start;
  for (auto& v : unbound.velocity) v = 1e3 * v;
  forces::Direct<forces::Double> solver({1.0, 0.0});
  CHECK_THROWS_AS(simulation::scale_to_henon_units(ExecutionSpace(), unbound, solver, std::nullopt),
                  Error);
}

TEST_CASE("Henon units with an approximate solver are as accurate as its potentials" * expensive) {
  auto host = testing::sample_bodies(20000);
  forces::FmmOrDirect<forces::Double> solver({1.0, 0.01}, {1e-3});
  simulation::scale_to_henon_units(ExecutionSpace(), host, solver, 0.5);
  auto const system = testing::measured<double>(host, {1.0, 0.01});
  CHECK(std::abs(system.potential + 0.5) < 1e-6);
  CHECK(std::abs(system.kinetic - 0.25) < 1e-6);
}

namespace {

std::string refusal(std::vector<std::string> const& overrides) {
  auto const deck = deck::configure(
      R"({"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 2, "position": [1, 0, 0]}]},
          "gravity": {"softening": 0.1}, "integrator": {"time_step": 0.1}, "run": {"steps": 1}})",
      "deck", overrides);
  try {
    simulation::make_bodies(deck.configuration);
  } catch (Error const& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("bodies whose values or squares overflow the precision are refused") {
  std::string const single = "gravity.precision=single";
  CHECK(refusal({}) == "");
  CHECK(refusal({single}) == "");
  CHECK(contains(refusal({single, "bodies.list[0].mass=1e39"}), "body 0: mass 1e+39"));
  CHECK(contains(refusal({single, "bodies.list[0].mass=1e-50"}), "body 0: mass 1e-50"));
  CHECK(refusal({"bodies.list[0].mass=1e39"}) == "");
  CHECK(contains(refusal({single, "bodies.list[1].position[1]=1e19"}), "its square overflows"));
  CHECK(refusal({"bodies.list[1].position[1]=1e19"}) == "");
  CHECK(contains(refusal({"bodies.list[1].position[1]=1e160"}), "its square overflows"));
  CHECK(contains(refusal({single, "bodies.list[1].velocity=[0, 1e39, 0]"}), "velocity 1e+39"));
  CHECK(contains(refusal({single, "gravity.softening=1e-12", "bodies.list[1].mass=1e4"}),
                 "mass / softening^3 overflows"));
  CHECK(refusal({"gravity.softening=1e-12", "bodies.list[1].mass=1e4"}) == "");
}

TEST_CASE("bodies so far apart that their accelerations underflow are refused") {
  auto const refusal_for_radius = [](std::string const& radius, std::string const& precision) {
    return refusal(
        {R"(bodies={"generator": "plummer", "count": 100, "scale_radius": )" + radius + "}",
         "gravity.precision=" + precision});
  };
  for (auto const* precision : {"single", "mixed"}) {
    CHECK(contains(refusal_for_radius("1e14", precision),
                   "beyond 4.4e+12 vanish in single precision"));
    CHECK(refusal_for_radius("1e12", precision) == "");
  }
  CHECK(refusal_for_radius("1e14", "double") == "");
  CHECK(contains(refusal_for_radius("1e110", "double"), "in double precision"));
  // A single distant body is accepted.
  CHECK(refusal({"gravity.precision=single", "bodies.list[1].position[1]=1e15"}) == "");
}

namespace {

std::string const parts = R"({"bodies": {"generator": "composite", "parts": [
    {"bodies": {"generator": "plummer", "count": 100}},
    {"bodies": {"list": [{"mass": 0.5, "position": [1, 0, 0]}]}, "position": [2, 0, 0]},
    {"bodies": {"file": "planets.txt"}, "position": [5, 0, 0], "inclination": 90}]},
  "gravity": {"softening": 0.01}, "integrator": {"time_step": 0.1}, "run": {"steps": 1}})";

std::string parts_refused(std::string const& source, std::vector<std::string> const& overrides,
                          ExitStatus status = ExitStatus::bad_input) {
  try {
    deck::configure(parts, source, overrides);
  } catch (Error const& error) {
    CHECK(error.status() == status);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a part of a composite may be a list or a file") {
  testing::Scratch const scratch;
  scratch.write("planets.txt", "1e-3 1 0 0 0 1 0\n0 0 2 0 0 0 0\n");
  auto const source = (scratch / "deck.json").string();
  auto const deck = deck::configure(parts, source, {});
  CHECK(deck.configuration.bodies.count() == 103);
  CHECK(deck.configuration.bodies.has_file());
  CHECK(deck.configuration.bodies.files().size() == 1);
  auto const bodies = simulation::make_bodies(deck.configuration);
  REQUIRE(bodies.size() == 103);
  CHECK(bodies.mass[100] == 0.5);
  CHECK_UNARY(bodies.position[100] == Vec3<double>{3.0, 0.0, 0.0});
  CHECK(bodies.mass[101] == 1e-3);
  CHECK_UNARY(bodies.position[101] == Vec3<double>{6.0, 0.0, 0.0});
  CHECK_UNARY(bodies.position[102] == Vec3<double>{5.0, 0.0, 2.0});
  for (std::uint64_t i = 0; i < 103; ++i) CHECK_UNARY(bodies.id[i] == i);
  // The resolved deck has the absolute path of the file and reproduces the run.
  auto const again = deck::configure(deck.resolved, "elsewhere/deck.json", {});
  CHECK(again.resolved == deck.resolved);
  CHECK((simulation::make_bodies(again.configuration).position == bodies.position));

  auto const leave = deck::configure(parts, source, {}, deck::BodiesFiles::leave);
  CHECK(leave.configuration.bodies.has_file());
  CHECK(leave.configuration.bodies.files().empty());

  auto const none =
      parts_refused(source, {"bodies.parts[2].bodies.file=none.txt"}, ExitStatus::input_output);
  CHECK(contains(none, source + ": bodies.parts[2].bodies.file: "));
  CHECK(contains(parts_refused(source, {"bodies.parts[1].bodies.list[0].mass=null"}),
                 "bodies.parts[1].bodies.list[0].mass: missing key"));
  CHECK(contains(parts_refused(source, {"bodies.parts[2].bodies.henon_units=true"}),
                 "bodies.parts[2].bodies.henon_units: unknown key"));
  scratch.write("planets.txt", "1 1 0 0 0 1 0\n1 1 0 0 0 0 0\n");
  CHECK(contains(parts_refused(source, {"gravity.softening=0"}),
                 "bodies.parts[2].bodies.file[1]: in the same place"));
}

TEST_CASE("species are passed on from the deck to snapshots and saved states") {
  testing::Scratch const scratch;
  scratch.write("planets.txt", "1e-3 1 0 0 0 1 0\n0 0 2 0 0 0 0\n");
  auto const source = (scratch / "deck.json").string();
  CHECK(simulation::make_bodies(deck::configure(parts, source, {}).configuration).species.empty());
  auto const deck =
      deck::configure(parts, source,
                      {"bodies.parts[1].species=stars", "bodies.parts[2].species=other",
                       R"(bodies.parts[0].bodies={"generator": "disk_galaxy", "count": 8})"});
  auto const bodies = simulation::make_bodies(deck.configuration);
  std::vector<std::uint8_t> const expected{2, 2, 1, 1, 1, 1, 1, 1, 4, 5, 5};
  CHECK((bodies.species == expected));
  auto const run = simulation::make_simulation(deck.configuration, bodies);
  run->advance(1);
  CHECK((run->bodies().species == expected));
  SavedState saved;
  run->exchange(saved);
  SavedState again(saved.blocks());
  auto const other = simulation::restore_simulation(deck.configuration, bodies.size(), again);
  again.finish();
  CHECK((other->bodies().species == expected));
  simulation::HostColumns copies;
  simulation::copy_columns(*other, copies, {});
  auto const species = std::get<ColumnSpans<double>>(copies.columns).species;
  CHECK(std::vector<std::uint8_t>(species.begin(), species.end()) == expected);
}

TEST_CASE("names are passed on from the deck to snapshots and saved states") {
  auto const run = testing::configured(
      R"({"bodies": {"list": [{"name": "a", "mass": 1, "position": [0, 0, 0]},
        {"mass": 0, "semi_major_axis": 1}]}, "integrator": {"time_step": 0.1}, "run": {"steps": 1}})",
      {});
  std::vector<std::string> const expected{"a", ""};
  auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
  simulation->advance(1);
  CHECK((simulation->bodies().name == expected));
  SavedState saved;
  simulation->exchange(saved);
  SavedState again(saved.blocks());
  auto const other = simulation::restore_simulation(run, 2, again);
  again.finish();
  CHECK((other->bodies().name == expected));
  simulation::HostColumns copies;
  simulation::copy_columns(*other, copies, {});
  auto const names = std::get<ColumnSpans<double>>(copies.columns).names;
  CHECK(std::vector<std::string>(names.begin(), names.end()) == expected);
}
