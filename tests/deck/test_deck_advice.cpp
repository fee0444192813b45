// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"
#include <apsis/core/text.hpp>

#include <doctest/doctest.h>

/// Following the advice of an error message gives a valid deck.
using namespace apsis;
using apsis::testing::contains;
using apsis::testing::problems_of;
using apsis::testing::sphere_deck;
using apsis::testing::two_listed;

namespace {

std::string const deck_in_one_place = R"({
  "bodies": {"list": [{"mass": 1, "position": [1, 0, 0]}, {"mass": 1, "position": [1, 0, 0]}]},
  "integrator": {"time_step": 0.01}, "run": {"steps": 1}
})";

using Overrides = std::vector<std::string>;

/// An invalid deck, a part of its only error message, and the overrides that follow the advice.
struct Advice {
  std::string deck;
  Overrides wrong;
  std::string message;
  Overrides advised;
};

Overrides joined(Overrides first, Overrides const& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void check_advice(std::vector<Advice> const& rows) {
  for (auto const& row : rows) {
    CAPTURE(row.message);
    CHECK(contains(problems_of(row.deck, row.wrong), row.message));
    CHECK(problems_of(row.deck, joined(row.wrong, row.advised)) == "");
  }
}

}  // namespace

TEST_CASE("following the advice gives a valid deck") {
  Overrides const adaptive{
      "integrator.stepping={\"mode\": \"adaptive\", \"criterion\": \"softened_acceleration\"}"};
  Overrides const block{"integrator.stepping={\"mode\": \"block\"}"};
  Overrides const none{"gravity.softening_kernel=none"};
  Overrides const planets{"bodies={\"generator\": \"solar_system\"}"};
  Overrides const henon{"bodies.henon_units=true"};
  check_advice({
      {sphere_deck,
       {"run.end_time=0.333"},
       "the nearest time that is one is 0.33",
       {"run.end_time=0.33"}},
      {sphere_deck,
       {"run.end_time=1e-9"},
       "the nearest time that is one is 0.01",
       {"run.end_time=0.01"}},
      {sphere_deck,
       {"integrator.time_step=0.3", "run.end_time=1e6"},
       "the nearest time that is one is 999999.9",
       {"run.end_time=999999.9"}},
      {sphere_deck,
       {"gravity.softening=1e-20", "gravity.precision=single"},
       "set 0 or at least 1e-12",
       {"gravity.softening=1e-12"}},
      {sphere_deck,
       {"gravity.softening=1e300"},
       "set at most 1e+150",
       {"gravity.softening=1e+150"}},
      {sphere_deck, adaptive, "set gravity.softening, or fixed steps", {"gravity.softening=0.1"}},
      {sphere_deck, block, "integrator.stepping.mode: contradicts", {"gravity.softening=0.1"}},
      {sphere_deck, block, "or hermite4, whose steps need none", {"integrator.name=hermite4"}},
      {sphere_deck, adaptive, "or fixed steps", {"integrator.stepping={\"mode\": \"fixed\"}"}},
      {sphere_deck,
       joined(adaptive, none),
       "set gravity.softening and another gravity.softening_kernel, or fixed steps",
       {"gravity.softening=0.1", "gravity.softening_kernel=spline"}},
      {deck_in_one_place,
       {},
       "move one of them or set gravity.softening",
       {"gravity.softening=0.1"}},
      {deck_in_one_place,
       none,
       "move one of them or set gravity.softening and another gravity.softening_kernel",
       {"gravity.softening=0.1", "gravity.softening_kernel=plummer"}},
      {sphere_deck,
       joined(none, {"gravity.softening=0.1"}),
       "set it to 0 or choose a kernel",
       {"gravity.softening=0"}},
      {sphere_deck,
       joined(planets, {"gravity.G=1"}),
       "set units.system to 'solar', and leave gravity.G out",
       {"units.system=solar", "gravity.G=null"}},
      {sphere_deck, planets, "set units.system to 'solar'", {"units.system=solar"}},
      {two_listed,
       {"units.system=solar", "gravity.G=1"},
       "leave gravity.G out",
       {"gravity.G=null"}},
      {sphere_deck,
       {"units.system=henon", "gravity.G=2"},
       "set units.system to 'dimensionless'",
       {"units.system=dimensionless"}},
      {sphere_deck, joined(henon, {"gravity.G=2"}), "set gravity.G to 1", {"gravity.G=1"}},
      {sphere_deck,
       joined(henon, {"units.system=solar"}),
       "set units.system to 'henon'",
       {"units.system=henon"}},
      {sphere_deck,
       joined(henon, {"gravity.softening=0.5"}),
       "set less than 0.5",
       {"gravity.softening=0.49"}},
      {sphere_deck,
       {"conservation.on_violation=stop"},
       "give conservation.max_relative_energy_error",
       {"conservation.max_relative_energy_error=1e-3"}},
      {sphere_deck,
       {"diagnostics.orbital_elements={}", "bodies.count=1"},
       "remove it",
       {"diagnostics.orbital_elements=null"}},
      {sphere_deck,
       {"diagnostics.lagrangian_radii.fractions=[0.5, 0.1, 0.5]"},
       "asks twice for 'r_0.5'",
       {"diagnostics.lagrangian_radii.fractions=[0.5, 0.1]"}},
      {sphere_deck,
       {"integrator.name=hermite4", "gravity.kernel=naive"},
       "leave it to 'auto'",
       {"gravity.kernel=auto"}},
      {sphere_deck,
       {"integrator.time_step=1e308", "run.end_time=null", "run.steps=100"},
       "reduce it or run.steps",
       {"run.steps=1"}},
      {sphere_deck, {"run.steps=5"}, "add --set run.end_time=null", {"run.end_time=null"}},
      {sphere_deck,
       {"bodies={}"},
       "give one of 'generator', 'list', 'file'",
       {"bodies.list=[{\"mass\": 1, \"position\": [0, 0, 0]}]"}},
  });
}

TEST_CASE("the suggested nearest time is a whole number of steps for any number of steps") {
  for (double const time_step : {0.3, 1.0 / 3.0, 0.01, 1e-3 / 7.0, 1e-7 / 3.0, 1e-10 / 3.0}) {
    for (double const time : {1e-12, 0.77777777777, 12.3456789012345, 1e5 + 0.123456}) {
      auto const deck = [&](double end) {
        return problems_of(sphere_deck, {"integrator.time_step=" + shortest(time_step),
                                         "run.end_time=" + shortest(end)});
      };
      auto const message = deck(time);
      if (message.empty()) continue;
      CAPTURE(message);
      std::string const before = "the nearest time that is one is ";
      REQUIRE(contains(message, before));
      auto const nearest_time = std::stod(message.substr(message.find(before) + before.size()));
      CHECK(deck(nearest_time) == "");
    }
  }
}

TEST_CASE("keys of other codes are answered with the right key and form, which give a valid deck") {
  check_advice({
      {sphere_deck,
       {"integrator.time_step=null", "integrator.dt=0.02"},
       "write \"time_step\": 0.02",
       {"integrator.dt=null", "integrator.time_step=0.02"}},
      {sphere_deck,
       {"dt=0.02"},
       "write \"integrator\": {\"time_step\": 0.02}",
       {"dt=null", "integrator.time_step=0.02"}},
      {sphere_deck,
       {"tmax=2"},
       "write \"run\": {\"end_time\": 2}",
       {"tmax=null", "run.end_time=2"}},
      {sphere_deck, {"run.t_end=2"}, "write \"end_time\": 2", {"run.t_end=null", "run.end_time=2"}},
      {sphere_deck,
       {"gravity.eps=0.1"},
       "write \"softening\": 0.1",
       {"gravity.eps=null", "gravity.softening=0.1"}},
      {sphere_deck, {"G=1"}, "write \"gravity\": {\"G\": 1}", {"G=null", "gravity.G=1"}},
      {sphere_deck, {"bodies.N=50"}, "write \"count\": 50", {"bodies.N=null", "bodies.count=50"}},
      {sphere_deck, {"n=50"}, "write \"bodies\": {\"count\": 50}", {"n=null", "bodies.count=50"}},
      {sphere_deck,
       {"bodies.imf=kroupa"},
       "write \"masses\": {...}",
       {"bodies.imf=null", "bodies.masses={\"function\": \"kroupa\"}"}},
      {sphere_deck,
       {"integrator.eta=0.1", "gravity.softening=1"},
       "write \"integrator\": {\"stepping\": {\"eta\": 0.1}}",
       {"integrator.eta=null", "integrator.stepping={\"mode\": \"adaptive\", \"eta\": 0.1}"}},
      {sphere_deck,
       {"threads=4"},
       "give the option --threads N of the command run",
       {"threads=null"}},
      {deck_in_one_place,
       {"bodies.list[0].x=2", "gravity.softening=1"},
       "write \"position\": [x, y, z]",
       {"bodies.list[0].x=null", "bodies.list[0].position=[2, 0, 0]"}},
      {two_listed,
       {"units=solar"},
       "write \"units\": {\"system\": \"solar\"}",
       {"units={\"system\": \"solar\"}"}},
      {two_listed,
       {"units=SI"},
       R"(write "units": {"length": 1, "mass": 1, "time": 1})",
       {"units={\"length\": 1, \"mass\": 1, \"time\": 1}"}},
      {two_listed,
       {"units.system=kpc"},
       R"(write "units": {"length": "kpc", "mass": "1e10 Msun", "velocity": "km/s"})",
       {R"(units={"length": "kpc", "mass": "1e10 Msun", "velocity": "km/s"})"}},
      {sphere_deck,
       {"integrator.name=leapfrog"},
       "did you mean 'leapfrog_kdk'?",
       {"integrator.name=leapfrog_kdk"}},
      {sphere_deck,
       {"integrator.name=IAS15"},
       "did you mean 'gauss_radau15'?",
       {"integrator.name=gauss_radau15"}},
      {sphere_deck,
       {"gravity.precision=float"},
       "did you mean 'single'?",
       {"gravity.precision=single"}},
      {sphere_deck,
       {"bodies.generator=Plummer"},
       "did you mean 'plummer'?",
       {"bodies.generator=plummer"}},
      {sphere_deck,
       {"bodies.masses=kroupa"},
       "write \"masses\": {\"function\": \"kroupa\"}",
       {"bodies.masses={\"function\": \"kroupa\"}"}},
      {sphere_deck,
       {"bodies=[]"},
       "write \"bodies\": {\"list\": [...]}",
       {"bodies={\"list\": [{\"mass\": 1, \"position\": [0, 0, 0]}]}"}},
      {sphere_deck, {"run=2"}, "write \"run\": {\"end_time\": 2}", {"run={\"end_time\": 2}"}},
      {sphere_deck,
       {"diagnostics=[\"structure\"]"},
       "write \"diagnostics\": {\"structure\": {}}",
       {"diagnostics={\"structure\": {}}"}},
  });
}
