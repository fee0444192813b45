// SPDX-License-Identifier: Apache-2.0
#include "support/decks.hpp"
#include "support/relative.hpp"
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

/// Bodies whose acceleration vanishes by symmetry: their derivatives are rounding errors, and must
/// not choose the step.
using namespace apsis;
using apsis::testing::approximately;

namespace {

/// Integrators that choose their steps.
std::vector<std::string> const step_choosers{
    R"("name": "gauss_radau15", "time_step": 0.1)",
    R"("name": "gauss_radau15", "time_step": 5)",
    R"("name": "hermite4", "time_step": 0.125, "stepping": {"mode": "adaptive"})",
    R"("name": "hermite4", "time_step": 0.125, "stepping": {"mode": "block"})",
    R"("name": "hermite6", "time_step": 0.125, "stepping": {"mode": "adaptive"})",
};

std::string body(double mass, double x, double y, double u, double v,
                 std::string const& more = "") {
  char text[256];
  std::snprintf(text, sizeof text,
                R"({"mass": %.17g, "position": [%.17g, %.17g, 0], "velocity": [%.17g, %.17g, 0])",
                mass, x, y, u, v);
  return text + more + "}";
}

/// A ring of equal bodies on the unit circle about a body at rest, in relative equilibrium times
/// `speed`. The angular velocity follows from the terms along the radius.
std::string ring(double centre, int count, double mass, double speed, double displacement = 0.0,
                 std::string const& radius = "") {
  double sum = 0.0;
  for (int k = 1; k < count; ++k) sum += 0.25 / std::sin(std::numbers::pi * k / count);
  double const velocity = speed * std::sqrt(centre + mass * sum);
  std::string bodies = body(centre, displacement, 0, 0, 0, radius);
  for (int k = 0; k < count; ++k) {
    double const angle = 2.0 * std::numbers::pi * k / count;
    double const c = std::cos(angle), s = std::sin(angle);
    bodies += ", " + body(mass, c, s, -velocity * s, velocity * c, radius);
  }
  return bodies;
}

deck::Configuration equilibrium(std::string const& bodies, std::string const& integrator,
                                std::string const& sections = "") {
  return testing::configured(R"({"bodies": {"list": [)" + bodies +
                                 R"(]}, "gravity": {"softening": 0},
      "integrator": {)" + integrator +
                                 R"(}, "run": {"steps": 1})" + sections + "}",
                             {});
}

/// Force evaluations of all bodies until `end`, and the largest distance of a body of the ring
/// from the unit circle.
struct Result {
  double evaluations, error;
};
Result run_ring(std::string const& bodies, std::string const& integrator, double end) {
  auto const run = equilibrium(bodies, integrator);
  auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
  simulation->advance(static_cast<std::uint64_t>(std::round(end / run.integrator.time_step)));
  auto const now = simulation->bodies();
  Result result{simulation->interactions() / static_cast<double>(now.size() * now.size()), 0.0};
  for (std::size_t i = 1; i < now.size(); ++i) {
    double const radius = norm(now.position[i] - now.position[0]);
    result.error = std::max(result.error, std::abs(radius - 1.0));
  }
  return result;
}

}  // namespace

TEST_CASE("rings about a body in equilibrium turn") {
  for (auto const& integrator : step_choosers) {
    CAPTURE(integrator);
    // Two and three: stable for longer than this. One with the heavy bodies outside: Euler's
    // collinear solution, and an equal binary with a light body at its centre of mass.
    struct Case {
      double centre;
      int count;
      double mass;
    };
    for (auto const& [centre, count, mass] :
         {Case{1, 2, 1e-3}, Case{1, 4, 1e-3}, Case{1, 6, 1e-3}, Case{1, 2, 1}, Case{1e-3, 2, 1},
          Case{1, 3, 1e-4}, Case{1, 7, 1e-4}}) {
      CAPTURE(centre);
      CAPTURE(count);
      CAPTURE(mass);
      auto const result = run_ring(ring(centre, count, mass, 1), integrator, 5);
      CHECK(result.error < 1e-4);
      CHECK(result.evaluations < 5000);
    }
  }
}

TEST_CASE("Maxwell's rings of many bodies turn") {
  for (auto const& integrator : step_choosers) {
    CAPTURE(integrator);
    for (int const count : {30, 100}) {
      CAPTURE(count);
      auto const result = run_ring(ring(1, count, 1e-6, 1), integrator, 5);
      CHECK(result.error < 1e-4);
      CHECK(result.evaluations < 5000);
    }
  }
}

TEST_CASE("a body displaced from its equilibrium costs no more steps than one far from it") {
  for (auto const& integrator : step_choosers) {
    CAPTURE(integrator);
    for (int const count : {2, 20}) {
      CAPTURE(count);
      double const mass = count == 2 ? 1e-3 : 1e-5;
      double const usual = run_ring(ring(1, count, mass, 1, 1e-6), integrator, 5).evaluations;
      for (double const displacement : {1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9}) {
        CAPTURE(displacement);
        auto const result = run_ring(ring(1, count, mass, 1, displacement), integrator, 5);
        CHECK(result.evaluations < 2.0 * usual);
        CHECK(result.error < 1e-4);
      }
    }
  }
}

TEST_CASE("bodies released from rest about one in equilibrium merge with it at the right time") {
  // x'' = -(M + m sum) / x^2 from x = 1 to the sum of the radii.
  constexpr double radius = 0.01;
  for (auto const& integrator : step_choosers) {
    CAPTURE(integrator);
    for (int const count : {2, 3, 6, 8, 12}) {
      CAPTURE(count);
      auto const run = equilibrium(ring(1, count, 0.1, 0, 0, R"(, "radius": 0.01)"), integrator,
                                   R"(, "collisions": {})");
      auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
      double sum = 1.0;
      for (int k = 1; k < count; ++k) sum += 0.1 * 0.25 / std::sin(std::numbers::pi * k / count);
      // The bodies of a ring of 12 touch each other first.
      double const contact = std::max(2.0 * radius, radius / std::sin(std::numbers::pi / count));
      double const fall = (std::acos(std::sqrt(contact)) + std::sqrt(contact * (1.0 - contact))) /
                          std::sqrt(2.0 * sum);
      while (simulation->state().gone == 0 && simulation->time() < 5.0) {
        simulation->advance();
        if (!simulation->events().empty()) {
          CHECK(simulation->events().front().time == approximately(fall, 1e-4));
        }
      }
      CHECK(simulation->state().gone == static_cast<std::size_t>(count));
      CHECK(simulation->bodies().mass[0] == approximately(1.0 + 0.1 * count, 1e-12));
    }
  }
}

TEST_CASE("bodies that fall on each other as points end the run by a collision") {
  for (auto const& integrator : step_choosers) {
    CAPTURE(integrator);
    auto const run = equilibrium(ring(1, 2, 0.1, 0), integrator);
    auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
    CHECK_THROWS_AS(simulation->advance(20), integrators::Collision);
    double const fall = std::numbers::pi / std::sqrt(8.0 * 1.025);
    CHECK(simulation->time() < fall);
    CHECK(simulation->time() + run.integrator.time_step > fall);
  }
}
