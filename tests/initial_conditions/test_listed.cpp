// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/relative.hpp"
#include <apsis/bodies/centre_of_mass.hpp>
#include <apsis/diagnostics/orbital_elements.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::contains;

namespace {

constexpr double degree = std::numbers::pi / 180.0;

std::string listed_deck(std::string const& list, std::string const& more = "") {
  return R"({"bodies": {"list": [)" + list + "]" + more +
         R"(}, "integrator": {"time_step": 1}, "run": {"steps": 1}})";
}

HostBodies bodies_of(std::string const& json) {
  auto const run = testing::configured(json, {});
  return run.bodies.model->make(run.bodies.values, run.gravity.law.G);
}

diagnostics::OrbitalElements orbit(HostBodies const& bodies, std::size_t i, double mass,
                                   Vec3<double> const& centre_position = {},
                                   Vec3<double> const& centre_velocity = {}) {
  return diagnostics::orbital_elements(1.0, mass + bodies.mass[i],
                                       bodies.position[i] - centre_position,
                                       bodies.velocity[i] - centre_velocity);
}

std::string const star = R"({"mass": 2, "position": [0, 0, 0]})";

}  // namespace

TEST_CASE("a listed body can have an elliptic orbit with any of four anomalies") {
  std::string const shape = R"("mass": 0.5, "semi_major_axis": 3, "eccentricity": 0.4,
    "inclination": 20, "node": 200, "argument": 70)";
  double const n = std::sqrt(2.5 / 27.0);  // mean motion
  double const e = 0.4, mean = 1.1;
  double eccentric = mean;
  for (int i = 0; i < 100; ++i) eccentric = mean + e * std::sin(eccentric);
  double const f = 2.0 * std::atan(std::sqrt((1.0 + e) / (1.0 - e)) * std::tan(0.5 * eccentric));
  std::pair<char const*, double> const phases[]{{"mean_anomaly", mean / degree},
                                                {"true_anomaly", f / degree},
                                                {"eccentric_anomaly", eccentric / degree},
                                                {"pericentre_time", -mean / n}};
  for (auto const& phase : phases) {
    CAPTURE(phase.first);
    auto const bodies = bodies_of(listed_deck(star + ", {" + shape + ", \"" + phase.first +
                                              "\": " + std::to_string(phase.second) + "}"));
    auto const elements = orbit(bodies, 1, 2.0);
    CHECK(elements.semi_major_axis == approximately(3.0, 1e-13));
    CHECK(elements.eccentricity == approximately(0.4, 1e-13));
    CHECK(elements.inclination == approximately(20.0 * degree, 1e-13));
    CHECK(elements.ascending_node == approximately(200.0 * degree, 1e-13));
    CHECK(elements.argument_of_pericentre == approximately(70.0 * degree, 1e-12));
    CHECK(elements.mean_anomaly == approximately(mean, 1e-6));  // std::to_string has 6 digits
  }
  auto const circle = bodies_of(listed_deck(star + R"(, {"mass": 0, "semi_major_axis": 2})"));
  CHECK(circle.position[1] == Vec3<double>{2.0, 0.0, 0.0});
  CHECK(circle.velocity[1] == Vec3<double>{0.0, 1.0, 0.0});
}

TEST_CASE("a listed body can have a hyperbolic orbit with any of three anomalies") {
  double const e = 1.7, H = -2.3;
  double const mean = e * std::sinh(H) - H, n = std::sqrt(2.5 / 27.0);
  double const f = 2.0 * std::atan(std::sqrt((e + 1.0) / (e - 1.0)) * std::tanh(0.5 * H));
  std::pair<char const*, double> const phases[]{{"mean_anomaly", mean / degree},
                                                {"true_anomaly", f / degree},
                                                {"pericentre_time", -mean / n}};
  for (auto const& phase : phases) {
    CAPTURE(phase.first);
    auto const bodies =
        bodies_of(listed_deck(star + R"(, {"mass": 0.5, "semi_major_axis": -3, "eccentricity": 1.7,
                     "inclination": 20, "node": 200, "argument": 70, ")" +
                              phase.first + "\": " + std::to_string(phase.second) + "}"));
    auto const elements = orbit(bodies, 1, 2.0);
    CHECK(elements.semi_major_axis == approximately(-3.0, 1e-12));
    CHECK(elements.eccentricity == approximately(e, 1e-12));
    CHECK(elements.inclination == approximately(20.0 * degree, 1e-12));
    CHECK(elements.ascending_node == approximately(200.0 * degree, 1e-12));
    CHECK(elements.argument_of_pericentre == approximately(70.0 * degree, 1e-12));
    CHECK(elements.mean_anomaly == approximately(mean, 1e-6));  // std::to_string has 6 digits
  }
}

TEST_CASE("orbits are about the first body or the centre of mass of all bodies before") {
  std::string const two = star + R"(, {"mass": 2, "semi_major_axis": 1, "eccentricity": 0.1},
    {"mass": 0.5, "semi_major_axis": 9, "eccentricity": 0.2, "mean_anomaly": 90})";
  auto const primary = bodies_of(listed_deck(two));
  CHECK(orbit(primary, 2, 2.0).semi_major_axis == approximately(9.0, 1e-13));
  auto const jacobi = bodies_of(listed_deck(two, R"(, "orbits_about": "jacobi")"));
  auto const centre = 0.5 * jacobi.position[1], velocity = 0.5 * jacobi.velocity[1];
  auto const elements = orbit(jacobi, 2, 4.0, centre, velocity);
  CHECK(elements.semi_major_axis == approximately(9.0, 1e-13));
  CHECK(elements.eccentricity == approximately(0.2, 1e-12));
  CHECK(norm(jacobi.position[2] - primary.position[2]) > 0.1);
}

TEST_CASE("problems with the orbit of a listed body name the body") {
  auto const problem = [](std::string const& list) {
    return testing::problems_of(listed_deck(list), {});
  };
  auto const orbit = [](std::string const& more) {
    return star + R"(, {"mass": 1, "semi_major_axis": 1)" + more + "}";
  };
  CHECK(problem(orbit("")) == "");
  CHECK(contains(problem(orbit(R"(, "position": [0, 0, 0])")),
                 "deck: bodies.list[1]: 'position' conflicts with 'semi_major_axis'"));
  CHECK(contains(problem(orbit(R"(, "mean_anomaly": 1, "true_anomaly": 1)")),
                 "bodies.list[1]: more than one anomaly"));
  for (auto const* eccentricity : {"1", "1.5", "1e300"}) {
    CHECK(contains(problem(orbit(R"(, "eccentricity": )" + std::string(eccentricity))),
                   "deck: bodies.list[1]: invalid orbit (semi_major_axis is 1 and eccentricity "));
  }
  auto const hyperbola = [](std::string const& more) {
    return star + R"(, {"mass": 1, "semi_major_axis": -1, "eccentricity": 2)" + more + "}";
  };
  CHECK(problem(hyperbola("")) == "");
  CHECK(problem(hyperbola(R"(, "true_anomaly": 119)")) == "");
  CHECK(contains(problem(hyperbola(R"(, "true_anomaly": 121)")), "outside the asymptotes"));
  CHECK(
      contains(problem(hyperbola(R"(, "eccentric_anomaly": 1)")), "a hyperbola has no such angle"));
  CHECK(contains(problem(star + R"(, {"mass": 1, "semi_major_axis": -1})"),
                 "list[1]: invalid orbit"));
  CHECK(
      contains(problem(star + R"(, {"mass": 1, "semi_major_axis": 0})"), "list[1]: invalid orbit"));
  CHECK(contains(problem(R"({"mass": 1, "semi_major_axis": 1})"),
                 "bodies.list[0]: the first body cannot have an orbit"));
  CHECK(contains(problem(R"({"mass": 0, "position": [0, 0, 0]},
                            {"mass": 0, "semi_major_axis": 1})"),
                 "bodies.list[1]: orbit without a central mass"));
  CHECK(contains(problem(R"({"mass": 1})"), "bodies.list[0]: no position"));
  CHECK(contains(problem(star + R"(, {"mass": 1, "node": 3})"),
                 "bodies.list[1]: 'node' without 'semi_major_axis'"));
}
