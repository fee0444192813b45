// SPDX-License-Identifier: Apache-2.0
#include "support/models.hpp"
#include "support/relative.hpp"
#include <apsis/initial_conditions/orbit.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <set>

using namespace apsis;
using namespace apsis::initial_conditions;
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

TEST_CASE(
    "rotations turn z where the node and the inclination say, and keep lengths and handedness") {
  Rotation const turned(30.0, 60.0, 0.0);
  auto const z = turned({0.0, 0.0, 1.0});
  // The axis of an orbit leans to (sin i sin node, -sin i cos node, cos i).
  CHECK(relative_error(z.x, std::sqrt(0.75) * 0.5) < 1e-15);
  CHECK(relative_error(z.y, -std::sqrt(0.75) * std::sqrt(0.75)) < 1e-15);
  CHECK(relative_error(z.z, 0.5) < 1e-15);
  Rotation const any(12.0, 34.0, 56.0);
  auto const a = any({1.0, 0.0, 0.0}), b = any({0.0, 1.0, 0.0}), c = any({0.0, 0.0, 1.0});
  CHECK(norm(cross(a, b) - c) < 1e-15);
  CHECK(relative_error(norm(a), 1.0) < 1e-15);
  // The node lies in the x-y plane; the argument counts from it.
  Rotation const to_node(12.0, 34.0, 0.0);
  CHECK(norm(to_node({1.0, 0.0, 0.0}) - Vec3<double>{std::cos(0.20943951023931953),
                                                     std::sin(0.20943951023931953), 0.0}) < 1e-15);
}

TEST_CASE("a composite holds its parts, turned and placed, at rest, with ids of its own") {
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
  CHECK(mass == doctest::Approx(1.0 + 6.0 + 1.0));
  CHECK(norm(momentum) < 1e-12);
  // The galaxy has 6 of 8 masses: the rest goes the other way by 6 / 8 of its velocity.
  CHECK(relative_error(boost.y, 0.375) < 1e-13);
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK_UNARY(bodies.position[i] == plummer.position[i]);
  }
  for (std::size_t i = 0; i < 200; ++i) {
    // By 90 degrees about x: (x, y, z) -> (x, -z, y); then by 180 about z.
    auto const x = galaxy.position[i], v = galaxy.velocity[i];
    Vec3<double> const at{10.0 - x.x, x.z, x.y + 1.0}, with{-v.x, v.z - 0.5, v.y};
    CHECK_UNARY(norm(bodies.position[100 + i] - at) < 1e-12 * (1.0 + norm(x)));
    CHECK_UNARY(norm(bodies.velocity[100 + i] - boost - with) < 1e-12);
  }
}

TEST_CASE("a composite says which of its parts contradicts itself") {
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
