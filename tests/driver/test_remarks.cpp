// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"
#include <apsis/driver/remarks.hpp>

#include <doctest/doctest.h>

using namespace apsis;
using apsis::testing::contains;

namespace {

std::string remarks_on(std::string const& bodies, std::vector<std::string> const& overrides = {}) {
  auto const run = apsis::testing::configured(R"({"bodies": )" + bodies +
                                                  R"(, "gravity": {"softening": 0.1},
                                     "integrator": {"time_step": 0.01}, "run": {"steps": 100}})",
                                              overrides);
  std::string all;
  for (auto const& line : driver::remarks(run)) all += line + "\n";
  return all;
}

std::string const planet = R"({"list": [{"mass": 1, "position": [0, 0, 0]},
                                        {"mass": 0.1, "semi_major_axis": 1}]})";
std::string const cluster =
    R"({"generator": "king", "count": 100, "masses": {"function": "kroupa", "maximum": 50}})";

}  // namespace

TEST_CASE("orbits where G is 1 are said to be so, unless the deck names other units") {
  CHECK(contains(remarks_on(planet), "note: orbits are in units with G = 1"));
  CHECK(contains(remarks_on(planet), R"(write "units": {"system": "solar"})"));
  CHECK(remarks_on(planet, {"units.system=solar"}) == "");
  CHECK(remarks_on(planet, {"units.system=dimensionless"}) == "");
  CHECK(remarks_on(R"({"list": [{"mass": 1, "position": [0, 0, 0]}]})") == "");
}

TEST_CASE("masses that are drawn are said to be multiplied, or a total not to be used") {
  CHECK(contains(remarks_on(cluster, {"bodies.mass=60"}),
                 "masses are drawn between 0.08 and 50, and then multiplied so that their sum is "
                 "`mass`, 60"));
  CHECK(contains(remarks_on(cluster, {"bodies.mass=60", "bodies.masses.scaled=false"}),
                 "note: bodies.mass, 60, is not used"));
  std::vector<std::string> const parsecs{"units.system=astrophysical", "bodies.virial_radius=1"};
  CHECK(remarks_on(cluster, parsecs) == "");
  CHECK(remarks_on(R"({"generator": "plummer", "count": 100})") == "");
}

TEST_CASE("parts that are drawn from the same numbers are named, at any depth of what they are") {
  auto const parts = [](std::string const& first, std::string const& second) {
    return R"({"generator": "composite", "parts": [{"bodies": )" + first + R"(}, {"bodies": )" +
           second + R"(, "position": [5, 0, 0]}]})";
  };
  std::string const sphere = R"({"generator": "plummer", "count": 100})";
  CHECK(contains(remarks_on(parts(sphere, sphere)),
                 "note: parts 0 and 1 are both drawn with seed 0: their bodies are in the same "
                 "places"));
  CHECK(remarks_on(parts(sphere, R"({"generator": "plummer", "count": 100, "seed": 7})")) == "");
  CHECK(remarks_on(parts(sphere, R"({"generator": "nfw", "count": 100})")) == "");
  CHECK(contains(remarks_on(parts(sphere, planet)), "orbits are in units with G = 1"));
}

TEST_CASE("bodies from outside that drift are said to, before they do") {
  auto const drift = [](std::vector<std::string> const& overrides) {
    auto const run = apsis::testing::configured(
        R"({"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
                                {"mass": 1, "position": [1, 0, 0], "velocity": [0, 1, 0]}]},
            "integrator": {"time_step": 0.01}, "run": {"steps": 100}})",
        overrides);
    auto const bodies = run.model->make(run.model_values, 1.0);
    return driver::remark_on_drift(run, bodies).value_or("");
  };
  CHECK(drift({}) ==
        "the centre of mass moves 0.5 in the run; bodies.centre = true puts it at rest");
  CHECK(drift({"units.system=solar"}) ==
        "the centre of mass moves 0.5 au in the run; bodies.centre = true puts it at rest");
  CHECK(drift({"bodies.centre=true"}) == "");
  CHECK(drift({"run.steps=1"}) == "");
}
