// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/relative.hpp"
#include <apsis/simulation/measurements.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::contains;

namespace {

/// Two Plummer spheres, 20 scale lengths apart; the second one has other species.
std::string const two_spheres = R"({
  "bodies": {"generator": "composite", "parts": [
    {"bodies": {"generator": "plummer", "count": 400, "seed": 1}, "species": "stars"},
    {"bodies": {"generator": "plummer", "count": 200, "seed": 2}, "species": "disk",
     "position": [20, 0, 0], "velocity": [0, 0.5, 0]}]},
  "gravity": {"softening": 0.01}, "integrator": {"time_step": 0.01}, "run": {"steps": 10}
})";

deck::Configuration configure_spheres(std::vector<std::string> const& overrides) {
  return apsis::testing::configured(two_spheres, overrides);
}

std::string problems_of_spheres(std::vector<std::string> const& overrides) {
  return apsis::testing::problems_of(two_spheres, overrides);
}

using TableRows = std::vector<std::vector<deck::Cell>>;

TableRows rows_of_table(deck::Configuration const& run, HostBodies const& bodies) {
  auto const simulation = simulation::make_simulation(run, bodies);
  auto const& plan = run.diagnostics.at(0);
  auto rows = plan.entry->rows(plan.values, *simulation);
  for (auto const& row : rows) CHECK(row.size() == plan.entry->columns(plan.values).size());
  return rows;
}

double number_in(deck::Cell const& cell) {
  return std::get<double>(cell);
}

}  // namespace

TEST_CASE("each part of a composite has a row about its own density centre") {
  for (std::string const each : {"part", "species"}) {
    CAPTURE(each);
    auto const run = configure_spheres({"diagnostics.structure.each=" + each});
    auto const bodies = simulation::make_bodies(run);
    auto const rows = rows_of_table(run, bodies);
    REQUIRE(rows.size() == 2);
    // Species are in the order of their numbers: the disk, which is the second part, comes first.
    auto const& first = each == "part" ? rows[0] : rows[1];
    auto const& second = each == "part" ? rows[1] : rows[0];
    if (each == "part") {
      CHECK(std::get<std::uint64_t>(first.back()) == 0);
      CHECK(std::get<std::uint64_t>(second.back()) == 1);
    } else {
      CHECK(std::get<std::string>(first.back()) == "stars");
      CHECK(std::get<std::string>(second.back()) == "disk");
    }
    // The same numbers as for a part alone.
    auto const part = [&](std::size_t begin, std::size_t end) {
      return rows_of_table(configure_spheres({"diagnostics.structure={}"}),
                           slice(bodies, begin, end))
          .at(0);
    };
    auto const alone_first = part(0, 400), alone_second = part(400, 600);
    for (std::size_t k = 0; k < 6; ++k) {
      CHECK(number_in(first[k]) == number_in(alone_first[k]));
      CHECK(number_in(second[k]) == number_in(alone_second[k]));
    }
    CHECK(number_in(second[2]) - number_in(first[2]) == approximately(20.0, 0.02));
    // The half-mass radius of a Plummer sphere in Henon units is 0.769; about the middle between
    // the two it would be 10.
    CHECK(number_in(first[0]) == approximately(0.769, 0.15));
    CHECK(number_in(second[0]) == approximately(0.769, 0.15));
    auto const all = rows_of_table(configure_spheres({"diagnostics.structure={}"}), bodies);
    REQUIRE(all.size() == 1);
    CHECK(number_in(all[0][0]) > 3.0);
  }
}

TEST_CASE("Lagrangian radii have a row for each part, of one species if requested") {
  auto const run = configure_spheres(
      {"diagnostics.lagrangian_radii.each=part", "diagnostics.lagrangian_radii.fractions=[0.5]"});
  auto const bodies = simulation::make_bodies(run);
  auto const rows = rows_of_table(run, bodies);
  REQUIRE(rows.size() == 2);
  CHECK(run.diagnostics[0].values.numbers("first_ids") == std::vector<double>{0, 400});
  CHECK(number_in(rows[0][3]) == approximately(0.769, 0.15));
  CHECK(number_in(rows[1][3]) == approximately(0.769, 0.15));
  // Stars are in the first part only; the second one has no radius of them.
  auto const stars =
      rows_of_table(configure_spheres({"diagnostics.lagrangian_radii.each=part",
                                       "diagnostics.lagrangian_radii.species=stars",
                                       "diagnostics.lagrangian_radii.fractions=[0.5]"}),
                    bodies);
  CHECK(number_in(stars[0][3]) == number_in(rows[0][3]));
  CHECK(std::isnan(number_in(stars[1][3])));
  // Ids of other parts; bodies before the first id are in no part, empty parts have no row.
  auto const other =
      rows_of_table(configure_spheres({"diagnostics.lagrangian_radii.each=part",
                                       "diagnostics.lagrangian_radii.first_ids=[400, 600]",
                                       "diagnostics.lagrangian_radii.fractions=[0.5]"}),
                    bodies);
  REQUIRE(other.size() == 1);
  CHECK(number_in(other[0][3]) == number_in(rows[1][3]));
  CHECK(std::get<std::uint64_t>(other[0].back()) == 0);
}

TEST_CASE("the resolved deck has the first ids, and wrong ones are refused") {
  auto const deck = deck::configure(two_spheres, "deck", {"diagnostics.structure.each=part"});
  CHECK(contains(deck.resolved, "\"first_ids\": [\n        0.0,\n        400.0\n"));
  CHECK(deck::configure(deck.resolved, "deck", {}).resolved == deck.resolved);
  CHECK(contains(problems_of_spheres({"bodies={\"generator\": \"plummer\", \"count\": 100}",
                                      "diagnostics.structure.each=part"}),
                 "diagnostics.structure.first_ids: missing key (the deck has no bodies.parts)"));
  CHECK(contains(problems_of_spheres({"diagnostics.structure.each=parts"}),
                 "diagnostics.structure.each"));
  auto const refused = [](std::vector<std::string> const& overrides) {
    auto const run = configure_spheres(overrides);
    try {
      run.diagnostics[0].entry->check(run.diagnostics[0].values, simulation::make_bodies(run));
    } catch (Error const& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(contains(
      refused({"diagnostics.structure.each=part", "diagnostics.structure.first_ids=[400, 0]"}),
      "not ascending"));
  CHECK(contains(refused({"diagnostics.structure.first_ids=[0]"}), "without effect"));
  CHECK(contains(refused({"diagnostics.lagrangian_radii.each=species",
                          "diagnostics.lagrangian_radii.species=stars"}),
                 "contradicts"));
  CHECK(refused({"diagnostics.structure.each=part"}).empty());
}

TEST_CASE("the table of escapers has the unbound bodies beyond the distance") {
  // A binary of mass 2, and four light bodies: bound and far, unbound and near, and two escapers.
  HostBodies bodies(6);
  bodies.id = {10, 20, 30, 40, 50, 60};
  bodies.mass = {1.0, 1.0, 0.0, 0.0, 0.0, 0.0};
  bodies.position = {{0.5, 0.0, 0.0}, {-0.5, 0.0, 0.0}, {0.0, 30.0, 0.0},
                     {0.0, 0.0, 4.0}, {0.0, 6.0, 0.0},  {0.0, 0.0, 40.0}};
  bodies.velocity = {{7.0, 0.7, 0.0}, {7.0, -0.7, 0.0}, {7.0, 0.1, 0.0},
                     {7.0, 0.0, 2.0}, {7.0, 1.0, 0.0},  {7.0, 0.0, 1.0}};
  auto const run = configure_spheres({"diagnostics.escapers={}", "gravity.softening=0"});
  auto const rows = rows_of_table(run, bodies);  // beyond 10 half-mass radii of 0.5
  REQUIRE(rows.size() == 2);
  CHECK(std::get<std::uint64_t>(rows[0][0]) == 50);
  CHECK(number_in(rows[0][1]) == approximately(0.5 - 2.0 / std::hypot(6.0, 0.5), 1e-13));
  CHECK(number_in(rows[0][2]) == approximately(6.0, 1e-14));
  CHECK(number_in(rows[0][3]) == approximately(1.0, 1e-14));
  CHECK(std::get<std::uint64_t>(rows[1][0]) == 60);
  CHECK(number_in(rows[1][1]) == approximately(0.5 - 2.0 / std::hypot(40.0, 0.5), 1e-13));
  auto const number_of = [&](std::string const& key) {
    auto const other = configure_spheres({"diagnostics.escapers." + key, "gravity.softening=0"});
    return rows_of_table(other, bodies).size();
  };
  CHECK(number_of("half_mass_radii=7.9") == 3);
  CHECK(number_of("half_mass_radii=12.1") == 1);
  CHECK(number_of("radius=3.9") == 3);
  CHECK(number_of("radius=41") == 0);
  CHECK(contains(problems_of_spheres({"diagnostics.escapers.radius=0"}),
                 "diagnostics.escapers.radius: out of range"));
  auto const both =
      configure_spheres({"diagnostics.escapers={\"radius\": 1, \"half_mass_radii\": 2}"});
  CHECK_THROWS_AS(both.diagnostics[0].entry->check(both.diagnostics[0].values, bodies), Error);
}

TEST_CASE("the table of binaries has a row for each bound orbit") {
  auto const run = configure_spheres({"diagnostics.binaries={}"});
  HostBodies bodies(5);
  bodies.id = {10, 20, 30, 40, 50};
  bodies.mass = {1.0, 1.0, 1.0, 1.0, 1.0};
  bodies.position = {
      {50.0, 0.0, 0.0}, {0.05, 0.0, 0.0}, {-0.05, 0.0, 0.0}, {2.0, 0.0, 0.0}, {-50.0, 0.0, 0.0}};
  double const v = std::sqrt(5.0);  // a circle of diameter 0.1 about a mass of 2
  bodies.velocity = {
      {0.0, 0.0, 3.0}, {0.0, v, 0.0}, {0.0, -v, 0.0}, {0.0, std::sqrt(1.5), 0.0}, {0.0, 0.0, -3.0}};
  auto const rows = rows_of_table(run, bodies);
  REQUIRE(rows.size() == 2);
  CHECK(std::get<std::uint64_t>(rows[0][0]) == 2);
  CHECK(std::get<std::uint64_t>(rows[0][1]) == 20);
  CHECK(std::get<std::uint64_t>(rows[0][2]) == 30);
  CHECK(std::isnan(number_in(rows[0][3])));
  CHECK(number_in(rows[0][5]) == approximately(0.1, 1e-13));
  CHECK(number_in(rows[0][8]) == approximately(-5.0, 1e-13));
  CHECK(number_in(rows[0][9]) == approximately(5.0 / 3.18, 1e-12));
  CHECK(std::get<std::uint64_t>(rows[0][10]) == 1);
  CHECK(std::get<std::uint64_t>(rows[1][0]) == 3);
  CHECK(std::get<std::uint64_t>(rows[1][3]) == 40);
  CHECK(number_in(rows[1][5]) == approximately(2.0, 1e-13));
  CHECK(std::get<std::uint64_t>(rows[1][10]) == 0);
  // Without others no orbit is hard or soft.
  auto const alone = rows_of_table(run, slice(bodies, 1, 3));
  REQUIRE(alone.size() == 1);
  CHECK(std::isnan(number_in(alone[0][9])));
  CHECK(std::isnan(number_in(alone[0][10])));
}
