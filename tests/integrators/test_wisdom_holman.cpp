// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/measurement.hpp"
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/planets.hpp"
#include "support/problems.hpp"
#include "support/relative.hpp"
#include "support/suites.hpp"
#include <apsis/core/text.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace apsis;
using namespace apsis::testing;

namespace {

std::string const planetary_deck = R"({"bodies": {"generator": "plummer", "count": 1},
  "integrator": {"name": "wisdom_holman", "time_step": 1}, "run": {"steps": 1}})";

std::unique_ptr<simulation::Simulation> make_run(HostBodies const& start,
                                                 std::vector<std::string> const& overrides) {
  return simulation::make_simulation(configured(planetary_deck, overrides), start);
}

/// Place of Jupiter and of Neptune after 1000 years, from a Taylor series of order 32 in 128 bit.
constexpr double millennium = 6283.1853071795858;
Vec3<double> const jupiter{-5.025016727695028, 1.976180927304546, 0.1008394341368751};
Vec3<double> const neptune{20.62594503238739, -21.93258321480152, -0.02470200327792578};

double largest_component(Vec3<double> const& a) {
  return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)});
}

/// Error of the two planets after so many steps.
double outer_planets_error(int steps, std::vector<std::string> overrides) {
  overrides.push_back("integrator.time_step=" + shortest(millennium));
  overrides.push_back("integrator.substeps=" + std::to_string(steps));
  auto const run = make_run(outer_planets(), overrides);
  run->advance();
  auto const bodies = run->bodies();
  return std::max(largest_component(bodies.position[1] - jupiter),
                  largest_component(bodies.position[4] - neptune));
}

bool has_same_bits(HostBodies const& a, HostBodies const& b) {
  return a.position == b.position && a.velocity == b.velocity;
}

std::vector<std::vector<std::string>> const variants{
    {},
    {"integrator.corrector=5"},
    {"integrator.corrector=17", "integrator.kernel=lazy"},
    {"integrator.coordinates=democratic"}};

}  // namespace

TEST_CASE("wisdom_holman has the errors of its order on the outer planets" * expensive) {
  struct Known {
    std::vector<std::string> overrides;
    double errors[2];  ///< with 2176 and 4352 steps
  };
  Known const expected[]{
      {{}, {3.08e-3, 7.81e-4}},
      {{"integrator.corrector=17"}, {8.054e-6, 2.0205e-6}},
      {{"integrator.corrector=17", "integrator.kernel=lazy"}, {5.340e-9, 3.3005e-10}},
      {{"integrator.coordinates=democratic"}, {2.7e-4, 8.0e-5}}};
  for (auto const& known : expected) {
    CAPTURE(known.overrides);
    CHECK(outer_planets_error(2176, known.overrides) == approximately(known.errors[0], 0.02));
    CHECK(outer_planets_error(4352, known.overrides) == approximately(known.errors[1], 0.02));
  }
  CHECK(outer_planets_error(34816, {"integrator.corrector=17", "integrator.kernel=lazy"}) < 3e-10);
}

TEST_CASE("wisdom_holman is exact for one planet in Jacobi coordinates") {
  auto const start = star_and_planets(1, 3);
  auto const x = start.position[1] - start.position[0];
  auto const v = start.velocity[1] - start.velocity[0];
  double const mu = start.mass[0] + start.mass[1];
  double const axis = 1.0 / (2.0 / norm(x) - dot(v, v) / mu);
  double const period = 2.0 * std::numbers::pi * axis * std::sqrt(axis / mu);
  auto const run =
      make_run(start, {"integrator.time_step=" + shortest(period), "integrator.substeps=17"});
  run->advance();
  auto const end = run->bodies();
  CHECK(norm(end.position[1] - end.position[0] - x) < 1e-13);
}

TEST_CASE("massless bodies of wisdom_holman move like bodies of negligible mass" *
          testing::thread_counts) {
  for (auto const& variant : variants) {
    CAPTURE(variant);
    auto overrides = variant;
    overrides.push_back("integrator.time_step=0.25");
    overrides.push_back("integrator.substeps=4");
    auto bodies = star_and_planets(3, 20);
    auto const massless = make_run(bodies, overrides);
    for (double& m : bodies.mass) m = std::max(m, 1e-25);
    auto const light = make_run(bodies, overrides);
    massless->advance(40);
    light->advance(40);
    auto const a = massless->bodies(), b = light->bodies();
    double worst_massive = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      double const distance = norm(a.position[i] - b.position[i]);
      (bodies.mass[i] > 1e-20 ? worst_massive : worst) =
          std::max(bodies.mass[i] > 1e-20 ? worst_massive : worst, distance);
    }
    CHECK(worst_massive < 1e-12);
    CHECK(worst < 1e-9);
    CHECK(massless->info().massless.count == 20);
  }
}

TEST_CASE("wisdom_holman gives the same bits for every grouping of steps into time steps" *
          testing::thread_counts) {
  for (auto const& variant : variants) {
    CAPTURE(variant);
    auto const advanced = [&](int substeps, std::vector<std::string> more) {
      more.insert(more.end(), variant.begin(), variant.end());
      more.push_back("integrator.substeps=" + std::to_string(substeps));
      more.push_back("integrator.time_step=" + shortest(0.125 * substeps));
      auto const run = make_run(star_and_planets(3, 20), more);
      run->advance(static_cast<std::uint64_t>(64 / substeps));
      CHECK(run->state().integrator_steps == 64);
      return run->bodies();
    };
    auto const expected = advanced(1, {});
    CHECK(has_same_bits(advanced(16, {}), expected));
    // A watch synchronises the bodies after every step.
    CHECK(has_same_bits(advanced(16, {"run.encounter_distance=1e-9"}), expected));
  }
}

TEST_CASE("wisdom_holman runs back to the start") {
  for (auto const& variant : variants) {
    CAPTURE(variant);
    auto overrides = variant;
    overrides.push_back("integrator.time_step=0.1");
    auto const start = star_and_planets(3, 12);
    auto const run = make_run(start, overrides);
    run->advance(100);
    run->reverse_time();
    run->advance(100);
    auto const back = run->bodies();
    double missed = 0.0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      missed = std::max(missed, norm(back.position[i] - start.position[i]));
    }
    CHECK(missed < 1e-11);
  }
}

TEST_CASE("wisdom_holman conserves momentum, angular momentum and, on average, energy") {
  for (auto const& variant : variants) {
    CAPTURE(variant);
    auto overrides = variant;
    overrides.push_back("integrator.time_step=0.1");
    auto const run = make_run(star_and_planets(3, 0), overrides);
    auto const before = run->measure();
    double worst = 0.0, last = 0.0;
    for (int i = 0; i < 10; ++i) {
      run->advance(200);
      last = std::abs(run->measure().total() / before.total() - 1.0);
      worst = std::max(worst, last);
    }
    auto const after = run->measure();
    CHECK(norm(after.momentum - before.momentum) < 1e-16);
    CHECK(norm(after.angular_momentum - before.angular_momentum) < 1e-14);
    CHECK(worst < 2e-5);
  }
}

TEST_CASE("wisdom_holman takes the bodies in any order") {
  auto const bodies = star_and_planets(3, 9);
  auto reversed = bodies;
  std::reverse(reversed.mass.begin(), reversed.mass.end());
  std::reverse(reversed.position.begin(), reversed.position.end());
  std::reverse(reversed.velocity.begin(), reversed.velocity.end());
  auto const advanced = [](HostBodies const& start) {
    auto const run = make_run(start, {"integrator.time_step=0.25", "integrator.corrector=3"});
    run->advance(20);
    return run->bodies();
  };
  auto const a = advanced(bodies), b = advanced(reversed);
  std::size_t const count = bodies.size();
  for (std::size_t i = 0; i < count; ++i) {
    CAPTURE(i);
    CHECK(a.position[i] == b.position[count - 1 - i]);
  }
}

TEST_CASE("wisdom_holman refuses what it cannot do, before the run") {
  auto const refused = [](std::vector<std::string> const& overrides) {
    return refusal([&] { configured(planetary_deck, overrides); });
  };
  CHECK(contains(refused({"gravity.precision=single"}), "'wisdom_holman' computes in double"));
  CHECK(contains(refused({"gravity.precision=mixed"}), "'wisdom_holman' computes in double"));
  CHECK(contains(refused({"gravity.softening=0.1"}), "Kepler orbits, which have no softening"));
  CHECK(contains(refused({"integrator.corrector=4"}), "give 0, 3, 5"));
  CHECK(contains(refused({"integrator.corrector=19"}), "integrator.corrector"));
  CHECK(contains(refused({"integrator.coordinates=democratic", "integrator.corrector=3"}),
                 "contradicts coordinates"));
  CHECK(contains(refused({"integrator.coordinates=democratic", "integrator.kernel=lazy"}),
                 "contradicts coordinates"));
  CHECK(contains(refused({R"(integrator.stepping={"mode": "adaptive"})"}), "integrator.stepping"));
  CHECK(contains(
      refusal([] { simulation::make_bodies(configured(planetary_deck, {"bodies.count=10"})); }),
      "needs a dominant body"));
}

TEST_CASE("wisdom_holman rounds without bias: angular momentum does not drift" * expensive) {
  constexpr double day = 0.01720209895;
  for (double const dt : {174.0, 151.0, 134.0}) {
    CAPTURE(dt);
    auto const run = make_run(outer_planets(), {"integrator.time_step=" + shortest(1e5 * dt * day),
                                                "integrator.substeps=100000"});
    auto const first = norm(run->measure().angular_momentum);
    run->advance(10);
    // A bias of 5e-19 a step gives 5e-13.
    CHECK(std::abs(norm(run->measure().angular_momentum) / first - 1.0) < 4e-14);
  }
}

TEST_CASE("wisdom_holman reports encounters and pericentres that it does not resolve") {
  using Kind = simulation::CoarsestPassage::Kind;
  auto const passage_of = [](std::string const& orbiting, double dt, std::uint64_t steps) {
    auto const run =
        configured(planetary_deck,
                   {R"(bodies={"list": [{"mass": 1, "position": [0, 0, 0]}, )" + orbiting + "]}",
                    "integrator.time_step=" + shortest(dt)});
    auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
    simulation->advance(steps);
    return simulation->coarsest_passage();
  };
  std::string const planet = R"({"mass": 0.001, "semi_major_axis": 1}, )";
  auto const hill = [](double mass) { return std::cbrt(mass / 3.0); };
  for (double const mass : {0.0, 0.001}) {
    CAPTURE(mass);
    auto const neighbour = [&](double axis) {
      return planet + R"({"mass": )" + shortest(mass) + R"(, "semi_major_axis": )" +
             shortest(axis) + R"(, "mean_anomaly": 40})";
    };
    auto const passage = passage_of(neighbour(1.1), 0.2, 200);
    REQUIRE(passage.has_value());
    CHECK(passage->kind == Kind::encounter);
    CHECK(passage->is_massless == (mass == 0.0));
    CHECK_FALSE(passage->is_resolved());
    CHECK(passage->body + passage->massive == 3);
    CHECK(passage->distance < 3.1 * 1.05 * hill(0.001 + mass));
    CHECK(passage->distance > 2.0 * hill(0.001 + mass));
    CHECK_FALSE(passage_of(neighbour(1.8), 0.2, 200).has_value());
    // e = 0.9 passes its pericentre at 0.1 in 0.144.
    auto const plunging = planet + R"({"mass": )" + shortest(mass * 1e-3) +
                          R"(, "semi_major_axis": 1, "eccentricity": 0.9, "inclination": 60})";
    auto const coarse = passage_of(plunging, 0.03, 10);
    REQUIRE(coarse.has_value());
    CHECK(coarse->kind == Kind::pericentre);
    CHECK(std::abs(coarse->measure - 12.0 * 0.03 / 0.144146) < 0.05);
    CHECK(std::abs(coarse->distance - 0.1) < 1e-3);
    CHECK_FALSE(passage_of(plunging, 0.011, 10).has_value());
  }
}

TEST_CASE("wisdom_holman finds contacts with the dominant body between its steps") {
  for (std::string const mass : {"0", "1e-12"}) {
    CAPTURE(mass);
    std::string bodies = R"({"mass": 1, "position": [0, 0, 0], "radius": 0.02},
                            {"mass": 0.001, "semi_major_axis": 5.2})";
    for (int k = 1; k <= 40; ++k) {
      bodies += R"(, {"mass": )" + mass + R"(, "semi_major_axis": 1, "eccentricity": )" +
                shortest(0.9997 - 0.001 * k) + R"(, "mean_anomaly": )" + shortest(173.0 + 7.0 * k) +
                R"(, "inclination": )" + shortest(4.0 * k) + "}";
    }
    auto const run = configured(
        planetary_deck, {R"(bodies={"list": [)" + bodies + "]}", "integrator.time_step=0.05",
                         R"(collisions={"on_collision": "merge"})"});
    auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
    simulation->advance(130);  // more than a period
    CHECK(simulation->state().gone == 19);
    // Bodies that are gone have no orbits.
    auto const passage = simulation->coarsest_passage();
    REQUIRE(passage.has_value());
    CHECK(passage->distance > 1e-3);
  }
}
