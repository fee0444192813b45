// SPDX-License-Identifier: Apache-2.0
#include "support/decks.hpp"
#include "support/suites.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace apsis;

namespace {

/// A star, three planets, and `more` bodies; `sections`: further sections of the deck.
std::unique_ptr<simulation::Simulation> planets(std::string const& integrator,
                                                std::string const& more = "",
                                                std::string const& sections = "") {
  auto const run = testing::configured(R"({"bodies": {"list": [
    {"mass": 1.0, "position": [0, 0, 0], "velocity": [0, -0.0004, 0]},
    {"mass": 1e-4, "position": [1, 0, 0], "velocity": [0, 1, 0.05]},
    {"mass": 2e-4, "position": [0, 1.6, 0.1], "velocity": [-0.8, 0, 0]},
    {"mass": 1e-5, "position": [-2.5, 0, 0], "velocity": [0, -0.7, 0.02]})" +
                                           more + R"(]}, "integrator": {)" + integrator +
                                           R"(}, "run": {"steps": 100})" + sections + "}",
                                       {});
  return simulation::make_simulation(run, simulation::make_bodies(run));
}

void check_same(simulation::Simulation& a, simulation::Simulation& b) {
  auto const x = a.bodies(), y = b.bodies();
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(x.position[i] == y.position[i]);
    CHECK(x.velocity[i] == y.velocity[i]);
  }
  CHECK(a.interactions() == b.interactions());
  CHECK(a.state().integrator_steps == b.state().integrator_steps);
  CHECK(a.time() == b.time());
}

}  // namespace

TEST_CASE("quiet steps have the bits of steps one by one with every kind of stepping" *
          testing::thread_counts) {
  std::string const massless =
      R"(, {"mass": 0, "position": [0, -3.1, 0], "velocity": [0.55, 0, 0]})";
  for (auto const* const integrator : {
           R"("name": "leapfrog_kdk", "time_step": 0.013)",
           R"("name": "leapfrog_dkd", "time_step": 0.04)",
           R"("name": "blanes_casas8", "time_step": 0.04, "compensated": true)",
           R"("name": "rk4", "time_step": 0.013)",
           R"("name": "hermite4", "time_step": 0.013)",
           R"("name": "hermite6", "time_step": 0.25, "stepping": {"mode": "adaptive"})",
           R"("name": "hermite4", "time_step": 0.25, "stepping": {"mode": "block"})",
           R"("name": "gauss_radau15", "time_step": 0.013)",
           R"("name": "wisdom_holman", "time_step": 0.013)",
           R"("name": "wisdom_holman", "time_step": 0.04, "substeps": 3, "corrector": 11)",
           R"("name": "wisdom_holman", "time_step": 0.04, "kernel": "lazy", "corrector": 17)",
           R"("name": "wisdom_holman", "time_step": 0.04, "coordinates": "democratic")",
       }) {
    for (auto const& more : {std::string(), massless}) {
      CAPTURE(std::string(integrator));
      CAPTURE(more.empty());
      auto const single = planets(integrator, more), quiet = planets(integrator, more);
      for (auto const& run : {single.get(), quiet.get()}) run->advance(0);
      for (int step = 0; step < 41; ++step) single->advance(1);
      std::uint64_t const quiet_steps = quiet->advance_quietly(17);
      CHECK(quiet_steps == (bodies_on_host ? 17 : 0));
      quiet->advance(20 - quiet_steps);  // advances before its last step are quiet as well
      quiet->advance(1);
      quiet->advance(20);
      check_same(*single, *quiet);
    }
  }
}

TEST_CASE("quiet steps end after a state that is not finite" * testing::thread_counts) {
  if (!bodies_on_host) return;
  // With a force besides gravity there is no path for few bodies.
  std::string const forces =
      R"(, "forces": [{"name": "external", "profile": "plummer", "mass": 1, "scale_radius": 1}])";
  for (auto const& [integrator, sections] :
       {std::pair{R"("name": "rk4", "time_step": 1e100)", std::string()},
        std::pair{R"("name": "leapfrog_kdk", "time_step": 1e100)", std::string()},
        std::pair{R"("name": "leapfrog_kdk", "time_step": 1e100)", forces}}) {
    CAPTURE(std::string(integrator));
    CAPTURE(sections);
    auto const single = planets(integrator, "", sections),
               quiet = planets(integrator, "", sections);
    single->advance(0);
    quiet->advance(0);
    std::uint64_t steps = 0;
    while (!single->not_finite()) {
      single->advance(1);
      ++steps;
    }
    CHECK(quiet->advance_quietly(1000) == steps);
    auto const expected = single->not_finite(), found = quiet->not_finite();
    REQUIRE(found);
    CHECK(found->step == expected->step);
    CHECK(found->index == expected->index);
  }
}

TEST_CASE("a collision in quiet steps leaves the bodies at the beginning of its step") {
  auto const run = testing::configured(R"({"bodies": {"list": [
    {"mass": 1, "position": [-1, 0, 0], "velocity": [0, 0, 0]},
    {"mass": 1, "position": [1, 0, 0], "velocity": [0, 0, 0]}]},
    "integrator": {"name": "hermite4", "time_step": 0.0625, "stepping": {"mode": "adaptive"}},
    "run": {"steps": 100}})",
                                       {});
  struct End {
    std::uint64_t step;
    integrators::Collision::Pair pair;
    HostBodies bodies;
  };
  auto const collide = [&](auto const& advance) {
    auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
    simulation->advance(0);
    integrators::Collision::Pair pair{};
    try {
      while (simulation->step() < 100) advance(*simulation);
    } catch (integrators::Collision const& collision) {
      REQUIRE(collision.pair);
      pair = *collision.pair;
    }
    return End{simulation->step(), pair, simulation->bodies()};
  };
  auto const expected = collide([](simulation::Simulation& simulation) { simulation.advance(1); });
  CHECK(expected.pair.time > 0.0);
  auto const check = [&](auto const& advance) {
    auto const found = collide(advance);
    CHECK(found.step == expected.step);
    CHECK(found.pair.time == expected.pair.time);
    CHECK(found.pair.distance == expected.pair.distance);
    CHECK(found.pair.spacing == expected.pair.spacing);
    CHECK(found.bodies.position == expected.bodies.position);
    CHECK(found.bodies.velocity == expected.bodies.velocity);
  };
  check([](simulation::Simulation& simulation) {
    if (simulation.advance_quietly(100) == 0) simulation.advance(1);
  });
  check([](simulation::Simulation& simulation) { simulation.advance(100); });
}
