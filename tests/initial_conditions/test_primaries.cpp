// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/relative.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/orbital_elements.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::contains;

namespace {

constexpr double one_degree = std::numbers::pi / 180.0;

std::string deck_with_bodies(std::string const& bodies, std::string const& units = "henon") {
  return R"({"units": {"system": ")" + units + R"("}, "bodies": {)" + bodies +
         R"(}, "integrator": {"time_step": 1}, "run": {"steps": 1}})";
}

std::string list_with(std::string const& bodies) {
  return R"("list": [)" + bodies + "]";
}

HostBodies made_bodies(std::string const& deck) {
  auto const run = testing::configured(deck, {});
  return run.bodies.model->make(run.bodies.values, run.gravity.law.G);
}

std::string list_problems(std::string const& bodies) {
  return testing::problems_of(deck_with_bodies(list_with(bodies)), {});
}

/// Message of the error when the bodies are made.
std::string making_error(std::string const& deck) {
  try {
    made_bodies(deck);
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

diagnostics::OrbitalElements orbit_about(HostBodies const& bodies, std::size_t i,
                                         std::size_t primary, double G = 1.0) {
  return diagnostics::orbital_elements(G, bodies.mass[primary] + bodies.mass[i],
                                       bodies.position[i] - bodies.position[primary],
                                       bodies.velocity[i] - bodies.velocity[primary]);
}

std::string const moving_sun =
    R"({"name": "Sun", "mass": 1, "position": [1, 2, 3], "velocity": [4, 5, 6]})";

}  // namespace

TEST_CASE("an orbit is about any body, by name or id, also about a later one") {
  for (auto const* primary : {"\"planet\"", "2", "\"2\""}) {
    CAPTURE(primary);
    auto const bodies = made_bodies(deck_with_bodies(
        list_with(moving_sun + R"(, {"name": "moon", "mass": 0, "semi_major_axis": 0.01,
      "eccentricity": 0.2, "inclination": 30, "primary": )" +
                  primary + R"(}, {"name": "planet", "mass": 0.25, "semi_major_axis":
      5, "eccentricity": 0.1, "mean_anomaly": 40})")));
    auto const moon = orbit_about(bodies, 1, 2);
    CHECK(moon.semi_major_axis == approximately(0.01, 1e-11));
    CHECK(moon.eccentricity == approximately(0.2, 1e-11));
    CHECK(moon.inclination == approximately(30.0 * one_degree, 1e-11));
    CHECK(orbit_about(bodies, 2, 0).semi_major_axis == approximately(5.0, 1e-13));
    CHECK(bodies.name == std::vector<std::string>{"Sun", "moon", "planet"});
  }
}

TEST_CASE("an orbit is about the centre of mass of several bodies or of all bodies before") {
  std::string const pair = R"({"name": "A", "mass": 1, "position": [0, 0, 0]},
    {"name": "B", "mass": 3, "period": 7, "eccentricity": 0.3, "primary": "A"},
    {"name": "far", "mass": 2, "position": [100, 0, 0]}, {"mass": 0.5, "semi_major_axis": 20, )";
  auto const about = [&](std::string const& primary) {
    return made_bodies(deck_with_bodies(list_with(pair + "\"primary\": \"" + primary + "\"}")));
  };
  auto const elements = [](HostBodies const& bodies, std::size_t members) {
    RunningCentre centre;
    for (std::size_t i = 0; i < members; ++i) {
      centre.add(bodies.mass[i], bodies.position[i], bodies.velocity[i]);
    }
    return diagnostics::orbital_elements(1.0, centre.mass + bodies.mass[3],
                                         bodies.position[3] - centre.position,
                                         bodies.velocity[3] - centre.velocity);
  };
  auto const binary = about("A, B");
  CHECK(orbit_about(binary, 1, 0).period == approximately(7.0, 1e-13));
  CHECK(elements(binary, 2).semi_major_axis == approximately(20.0, 1e-13));
  auto const all_before = about("barycentre");
  CHECK(elements(all_before, 3).semi_major_axis == approximately(20.0, 1e-12));
  CHECK(std::abs(elements(all_before, 2).semi_major_axis - 20.0) > 0.1);
}

TEST_CASE("an orbit is given by its pericentre for every eccentricity") {
  // q = 0.9, i = 20, node 200, argument 70 degrees, 2.5 after pericentre, G m = 3: position and
  // velocity from Kepler's and Barker's equations with 40 digits.
  struct Row {
    char const* eccentricity;
    std::array<double, 6> state;
  };
  for (auto const& row : {Row{"0.3",
                              {0.192393488824517404, 1.57496844972788899, -0.514720802268849793,
                               -1.10253151637634719, 0.125062484177284048, -0.180022691822098309}},
                          Row{"0.99999",
                              {3.18619524286282789, 1.85525554997252567, -0.23790077098559811,
                               0.645985327364228266, 1.06148885092851626, -0.282634987466717852}},
                          Row{"1",
                              {3.18622523158480996, 1.85525234473699926, -0.237895941579879047,
                               0.646002246595089553, 1.06148977532681968, -0.282633197436537832}},
                          Row{"1.00001",
                              {3.18625522008391852, 1.85524913946853488, -0.237891112190638977,
                               0.646019165661301254, 1.06149069964110048, -0.282631407398116813}},
                          Row{"3.36",
                              {7.5825955378191666, 1.210677744634173, 0.529844379988387352,
                               2.8072689782653735, 0.873423375007430148, 0.0507349166899763103}}}) {
    CAPTURE(row.eccentricity);
    auto const deck_with = [&](std::string const& phase) {
      return made_bodies(
          deck_with_bodies(list_with(R"({"mass": 2, "position": [0, 0, 0]}, {"mass": 1,
        "pericentre": 0.9, "inclination": 20, "node": 200, "argument": 70, "eccentricity": )" +
                                     std::string(row.eccentricity) + ", " + phase + "}")));
    };
    auto const check = [&](HostBodies const& bodies, double accuracy) {
      auto const& [x, y, z] = bodies.position[1];
      auto const& [vx, vy, vz] = bodies.velocity[1];
      std::array const state{x, y, z, vx, vy, vz};
      for (std::size_t k = 0; k < 6; ++k) {
        CHECK(state[k] == approximately(row.state[k], accuracy));
      }
    };
    auto const bodies = deck_with(R"("pericentre_time": -2.5)");
    check(bodies, 5e-15);
    auto const elements =
        diagnostics::orbital_elements(1.0, 3.0, bodies.position[1], bodies.velocity[1]);
    check(deck_with("\"true_anomaly\": " + shortest(elements.true_anomaly / one_degree)), 1e-9);
    if (std::string(row.eccentricity) == "1") continue;
    check(deck_with("\"mean_anomaly\": " + shortest(elements.mean_anomaly / one_degree)), 1e-6);
  }
  // Far out on a hyperbola: e = 100, q = 1, G m = 1, a million after pericentre.
  auto const flyby = made_bodies(deck_with_bodies(list_with(
      R"({"mass": 1, "position": [0, 0, 0]}, {"mass": 0, "pericentre": 1, "eccentricity": 100,
          "pericentre_time": -1e6})")));
  CHECK(flyby.position[1].x == approximately(-99497.7353062349673, 1e-13));
  CHECK(flyby.position[1].y == approximately(9949377.03455945425, 1e-14));
  // Pericentre passage, exactly.
  auto const passing = made_bodies(deck_with_bodies(list_with(
      R"({"mass": 2, "position": [0, 0, 0]}, {"mass": 0, "pericentre": 1, "eccentricity": 1})")));
  CHECK(passing.position[1] == Vec3<double>{1.0, 0.0, 0.0});
  CHECK(passing.velocity[1] == Vec3<double>{0.0, 2.0, 0.0});
}

TEST_CASE("masses, sizes and periods have units") {
  auto const bodies =
      made_bodies(deck_with_bodies(list_with(R"({"mass": "1 Msun", "position": [0, 0, 0]},
    {"mass": "2 Mjup", "period": "365.25 day"}, {"mass": "1 Mearth", "semi_major_axis":
     "-149597870.7 km", "eccentricity": 1.5}, {"mass": 0, "pericentre": "2 au", "pericentre_time": "-1 day"})"),
                                   "solar"));
  CHECK(bodies.mass[0] == 1.0);
  // IAU 2015 Resolution B3: GM of Jupiter and of the Earth over GM of the Sun.
  CHECK(bodies.mass[1] == approximately(2.0 * 1.26686534e17 / 1.3271244e20, 1e-15));
  CHECK(bodies.mass[2] == approximately(3.986004e14 / 1.3271244e20, 1e-15));
  double const G = 1.3271244e20 * std::pow(365.25 * 86400.0, 2) / std::pow(149597870700.0, 3);
  CHECK(orbit_about(bodies, 1, 0, G).period == approximately(1.0, 1e-13));
  CHECK(orbit_about(bodies, 2, 0, G).semi_major_axis == approximately(-1.0, 1e-13));
  double const angle = std::sqrt(G / 8.0) / 365.25;
  CHECK(orbit_about(bodies, 3, 0, G).true_anomaly == approximately(angle, 1e-12));

  auto const quantity = [](std::string const& mass, std::string const& units) {
    return testing::problems_of(
        deck_with_bodies(list_with("{\"position\": [0, 0, 0], \"mass\": " + mass + "}"), units),
        {});
  };
  CHECK(quantity("\"1 Mjup\"", "solar") == "");
  CHECK(contains(quantity("\"1 Mjup\"", "henon"),
                 "bodies.list[0].mass: a quantity with a unit (found '1 Mjup', and the deck is in "
                 "units without dimension)"));
  CHECK(contains(quantity("\"1 au\"", "solar"), "bodies.list[0].mass: not a unit of its kind"));
  CHECK(contains(quantity("\"-1 Mjup\"", "solar"), "bodies.list[0].mass: out of range"));
}

TEST_CASE("a list beside other parts has orbits about their bodies") {
  auto const deck_with = [](std::string const& bodies, std::string const& more = "") {
    return deck_with_bodies(R"("generator": "composite", "parts": [
      {"bodies": {"generator": "solar_system"}}, {"bodies": {)" +
                                list_with(bodies) + "}" + more + "}]",
                            "solar");
  };
  std::string const comet = R"({"name": "comet", "mass": 0, "primary": "Sun", "pericentre": 0.3,
    "eccentricity": 1.2, "inclination": 120, "pericentre_time": 0.5})";
  std::string const moon = R"(, {"name": "moon", "mass": "0.01 Mearth", "primary": 3,
    "semi_major_axis": "384400 km", "eccentricity": 0.05})";
  auto const bodies = made_bodies(deck_with(comet + moon));
  REQUIRE(bodies.size() == 11);
  CHECK(bodies.name_of(3) == "Earth");
  CHECK(bodies.name_of(9) == "comet");
  CHECK(bodies.id[10] == 10);
  double const G = 1.3271244e20 * std::pow(365.25 * 86400.0, 2) / std::pow(149597870700.0, 3);
  auto const about_sun = orbit_about(bodies, 9, 0, G);
  CHECK(about_sun.eccentricity == approximately(1.2, 1e-12));
  CHECK(about_sun.semi_major_axis == approximately(-1.5, 1e-12));
  auto const about_earth = orbit_about(bodies, 10, 3, G);
  CHECK(about_earth.semi_major_axis == approximately(384400.0 / 149597870.7, 1e-11));
  // The Sun's state is that of the model alone: massless bodies move nothing.
  auto const alone = made_bodies(deck_with_bodies(R"("generator": "solar_system")", "solar"));
  CHECK(made_bodies(deck_with(comet)).position[0] == alone.position[0]);

  CHECK(contains(making_error(deck_with(R"({"mass": 0, "primary": "Sum", "semi_major_axis": 1})")),
                 "bodies.parts[1].bodies.list[0].primary: no body has the name 'Sum' (names: "
                 "'Earth'"));
  CHECK(contains(making_error(deck_with(R"({"mass": 0, "primary": 10, "semi_major_axis": 1})")),
                 "no body has the id 10 (the ids are 0 to 9"));
  CHECK(contains(
      making_error(deck_with(R"({"name": "Mars", "mass": 0, "primary": 0, "semi_major_axis": 1})")),
      "bodies.parts: two bodies have the name 'Mars' (their ids are 4 and 9)"));
  CHECK(contains(testing::problems_of(deck_with(comet, R"(, "position": [1, 0, 0])"), {}),
                 "bodies.parts[1]: is moved or turned"));
  CHECK(
      contains(testing::problems_of(deck_with(comet, R"(, "node": 5)"), {}), "is moved or turned"));
}

TEST_CASE("wrong primaries and names have one line each") {
  auto const orbiting = [](std::string const& more) {
    return R"(, {"mass": 1, "semi_major_axis": 1, )" + more + "}";
  };
  CHECK(list_problems(moving_sun + orbiting(R"("primary": "Sun")")) == "");
  CHECK(contains(list_problems(moving_sun + orbiting(R"("primary": "Son")")),
                 "deck: bodies.list[1].primary: no body has the name 'Son' (names: 'Sun'); did you "
                 "mean 'Sun'?"));
  CHECK(contains(list_problems(moving_sun + orbiting(R"("primary": 2)")),
                 "bodies.list[1].primary: no body has the id 2 (the ids are 0 to 1"));
  CHECK(contains(list_problems(moving_sun + orbiting(R"("primary": "Sun, Sun")")),
                 "'Sun' is given twice"));
  CHECK(contains(
      list_problems(moving_sun + orbiting(R"("primary": 2)") + orbiting(R"("primary": 1)")),
      "bodies.list[1].primary: a cycle of primaries (list[1] -> list[2] -> list[1])"));
  CHECK(contains(list_problems(moving_sun + orbiting(R"("primary": 1)")), "(list[1] -> list[1])"));
  CHECK(
      contains(list_problems(moving_sun + orbiting(R"("primary": 3)") +
                             orbiting(R"("primary": "barycentre")") + orbiting(R"("primary": 2)")),
               "a cycle of primaries"));
  CHECK(contains(list_problems(R"({"mass": 1, "semi_major_axis": 1, "primary": "barycentre"})"),
                 "bodies.list[0].primary: there is no body before"));
  CHECK(contains(list_problems(moving_sun + orbiting(R"("name": "Sun")")),
                 "bodies.list[1].name: the name 'Sun' is given twice (list[0] has it too)"));
  for (auto const* name : {"", " x", "a, b", "12", "barycentre"}) {
    CAPTURE(name);
    CHECK(contains(list_problems(moving_sun + orbiting("\"name\": \"" + std::string(name) + "\"")),
                   "bodies.list[1].name: not a name of a body"));
  }
  CHECK(contains(list_problems(moving_sun + R"(, {"mass": 1, "period": 1, "semi_major_axis": 1})"),
                 "bodies.list[1]: more than one size of the orbit"));
  CHECK(contains(list_problems(moving_sun + R"(, {"mass": 1, "period": 1, "eccentricity": 1.1})"),
                 "bodies.list[1]: a period and an orbit that is not closed"));
  CHECK(contains(
      list_problems(moving_sun + R"(, {"mass": 1, "pericentre": 1, "eccentricity": -0.1})"),
      "bodies.list[1].eccentricity: out of range"));
  CHECK(contains(list_problems(moving_sun + R"(, {"mass": 1, "pericentre": 1, "eccentricity": 1,
                 "mean_anomaly": 3})"),
                 "bodies.list[1]: 'mean_anomaly' of a parabola"));
  CHECK(contains(
      list_problems(moving_sun + R"(, {"mass": 1, "pericentre": 1, "position": [1, 2, 3]})"),
      "'position' conflicts with 'pericentre'"));
  CHECK(contains(list_problems(R"({"mass": 0, "position": [0, 0, 0]},
                 {"mass": 0, "semi_major_axis": 1, "primary": 0})"),
                 "bodies.list[1]: orbit without a central mass"));
}

TEST_CASE("the primary of a list is that of its bodies without one") {
  std::string const list = R"("primary": "B", "list": [{"name": "A", "mass": 1, "semi_major_axis":
    2}, {"name": "B", "mass": 3, "position": [0, 0, 0]}, {"mass": 0, "period": 1, "primary": "A"}])";
  auto const bodies = made_bodies(deck_with_bodies(list));
  CHECK(orbit_about(bodies, 0, 1).semi_major_axis == approximately(2.0, 1e-14));
  CHECK(orbit_about(bodies, 2, 0).period == approximately(1.0, 1e-13));
}
