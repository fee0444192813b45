// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace apsis;
using apsis::testing::contains;

namespace {

std::string const forces_deck = R"({
  "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1e-3, "semi_major_axis": 1}]},
  "integrator": {"name": "gauss_radau15", "time_step": 0.1},
  "run": {"steps": 1}})";

std::vector<std::string> with(std::string const& forces, std::vector<std::string> others = {}) {
  others.push_back("forces=" + forces);
  return others;
}

std::string problems(std::string const& forces, std::vector<std::string> others = {}) {
  return testing::problems_of(forces_deck, with(forces, std::move(others)));
}

std::string const plummer = R"({"name": "external", "profile": "plummer", "mass": 2,
                                "scale_radius": 3})";
std::string const tide = R"({"name": "tidal_field", "omega": 1})";
std::string const oblate = R"({"name": "oblate", "J2": 1e-3, "R": 0.1})";
std::string const relativity = R"({"name": "schwarzschild", "c": 100})";
std::string const all_relativity = R"({"name": "einstein_infeld_hoffmann", "c": 100})";

std::string one(std::string const& force) {
  return "[" + force + "]";
}

}  // namespace

TEST_CASE("forces are read with their defaults and written back") {
  auto const deck = deck::configure(forces_deck, "deck", with("[" + plummer + "," + oblate + "]"));
  auto const& forces = deck.configuration.forces;
  REQUIRE(forces.size() == 2);
  CHECK(forces[0].entry->name == "external");
  CHECK(forces[0].values.vector3("centre") == Vec3<double>{});
  CHECK(forces[1].values.vector3("axis") == Vec3<double>{0, 0, 1});
  CHECK(forces[1].where == "forces[1]");
  auto const again = deck::configure(deck.resolved, "deck", {});
  CHECK(again.resolved == deck.resolved);
  CHECK(testing::configured(forces_deck, {}).forces.empty());
}

TEST_CASE("all problems of forces are reported at once") {
  auto const text = problems(R"([{"name": "externl"}, {"name": "oblate", "J2": 1, "r": 2},
                                 {"profile": "nfw"}, 7])");
  CHECK(contains(text, "deck: forces[0].name: "));
  CHECK(contains(text, "did you mean 'external'?"));
  CHECK(contains(text, "deck: forces[1].r: unknown key"));
  CHECK(contains(text, "deck: forces[1].R: missing key"));
  CHECK(contains(text, "deck: forces[2]"));
  CHECK(contains(text, "deck: forces[3]: wrong type"));
}

TEST_CASE("parameters of a profile are required and checked") {
  CHECK(contains(problems(one(R"({"name": "external", "profile": "nfw", "mass": 1})")),
                 "deck: forces[0].scale_radius: missing key"));
  CHECK(contains(problems(one(R"({"name": "external", "profile": "nfw", "mass": 1,
                                  "scale_radius": -1})")),
                 "deck: forces[0].scale_radius: out of range"));
  CHECK(contains(problems(one(R"({"name": "external", "profile": "point_mass", "mass": 1,
                                  "velocity": 1})")),
                 "deck: forces[0].velocity: contradicts profile"));
  CHECK(contains(problems(one(R"({"name": "external", "profile": "nfw", "mass": 1,
                                  "scale_radius": 0})")),
                 "deck: forces[0].scale_radius: out of range"));
  CHECK(contains(problems(one(R"({"name": "oblate", "J2": 1, "R": 1, "axis": [0, 0, 0]})")),
                 "deck: forces[0].axis: has no direction"));
}

TEST_CASE("the speed of light follows from the units, or is required") {
  std::string const force = R"({"name": "post_newtonian"})";
  CHECK(contains(problems(one(force)), "deck: forces[0].c: missing key"));
  auto const run = testing::configured(forces_deck, with(one(force), {"units.system=solar"}));
  CHECK(std::abs(run.forces[0].values.number("c") / 63241.07708426628 - 1.0) < 1e-12);
}

TEST_CASE("integrators that cannot take a force are refused in one line") {
  auto const name = [](std::string const& integrator) { return "integrator.name=" + integrator; };
  auto const is_refused = [&](std::string const& force, std::vector<std::string> const& overrides) {
    auto const text = problems(one(force), overrides);
    CHECK(std::count(text.begin(), text.end(), '\n') == 0);
    return contains(text, "deck: forces[0].name: contradicts integrator.name");
  };
  for (auto const* integrator :
       {"leapfrog_kdk", "yoshida8", "hermite6", "euler", "taylor2", "wisdom_holman"}) {
    CAPTURE(integrator);
    CHECK(is_refused(tide, {name(integrator)}));
    CHECK(is_refused(relativity, {name(integrator)}));
    CHECK(is_refused(all_relativity, {name(integrator)}));
    CHECK(problems(one(plummer), {name(integrator)}).empty());
    CHECK(problems(one(oblate), {name(integrator)}).empty());
  }
  for (auto const* integrator : {"gauss_radau15", "rk4", "hermite4"}) {
    CAPTURE(integrator);
    for (auto const& force : {plummer, tide, oblate, relativity, all_relativity}) {
      CHECK(problems(one(force), {name(integrator)}).empty());
    }
  }
  std::string const blocks = R"(integrator.stepping={"mode": "block"})";
  CHECK(problems(one(tide), {name("hermite4"), blocks}).empty());
  CHECK(is_refused(relativity, {name("hermite4"), blocks}));
  CHECK(is_refused(all_relativity, {name("hermite4"), blocks}));
}

TEST_CASE("errors of forces are not sampled if there are others than gravity") {
  CHECK(contains(problems(one(plummer), {"diagnostics.force_error_sample={}"}),
                 "deck: diagnostics.force_error_sample: contradicts forces"));
}
