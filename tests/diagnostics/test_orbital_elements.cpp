// SPDX-License-Identifier: Apache-2.0
#include "support/relative.hpp"
#include <apsis/diagnostics/orbital_elements.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

using namespace apsis;
using apsis::testing::approximately;
using diagnostics::OrbitalElements;

namespace {

constexpr double pi = std::numbers::pi;
constexpr double G = 1.7, mass = 2.3;

struct State {
  Vec3<double> position, velocity;
};

Vec3<double> rotated_about_z(Vec3<double> const& v, double angle) {
  double const c = std::cos(angle), s = std::sin(angle);
  return {c * v.x - s * v.y, s * v.x + c * v.y, v.z};
}

Vec3<double> rotated_about_x(Vec3<double> const& v, double angle) {
  double const c = std::cos(angle), s = std::sin(angle);
  return {v.x, c * v.y - s * v.z, s * v.y + c * v.z};
}

/// State from orbital elements: a conic in its own plane, rotated three times.
State state_of(double a, double e, double i, double node, double argument, double f) {
  double const p = a * (1.0 - e * e);
  double const r = p / (1.0 + e * std::cos(f));
  double const speed = std::sqrt(G * mass / p);
  State state{{r * std::cos(f), r * std::sin(f), 0.0},
              {-speed * std::sin(f), speed * (e + std::cos(f)), 0.0}};
  for (auto* v : {&state.position, &state.velocity}) {
    *v = rotated_about_z(rotated_about_x(rotated_about_z(*v, argument), i), node);
  }
  return state;
}

OrbitalElements elements(State const& state) {
  return diagnostics::orbital_elements(G, mass, state.position, state.velocity);
}

/// Absolute difference of two angles modulo 2 pi.
double angle_difference(double a, double b) {
  return std::abs(std::remainder(a - b, 2.0 * pi));
}

bool is_in_full_circle(double angle) {
  return 0.0 <= angle && angle < 2.0 * pi;
}

}  // namespace

TEST_CASE("orbital elements of a state are those from which it was computed") {
  for (double const a : {0.3, 20.0, -1.5}) {
    for (double const e : {0.01, 0.5, 0.999, 1.001, 3.0}) {
      if ((a > 0.0) != (e < 1.0)) continue;
      for (double const i : {0.2, 0.5 * pi, 3.0}) {
        for (double const node : {0.4, 4.0}) {
          for (double const argument : {1.0, 5.5}) {
            for (double const f : {0.0, 0.7, 1.6, 2.0 * pi - 0.7}) {
              CAPTURE(a);
              CAPTURE(e);
              CAPTURE(i);
              CAPTURE(f);
              auto const result = elements(state_of(a, e, i, node, argument, f));
              // The rounding error of 1 - e is independent of its size.
              double const digits = 2e-14 / std::abs(1.0 - e);
              CHECK(std::abs(result.semi_major_axis / a - 1.0) < digits);
              CHECK(std::abs(result.eccentricity - e) < 1e-14 * (1.0 + e));
              CHECK(std::abs(result.inclination - i) < 1e-14);
              CHECK(angle_difference(result.ascending_node, node) < 1e-14);
              CHECK(angle_difference(result.argument_of_pericentre, argument) <
                    1e-13 / std::min(e, 1.0));
              CHECK(angle_difference(result.true_anomaly, f) < 1e-13 / std::min(e, 1.0));
              CHECK(is_in_full_circle(result.ascending_node));
              CHECK(is_in_full_circle(result.argument_of_pericentre));
              CHECK(is_in_full_circle(result.true_anomaly));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("mean anomaly and period agree with Kepler's equation") {
  for (double const e : {0.0, 0.3, 0.99}) {
    double const a = 0.7;
    double const period = 2.0 * pi * std::sqrt(a * a * a / (G * mass));
    for (double const eccentric : {0.0, 0.4, 3.0, 5.0}) {
      CAPTURE(e);
      CAPTURE(eccentric);
      double const f = 2.0 * std::atan2(std::sqrt(1.0 + e) * std::sin(0.5 * eccentric),
                                        std::sqrt(1.0 - e) * std::cos(0.5 * eccentric));
      auto const result = elements(state_of(a, e, 0.5, 0.0, 0.0, f));
      CHECK(angle_difference(result.mean_anomaly, eccentric - e * std::sin(eccentric)) < 1e-12);
      CHECK(is_in_full_circle(result.mean_anomaly));
      CHECK(std::abs(result.period / period - 1.0) < 1e-12);
    }
  }
  // r = a (1 - e cosh F) on a hyperbola.
  double const a = -0.7, e = 1.5;
  for (double const hyperbolic : {-2.0, -0.1, 0.0, 1.0}) {
    double const f =
        2.0 * std::atan(std::sqrt((e + 1.0) / (e - 1.0)) * std::tanh(0.5 * hyperbolic));
    auto const result = elements(state_of(a, e, 0.5, 0.0, 0.0, f));
    double const mean = e * std::sinh(hyperbolic) - hyperbolic;
    CHECK(std::abs(result.mean_anomaly - mean) <= 1e-12 * std::abs(mean));
    CHECK(std::isinf(result.period));
  }
}

TEST_CASE("undefined angles are 0, the other angles give the position") {
  // Circle in the xy plane: the true anomaly is the angle from x.
  auto const circle = elements(state_of(1.0, 0.0, 0.0, 0.0, 0.0, 2.0));
  CHECK(circle.eccentricity < 1e-15);
  CHECK(circle.inclination == 0.0);
  CHECK(circle.ascending_node == 0.0);
  CHECK(circle.argument_of_pericentre == 0.0);
  CHECK(circle.true_anomaly == approximately(2.0, 1e-14));
  CHECK(circle.mean_anomaly == approximately(2.0, 1e-14));

  // Ellipse in the xy plane: the argument of pericentre is the angle from x.
  auto const planar = elements(state_of(1.0, 0.5, 0.0, 0.0, 1.2, 2.0));
  CHECK(planar.ascending_node == 0.0);
  CHECK(planar.argument_of_pericentre == approximately(1.2, 1e-14));

  // Retrograde orbit: angles are in the direction of motion.
  auto const retrograde = elements(state_of(1.0, 0.5, pi, 0.0, 1.2, 2.0));
  CHECK(retrograde.inclination == approximately(pi));
  CHECK(retrograde.ascending_node == 0.0);
  CHECK(retrograde.argument_of_pericentre == approximately(1.2, 1e-14));
  CHECK(retrograde.true_anomaly == approximately(2.0, 1e-14));

  // Inclined circle: anomalies are measured from the node.
  auto const inclined = elements(state_of(1.0, 0.0, 0.8, 2.5, 0.0, 4.0));
  CHECK(inclined.ascending_node == approximately(2.5, 1e-14));
  CHECK(inclined.argument_of_pericentre == 0.0);
  CHECK(inclined.true_anomaly == approximately(4.0, 1e-14));
}

TEST_CASE("motion along a line has a semi-major axis and a period but no plane") {
  auto const fall = elements({{2.0, 0.0, 0.0}, {}});
  CHECK(fall.semi_major_axis == approximately(1.0));
  CHECK(fall.eccentricity == approximately(1.0));
  CHECK(fall.period == approximately(2.0 * pi / std::sqrt(G * mass)));
  CHECK(std::isnan(fall.inclination));
  CHECK(std::isnan(fall.mean_anomaly));
}

TEST_CASE("a body with the escape speed is on a parabola") {
  auto const parabola = diagnostics::orbital_elements(1.0, 0.5, {0.0, 4.0, 0.0}, {-0.5, 0.0, 0.0});
  CHECK(std::isinf(parabola.semi_major_axis));
  CHECK(parabola.eccentricity == 1.0);
  CHECK(parabola.true_anomaly == 0.0);
  CHECK(std::isinf(parabola.period));
  CHECK(std::isnan(parabola.mean_anomaly));
}
