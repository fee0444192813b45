// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/orbit.hpp"
#include "support/models.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

using namespace apsis;
using namespace apsis::initial_conditions;
using apsis::testing::approximately;
using apsis::testing::model;
using apsis::testing::relative_error;
using apsis::testing::values_for;

namespace {

Values part(std::string const& generator, Values bodies) {
  bodies.set("generator", generator);
  Values values;
  values.set("bodies", std::make_shared<Values const>(std::move(bodies)));
  for (auto const* name : {"position", "velocity"}) values.set(name, Vec3<double>{});
  for (auto const* name : {"inclination", "node", "argument"}) values.set(name, 0.0);
  return values;
}

}  // namespace

TEST_CASE("rotations turn z as given by node and inclination and preserve lengths and handedness") {
  Rotation const rotated(30.0, 60.0, 0.0);
  auto const z = rotated({0.0, 0.0, 1.0});
  // The axis of an orbit points to (sin i sin node, -sin i cos node, cos i).
  CHECK(relative_error(z.x, std::sqrt(0.75) * 0.5) < 1e-15);
  CHECK(relative_error(z.y, -std::sqrt(0.75) * std::sqrt(0.75)) < 1e-15);
  CHECK(relative_error(z.z, 0.5) < 1e-15);
  Rotation const any(12.0, 34.0, 56.0);
  auto const a = any({1.0, 0.0, 0.0}), b = any({0.0, 1.0, 0.0}), c = any({0.0, 0.0, 1.0});
  CHECK(norm(cross(a, b) - c) < 1e-15);
  CHECK(relative_error(norm(a), 1.0) < 1e-15);
  // The node is in the x-y plane; the argument is measured from it.
  Rotation const to_node(12.0, 34.0, 0.0);
  CHECK(norm(to_node({1.0, 0.0, 0.0}) - Vec3<double>{std::cos(0.20943951023931953),
                                                     std::sin(0.20943951023931953), 0.0}) < 1e-15);
}

TEST_CASE("a composite has its parts rotated and moved, is at rest and has unique ids") {
  auto first = part("plummer", values_for(model("plummer"), 100, 3));
  auto second = part("disk_galaxy", values_for(model("disk_galaxy"), 200, 4));
  second.set("position", Vec3<double>{10.0, 0.0, 1.0});
  second.set("velocity", Vec3<double>{0.0, -0.5, 0.0});
  second.set("inclination", 90.0);
  second.set("node", 180.0);
  auto third = part("kepler", values_for(model("kepler")));
  Values values;
  values.set("parts", std::vector<Values>{first, second, third});
  auto const& entry = model("composite");
  CHECK(entry.check(values, unit_systems().front()).empty());
  CHECK(entry.count(values) == 302);
  auto const bodies = entry.make(values, 1.0);
  REQUIRE(bodies.size() == 302);
  CHECK(std::set<std::uint64_t>(bodies.id.begin(), bodies.id.end()).size() == 302);

  auto const plummer = model("plummer").make(values_for(model("plummer"), 100, 3), 1.0);
  auto const galaxy = model("disk_galaxy").make(values_for(model("disk_galaxy"), 200, 4), 1.0);
  auto const boost = bodies.velocity[0] - plummer.velocity[0];
  Vec3<double> momentum;
  double mass = 0.0;
  for (std::size_t i = 0; i < 302; ++i) {
    mass += bodies.mass[i];
    momentum += bodies.mass[i] * bodies.velocity[i];
  }
  CHECK(mass == approximately(1.0 + 6.0 + 1.0));
  CHECK(norm(momentum) < 1e-12);
  // The galaxy has 6/8 of the mass: all bodies are boosted by -6/8 of its velocity.
  CHECK(relative_error(boost.y, 0.375) < 1e-13);
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK_UNARY(bodies.position[i] == plummer.position[i]);
  }
  for (std::size_t i = 0; i < 200; ++i) {
    // Rotation by 90 degrees about x, (x, y, z) -> (x, -z, y), then by 180 degrees about z.
    auto const x = galaxy.position[i], v = galaxy.velocity[i];
    Vec3<double> const expected_x{10.0 - x.x, x.z, x.y + 1.0}, expected_v{-v.x, v.z - 0.5, v.y};
    CHECK_UNARY(norm(bodies.position[100 + i] - expected_x) < 1e-12 * (1.0 + norm(x)));
    CHECK_UNARY(norm(bodies.velocity[100 + i] - boost - expected_v) < 1e-12);
  }
}

TEST_CASE("a composite reports which of its parts has conflicting values") {
  auto good = part("plummer", values_for(model("plummer"), 10));
  auto king = values_for(model("king"), 10);
  king.set("core_radius", 1.0);
  king.set("virial_radius", 1.0);
  Values values;
  values.set("parts", std::vector<Values>{good, part("king", king)});
  auto const problems = model("composite").check(values, unit_systems().front());
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].where == "parts[1].bodies.core_radius");
}

TEST_CASE("an approaching body is on the requested conic") {
  double const G = 1.7;
  for (double const e : {0.0, 0.3, 0.97, 1.0, 1.0 + 1e-9, 4.0}) {
    for (double const q : {0.25, 3.0}) {
      double const far = std::min(farthest(q, e), 1e6 * q);
      for (double const share : {0.0, 0.001, 0.4, 1.0}) {
        CAPTURE(e);
        CAPTURE(q);
        CAPTURE(share);
        double const d = q + share * (far - q);
        auto const [x, v] = state_on_approach(q, e, d, G);
        CHECK(norm(x - Vec3<double>{d, 0.0, 0.0}) == 0.0);
        CHECK(v.x <= 0.0);
        CHECK(v.z == 0.0);
        // Pericentre and eccentricity of the conic follow from its energy and angular momentum:
        // 2 E r^2 + 2 G r - L^2 = 0 at the apsides.
        long double const L = static_cast<long double>(d) * v.y;
        long double const vis_viva = static_cast<long double>(v.x) * v.x +
                                     static_cast<long double>(v.y) * v.y - 2.0L * G / d;
        CHECK(std::abs(vis_viva * q * q + 2.0L * G * q - L * L) <
              1e-14L * (1.0L + e) * (2.0L * G * q));
        CHECK(std::abs(1.0L + vis_viva * q / G - e) < 1e-13L * (1.0L + e));
      }
    }
  }
  CHECK(farthest(2.0, 0.5) == 6.0);
  CHECK(std::isinf(farthest(2.0, 1.0)));
}

TEST_CASE("the time to pericentre agrees with an integral along every conic") {
  double const G = 1.3, q = 0.7;
  for (double const e : {0.0, 0.2, 0.9, 1.0, 1.0 + 1e-5, 1.8}) {
    CAPTURE(e);
    double const d = e < 1.0 ? 0.5 * (q + farthest(q, e)) + (e == 0.0 ? 0.0 : 1e-3) : 6.0;
    if (e == 0.0) {
      CHECK(time_to_pericentre(q, e, q, G) == 0.0);
      continue;
    }
    // Simpson's rule over the true anomaly: dt = r^2 df / L, from Kepler's second law.
    double const p = q * (1.0 + e), L = std::sqrt(G * p);
    double const f = std::acos((p / d - 1.0) / e);
    constexpr int n = 20000;
    long double sum = 0.0L;
    for (int k = 0; k <= n; ++k) {
      long double const r = p / (1.0L + e * std::cos(static_cast<long double>(f) * k / n));
      sum += r * r * (k == 0 || k == n ? 1 : k % 2 == 1 ? 4 : 2);
    }
    auto const time = static_cast<double>(sum * f / n / 3.0L / L);
    CHECK(time_to_pericentre(q, e, d, G) == approximately(time, 1e-7));
  }
}

TEST_CASE("a part approaches the first part on the two-body orbit of both masses") {
  auto first = part("plummer", values_for(model("plummer"), 100, 3));
  first.set("position", Vec3<double>{1.0, 2.0, 3.0});
  auto second = part("plummer", values_for(model("plummer"), 50, 4));
  auto const orbit = [](double pericentre, double eccentricity, double separation) {
    Values values;
    values.set("pericentre", pericentre);
    values.set("eccentricity", eccentricity);
    values.set("separation", separation);
    return std::make_shared<Values const>(std::move(values));
  };
  second.set("orbit", orbit(3.0, 1.0, 20.0));
  second.set("inclination", 60.0);
  Values values;
  values.set("parts", std::vector<Values>{first, second});
  auto const& entry = model("composite");
  CHECK(entry.check(values, unit_systems().front()).empty());
  auto const bodies = entry.make(values, 2.0);
  auto const centre_of = [&](std::size_t begin, std::size_t end) {
    Vec3<double> x, v;
    double mass = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      mass += bodies.mass[i];
      x += bodies.mass[i] * bodies.position[i];
      v += bodies.mass[i] * bodies.velocity[i];
    }
    return OrbitalState{(1.0 / mass) * x, (1.0 / mass) * v};
  };
  // The offset of the centre of mass of a model from its origin is rotated with the model.
  auto const offset = [&](std::size_t count, std::uint64_t seed) {
    auto const single = model("plummer").make(values_for(model("plummer"), count, seed), 2.0);
    Vec3<double> x;
    for (auto const& each : single.position) x += (1.0 / static_cast<double>(count)) * each;
    return x;
  };
  auto const a = centre_of(0, 100), b = centre_of(100, 150);
  auto const unrotated = offset(50, 4);
  Vec3<double> const rotated{unrotated.x, unrotated.y * 0.5 - unrotated.z * std::sqrt(0.75),
                             unrotated.y * std::sqrt(0.75) + unrotated.z * 0.5};
  CHECK(norm(a.position - offset(100, 3) - Vec3<double>{1.0, 2.0, 3.0}) < 1e-13);
  CHECK(norm(b.position - rotated - Vec3<double>{21.0, 2.0, 3.0}) < 1e-13);
  // Parabola with G (m + m') = 4 and pericentre 3: v^2 = 8 / d, d v_t = sqrt(2 * 4 * 3).
  auto const v = b.velocity - a.velocity;
  CHECK(v.y == approximately(std::sqrt(24.0) / 20.0, 1e-13));
  CHECK(norm(v) == approximately(std::sqrt(8.0 / 20.0), 1e-13));
  CHECK(v.x < 0.0);

  auto const refused = [&](std::size_t k, auto const& change) {
    std::vector<Values> parts{first, second};
    change(parts[k]);
    values.set("parts", parts);
    auto const problems = entry.check(values, unit_systems().front());
    REQUIRE(problems.size() == 1);
    return problems[0].where + ": " + problems[0].problem + "; " + problems[0].advice;
  };
  CHECK(refused(0, [&](Values& one) { one.set("orbit", orbit(3.0, 1.0, 20.0)); }) ==
        "parts[0].orbit: the first part cannot have an orbit; move the orbit to a later part");
  CHECK(refused(1, [&](Values& one) {
          one.set("velocity", Vec3<double>{0.0, 1.0, 0.0});
        }) == "parts[1].orbit: conflicts with 'velocity'; remove one of them");
  CHECK(
      refused(1, [&](Values& one) { one.set("orbit", orbit(3.0, 0.5, 20.0)); }) ==
      "parts[1].orbit.separation: not on the orbit; set a value from 3, the pericentre, to 9, the "
      "apocentre");
  CHECK(refused(1, [&](Values& one) { one.set("orbit", orbit(3.0, 1.5, 2.0)); }) ==
        "parts[1].orbit.separation: not on the orbit; set a value of at least 3, the pericentre");
}
