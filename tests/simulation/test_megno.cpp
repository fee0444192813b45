// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/planets.hpp"
#include "support/suites.hpp"
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace apsis;
using apsis::testing::configured;
using apsis::testing::contains;
using apsis::testing::problems_of;

namespace {

std::string const megno_deck = R"({
  "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
                      {"mass": 1e-3, "position": [1, 0, 0], "velocity": [0, 1, 0]},
                      {"mass": 2e-3, "position": [-1.7, 0, 0], "velocity": [0, -0.76, 0.01]}]},
  "integrator": {"name": "gauss_radau15", "time_step": 1},
  "run": {"steps": 40}, "diagnostics": {"megno": {}}
})";

std::string const with_leapfrog = R"(integrator={"name": "leapfrog_kdk", "time_step": 0.0625})";
std::string const with_adaptive_steps =
    R"(integrator={"name": "leapfrog_kdk", "time_step": 0.0625, )"
    R"("stepping": {"mode": "adaptive", "eta": 0.01}})";

std::unique_ptr<simulation::Simulation> make(std::vector<std::string> const& overrides) {
  auto const run = configured(megno_deck, overrides);
  return simulation::make_simulation(run, simulation::make_bodies(run));
}

bool same_chaos(simulation::Instant const& a, simulation::Instant const& b) {
  auto const x = a.megno(), y = b.megno();
  return x && y && x->megno == y->megno && x->mean == y->mean &&
         x->lyapunov_exponent == y->lyapunov_exponent;
}

}  // namespace

TEST_CASE("a run without the diagnostic has no MEGNO, and its bodies have the same bits" *
          testing::thread_counts) {
  for (auto const& integrator :
       {std::string("title=own"), with_leapfrog, with_adaptive_steps + ""}) {
    CAPTURE(integrator);
    std::vector<std::string> overrides{integrator, "gravity.softening=0.01"};
    auto const watched = make(overrides);
    overrides.emplace_back("diagnostics=null");
    auto const plain = make(overrides);
    watched->advance(20);
    plain->advance(1);
    auto const few = plain->advance_quietly(19);  // on one thread, if that is possible
    plain->advance(19 - few);
    CHECK(!plain->megno());
    CHECK(watched->megno()->megno != 0.0);
    CHECK(watched->bodies().position == plain->bodies().position);
    CHECK(watched->bodies().velocity == plain->bodies().velocity);
    CHECK(watched->state().integrator_steps == plain->state().integrator_steps);
  }
}

TEST_CASE("MEGNO continues from a saved state bit for bit, and returns to a mark" *
          testing::thread_counts) {
  for (auto const& integrator : {std::string("title=own"), with_leapfrog}) {
    CAPTURE(integrator);
    std::vector<std::string> const overrides{integrator};
    auto const whole = make(overrides);
    whole->advance(7);
    whole->mark();
    whole->advance(3);
    SavedState saved;
    whole->exchange(saved);
    SavedState state(saved.blocks());
    auto const resumed =
        simulation::restore_simulation(configured(megno_deck, overrides), 3, state);
    state.finish();
    CHECK(same_chaos(*whole, *resumed));
    whole->advance(10);
    resumed->advance(10);
    CHECK(same_chaos(*whole, *resumed));
    whole->roll_back();
    resumed->roll_back();
    CHECK(same_chaos(*whole, *resumed));
    auto const marked = make(overrides);
    marked->advance(7);
    CHECK(same_chaos(*whole, *marked));
    whole->advance(5);
    resumed->advance(5);
    CHECK(same_chaos(*whole, *resumed));
    // Without the diagnostic the saved tangent vector is dropped.
    auto dropped = overrides;
    dropped.emplace_back("diagnostics=null");
    SavedState again(saved.blocks());
    CHECK(!simulation::restore_simulation(configured(megno_deck, dropped), 3, again)->megno());
    again.finish();
  }
}

TEST_CASE("another seed is another displacement, with the same limit" * testing::expensive) {
  auto const first = make({with_leapfrog}),
             second = make({with_leapfrog, "diagnostics.megno.seed=2"});
  first->advance(40000);
  second->advance(40000);
  CHECK(first->megno()->megno != second->megno()->megno);
  CHECK(std::abs(first->megno()->mean - 2.0) < 0.1);
  CHECK(std::abs(second->megno()->mean - 2.0) < 0.1);
}

TEST_CASE("the diagnostic megno is refused where there are no variational equations") {
  CHECK(problems_of(megno_deck, {}).empty());
  CHECK(problems_of(megno_deck, {with_adaptive_steps, "gravity.softening=0.01"}).empty());
  auto const problem = [](std::vector<std::string> const& overrides) {
    return problems_of(megno_deck, overrides);
  };
  CHECK(contains(problem({R"(integrator={"name": "hermite4", "time_step": 0.1})"}),
                 "'hermite4' has no variational equations"));
  CHECK(contains(problem({with_leapfrog, R"(integrator.stepping={"mode": "block"})",
                          "gravity.softening=0.01"}),
                 "block steps have no variational equations"));
  CHECK(contains(problem({with_leapfrog, "gravity.precision=mixed"}), "needs double precision"));
  CHECK(contains(problem({R"(bodies={"generator": "plummer", "count": 65})"}),
                 "needs 2 to 64 bodies"));
  // The tangent vector knows gravity alone.
  std::string const other_force =
      R"(forces=[{"name": "external", "profile": "point_mass", "mass": 1}])";
  CHECK(contains(problem({other_force}),
                 "diagnostics.megno: contradicts forces (its variational equations are those of "
                 "gravity alone)"));
  CHECK(problem({other_force, "diagnostics=null"}).empty());
  for (std::string const section : {"collisions.on_collision=stop", "removal.beyond=9"}) {
    auto const message = problem({section});
    CHECK(contains(message, "contradicts " + section.substr(0, section.find('.'))));
    CHECK(message.find('\n') == std::string::npos);
  }
  CHECK(problem({"encounters.distance=0.1"}).empty());
}

TEST_CASE("MEGNO of the outer planets is 2 after 30000 years" * testing::expensive) {
  auto const run = configured(
      R"({"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
                              {"mass": 1, "position": [1, 0, 0]}]},
          "integrator": {"name": "gauss_radau15", "time_step": 100}, "run": {"steps": 1},
          "diagnostics": {"megno": {}}})",
      {});
  auto const simulation = simulation::make_simulation(run, testing::outer_planets());
  simulation->advance(1885);  // 2 pi time units are a year
  CHECK(std::abs(simulation->megno()->mean - 2.0) < 0.02);
}
