// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/orbit.hpp"
#include "support/measured.hpp"
#include "support/models.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace apsis;
using namespace apsis::initial_conditions;
using apsis::testing::model;
using apsis::testing::relative_error;
using apsis::testing::values_for;

namespace {

using std::numbers::pi;

/// Elements and vectors of an orbit, computed from the state of a body only.
struct Osculating {
  double semi_major_axis, eccentricity, inclination;
  Vec3<double> momentum, laplace;

  Osculating(Vec3<double> const& x, Vec3<double> const& v, double gravity)
      : momentum(cross(x, v)), laplace((1.0 / gravity) * cross(v, momentum) - (1.0 / norm(x)) * x) {
    semi_major_axis = 1.0 / (2.0 / norm(x) - dot(v, v) / gravity);
    eccentricity = norm(laplace);
    inclination = std::acos(momentum.z / norm(momentum)) * 180.0 / pi;
  }
};

/// Mean anomaly [degrees] at a radius, from the shape of the orbit only.
double mean_anomaly(ElementsInDegrees const& elements, double radius, bool outwards) {
  double const cosine = (1.0 - radius / elements.semi_major_axis) / elements.eccentricity;
  double const eccentric = std::acos(cosine);
  double const mean = (eccentric - elements.eccentricity * std::sin(eccentric)) * 180.0 / pi;
  return outwards ? mean : 360.0 - mean;
}

}  // namespace

TEST_CASE("the state on an orbit has the elements from which it was computed") {
  double const gravity = 7.0;
  for (double const e : {0.01, 0.3, 0.9, 0.999}) {
    for (double const mean : {1.0, 77.0, 179.0, 181.0, 300.0}) {
      CAPTURE(e);
      CAPTURE(mean);
      ElementsInDegrees const elements{2.5, e, mean, 40.0, 110.0, 250.0};
      auto const state = state_on_orbit(elements, gravity);
      Osculating const orbit(state.position, state.velocity, gravity);
      CHECK(relative_error(orbit.semi_major_axis, 2.5) < 1e-10);
      CHECK(relative_error(orbit.eccentricity, e) < 1e-11);
      CHECK(relative_error(orbit.inclination, 40.0) < 1e-10);
      // Node: the angular momentum points to (sin node, -cos node).
      double const node = std::atan2(orbit.momentum.x, -orbit.momentum.y) * 180.0 / pi;
      CHECK(relative_error(node, 110.0) < 1e-10);
      // Argument of pericentre: from the node to the Laplace vector, in the direction of motion.
      Vec3<double> const towards_node{-orbit.momentum.y, orbit.momentum.x, 0.0};
      double const along = dot(towards_node, orbit.laplace) / norm(towards_node);
      auto const across = cross(orbit.momentum, towards_node);
      double const argument = std::atan2(dot(across, orbit.laplace) / norm(across), along);
      CHECK(relative_error(argument * 180.0 / pi + 360.0, 250.0) < 1e-8);
      bool const outwards = dot(state.position, state.velocity) > 0.0;
      CHECK(relative_error(mean_anomaly(elements, norm(state.position), outwards), mean) < 1e-8);
    }
  }
}

TEST_CASE(
    "Kepler's equation of the hyperbola holds to rounding for all anomalies and eccentricities") {
  for (long double const e : {1.0000001L, 1.001L, 1.2L, 3.0L, 1e6L}) {
    auto const rounded_e = static_cast<double>(e);
    // Both types must have the same difference e - 1.
    long double const exact_e = rounded_e;
    for (long double const H : {1e-9L, 1e-3L, 0.3L, 1.0L, 4.0L, 40.0L}) {
      CAPTURE(static_cast<double>(e));
      CAPTURE(static_cast<double>(H));
      long double const sinh_minus_argument =
          H < 0.01L ? H * H * H / 6.0L * (1.0L + H * H / 20.0L * (1.0L + H * H / 42.0L))
                    : std::sinh(H) - H;
      long double const mean = (exact_e - 1.0L) * std::sinh(H) + sinh_minus_argument;
      ElementsInDegrees const elements{-2.0, rounded_e, static_cast<double>(mean * 180.0L / pi),
                                       0,    0,         0};
      auto const state = state_on_orbit(elements, 8.0);
      // x = |a| (e - cosh H), y = |a| sqrt(e^2 - 1) sinh H.
      auto const y =
          static_cast<double>(2.0L * std::sqrt((exact_e - 1.0L) * (exact_e + 1.0L)) * std::sinh(H));
      // The mean anomaly is rounded, and its derivative by H is e cosh H - 1.
      long double const slope = exact_e * std::cosh(H) - 1.0L;
      auto const spread = static_cast<double>(1.0L + mean / slope * std::cosh(H) / std::sinh(H));
      CHECK(relative_error(state.position.y, y) < 4e-16 * spread + 4e-16);
      double const energy = 0.5 * dot(state.velocity, state.velocity) - 8.0 / norm(state.position);
      auto const potential = 8.0 / norm(state.position);
      CHECK(std::abs(energy - 2.0) <
            1e-14 * (2.0 + potential) * std::max(1.0, 1.0 / (rounded_e - 1.0)));
    }
  }
}

TEST_CASE("right angles are exact") {
  CHECK(sine_cosine(180.0).sine == 0.0);
  CHECK(sine_cosine(-90.0).cosine == 0.0);
  CHECK(sine_cosine(-90.0).sine == -1.0);
  CHECK(sine_cosine(36000090.0).sine == 1.0);
  CHECK(relative_error(sine_cosine(30.0).sine, 0.5) < 4e-16);
  CHECK(relative_error(sine_cosine(240.0).cosine, -0.5) < 4e-16);
}

TEST_CASE("Kepler: energy, angular momentum and apocentre agree with formulas for any G") {
  auto const& entry = model("kepler");
  for (double const e : {0.0, 0.5, 0.9}) {
    auto values = values_for(entry);
    values.set("eccentricity", e);
    auto const bodies = entry.make(values, 1.0);
    auto const system = testing::measured<double>(bodies, {1.0, 0.0});
    CHECK(std::abs(system.total() + 0.125) < 1e-16);  // -G m1 m2 / 2a
    CHECK(relative_error(system.angular_momentum.z, 0.25 * std::sqrt(1.0 - e * e)) < 1e-14);
    // Both bodies are on the x axis at apocentre, the first one at x > 0 with v_y > 0.
    CHECK((bodies.position[0] == Vec3<double>{0.5 * (1.0 + e), 0.0, 0.0}));
    CHECK((bodies.position[1] == Vec3<double>{-0.5 * (1.0 + e), 0.0, 0.0}));
    double const speed = 0.5 * std::sqrt((1.0 - e) / (1.0 + e));
    CHECK(bodies.velocity[0].x == 0.0);
    CHECK(relative_error(bodies.velocity[0].y, speed) < 1e-15);
  }
  auto values = values_for(entry);
  values.set("primary_mass", 3.0);
  values.set("secondary_mass", 0.2);
  values.set("semi_major_axis", 5.0);
  values.set("eccentricity", 0.4);
  values.set("mean_anomaly", 33.0);
  values.set("inclination", 90.0);
  auto const bodies = entry.make(values, 6.0);
  auto const system = testing::measured<double>(bodies, {6.0, 0.0});
  CHECK(relative_error(system.total(), -6.0 * 3.0 * 0.2 / 10.0) < 1e-14);
  CHECK(norm(system.momentum) < 1e-15);
  CHECK(norm(system.center_of_mass) < 1e-15);
  CHECK(std::abs(system.angular_momentum.z) < 1e-14);
  double const reduced = 3.0 * 0.2 / 3.2;
  CHECK(relative_error(system.angular_momentum.y,
                       -reduced * std::sqrt(6.0 * 3.2 * 5.0 * (1.0 - 0.16))) < 1e-14);
}

TEST_CASE("figure-eight: published energy, no angular momentum, scaling with G") {
  auto const& entry = model("figure_eight");
  auto values = values_for(entry);
  auto const system = testing::measured<double>(entry.make(values, 1.0), {1.0, 0.0});
  CHECK(relative_error(system.total(), -1.287141995631858) < 1e-15);
  CHECK(relative_error(system.potential, -2.5) < 1e-14);
  CHECK(norm(system.angular_momentum) < 1e-15);
  values.set("mass", 2.0);
  values.set("length_scale", 3.0);
  auto const scaled = testing::measured<double>(entry.make(values, 5.0), {5.0, 0.0});
  CHECK(relative_error(scaled.total(), -1.287141995631858 * 5.0 * 4.0 / 3.0) < 1e-15);
  CHECK(relative_error(scaled.virial_ratio(), system.virial_ratio()) < 1e-15);
}

TEST_CASE("Pythagorean: sides 3, 4, 5 opposite masses 3, 4, 5, at rest") {
  auto const& entry = model("pythagorean");
  auto values = values_for(entry);
  values.set("mass_scale", 2.0);
  values.set("length_scale", 10.0);
  auto const bodies = entry.make(values, 1.0);
  for (std::size_t i = 0; i < 3; ++i) {
    double const opposite = norm(bodies.position[(i + 1) % 3] - bodies.position[(i + 2) % 3]);
    CHECK(relative_error(opposite, 5.0 * bodies.mass[i]) < 1e-15);
    CHECK(norm(bodies.velocity[i]) == 0.0);
  }
  auto const system = testing::measured<double>(bodies, {1.0, 0.0});
  CHECK(relative_error(system.total(), -769.0 / 60.0 * 4.0 / 10.0) < 1e-15);
}

TEST_CASE("Lagrange's triangle: accelerations are omega^2 times the vector to the centre of mass") {
  auto const& entry = model("lagrange_triangle");
  auto const equal = entry.make(values_for(entry), 1.0);
  CHECK(relative_error(norm(equal.position[0]), 1.0) < 1e-15);
  CHECK(relative_error(norm(equal.velocity[0]), 0.7598356856515925) < 1e-15);
  auto const system = testing::measured<double>(equal, {1.0, 0.0});
  CHECK(relative_error(system.total(), -std::numbers::sqrt3 / 2.0) < 1e-15);

  auto values = values_for(entry);
  values.set("mass_1", 1.0);
  values.set("mass_2", 5.0);
  values.set("mass_3", 0.3);
  values.set("side", 2.0);
  double const G = 4.0;
  auto const bodies = entry.make(values, G);
  double const omega = std::sqrt(G * 6.3 / 8.0);
  for (std::size_t i = 0; i < 3; ++i) {
    Vec3<double> acceleration;
    for (std::size_t j = 0; j < 3; ++j) {
      if (j == i) continue;
      auto const separation = bodies.position[j] - bodies.position[i];
      CHECK(relative_error(norm(separation), 2.0) < 1e-15);
      acceleration += (G * bodies.mass[j] / std::pow(norm(separation), 3)) * separation;
    }
    CHECK(norm(acceleration + (omega * omega) * bodies.position[i]) < 1e-14);
    CHECK(norm(bodies.velocity[i] - cross(Vec3<double>{0.0, 0.0, omega}, bodies.position[i])) <
          1e-14);
  }
}

TEST_CASE("solar system: positions, velocities and periods of the planets at J2000") {
  auto const& entry = model("solar_system");
  auto values = values_for(entry);
  double const G = 39.476926421373;  // Gauss: k = 0.01720209895 per day, in Julian years
  auto const bodies = entry.make(values, G);
  REQUIRE(bodies.size() == 9);
  // Positions: heliocentric, ecliptic of J2000 [au], check values of VSOP87A (Bretagnon & Francou
  // 1988, A&A 202, 309). The centre of the Earth is 3.1e-5 au from its barycentre with the Moon.
  // Errors, as a fraction of the distance: those stated by JPL, but at least 0.008 au, the motion
  // of the Sun about the barycentre, which a heliocentric ellipse does not include. Periods [days]:
  // Seidelmann 1992, Explanatory Supplement, table 15.6 (sidereal).
  struct {
    Vec3<double> position;
    double error, period;
  } const known[] = {{{-0.1300934115, -0.4472876716, -0.0245983802}, 1e-4, 87.969},
                     {{-0.7183022797, -0.0326546017, 0.0410142975}, 1e-4, 224.701},
                     {{-0.1771354586, 0.9672416237, -0.0000039000}, 1e-4, 365.256},
                     {{1.3907159264, -0.0134157043, -0.0344677967}, 2e-4, 686.980},
                     {{4.0011740268, 2.9385810077, -0.1017837501}, 2e-3, 4332.59},
                     {{6.4064068573, 6.5699929449, -0.3690768029}, 3e-3, 10759.22},
                     {{14.4318934159, -13.7343162527, -0.2381421963}, 5e-4, 30685.4},
                     {{16.8121116576, -24.9916630908, 0.1272190171}, 2.7e-4, 60189.0}};
  double const day = 1.0 / 365.25;
  auto const bodies_at_epoch = [&](double epoch) {
    values.set("epoch", epoch);
    return entry.make(values, G);
  };
  auto const before = bodies_at_epoch(2451545.0 - 1.0), after = bodies_at_epoch(2451545.0 + 1.0);
  for (std::size_t k = 0; k < 8; ++k) {
    CAPTURE(k);
    auto const from_sun = [k](HostBodies const& system) {
      return system.position[k + 1] - system.position[0];
    };
    auto const x = from_sun(bodies);
    auto const v = bodies.velocity[k + 1] - bodies.velocity[0];
    CHECK(norm(x - known[k].position) < known[k].error * norm(x));
    // The velocity agrees with the orbit and with the positions a day before and after.
    auto const difference = (0.5 / day) * (from_sun(after) - from_sun(before));
    CHECK(norm(v - difference) < 2e-3 * norm(v));
    double const gravity = G * (1.0 + bodies.mass[k + 1]);
    Osculating const orbit(x, v, gravity);
    double const period = 2.0 * pi * std::sqrt(std::pow(orbit.semi_major_axis, 3) / gravity);
    CHECK(relative_error(period / day, known[k].period) < 1e-3);
  }
  // Masses in kilograms, with 1.98841e30 kg for the Sun.
  CHECK(relative_error(bodies.mass[5] * 1.98841e30, 1.89852e27) < 1e-4);
  CHECK(relative_error(bodies.mass[3] * 1.98841e30, 5.97217e24 + 7.346e22) < 1e-4);
}
