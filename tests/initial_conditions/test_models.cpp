// SPDX-License-Identifier: Apache-2.0
#include "support/measured.hpp"
#include "support/models.hpp"
#include "support/relative.hpp"
#include <apsis/initial_conditions/model.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::model;
using apsis::testing::values_for;

namespace {

void check_bodies(HostBodies const& bodies) {
  for (auto const& m : bodies.mass) CHECK_UNARY(m >= 0.0 && std::isfinite(m));
  for (auto const& x : bodies.position) CHECK_UNARY(std::isfinite(norm(x)));
  for (auto const& v : bodies.velocity) CHECK_UNARY(std::isfinite(norm(v)));
  for (std::size_t i = 0; i < bodies.size(); ++i) CHECK_UNARY(bodies.id[i] == i);
}

}  // namespace

TEST_CASE("every model creates the requested number of bodies") {
  for (auto const& entry : initial_conditions::models()) {
    CAPTURE(entry.name);
    CHECK(!entry.doc.empty());
    bool const has_count = values_for(entry).has("seed");
    if (!has_count) continue;
    for (std::int64_t const count : {0, 1, 2, 1000}) {
      auto const values = values_for(entry, count);
      CHECK(entry.count(values) == count);
      auto const bodies = entry.make(values, 1.0);
      CHECK(static_cast<std::int64_t>(bodies.size()) == count);
      check_bodies(bodies);
    }
    auto const first = entry.make(values_for(entry, 100, 1), 1.0);
    CHECK((first.position == entry.make(values_for(entry, 100, 1), 1.0).position));
    CHECK((first.position != entry.make(values_for(entry, 100, 2), 1.0).position));
  }
}

TEST_CASE("models of few bodies create the stated number of bodies, centred and at rest") {
  int models = 0;
  for (auto const& entry : initial_conditions::models()) {
    if (values_for(entry).has("seed") || entry.name == "composite") continue;
    CAPTURE(entry.name);
    auto const values = values_for(entry);
    auto const bodies = entry.make(values, 1.0);
    CHECK(entry.count(values) == static_cast<std::int64_t>(bodies.size()));
    check_bodies(bodies);
    Vec3<double> position, momentum;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      position += bodies.mass[i] * bodies.position[i];
      momentum += bodies.mass[i] * bodies.velocity[i];
    }
    CHECK(norm(position) < 1e-15);
    CHECK(norm(momentum) < 1e-15);
    ++models;
  }
  CHECK(models == 5);
}

TEST_CASE("a Plummer sphere has the correct profile, energy and virial ratio") {
  constexpr std::int64_t count = 20000;
  auto const& entry = model("plummer");
  auto values = values_for(entry, count, 5);
  double const a = values.number("scale_radius");
  CHECK(a == approximately(0.589048622548086));
  auto const bodies = entry.make(values, 1.0);
  std::vector<double> radii;
  for (auto const& x : bodies.position) radii.push_back(norm(x));
  std::sort(radii.begin(), radii.end());
  // Henon units: r_10% = 0.308678, r_h = 0.768571, r_90% = 2.183670; errors of order N^(-1/2).
  CHECK(radii[count / 10] == approximately(0.308678, 0.03));
  CHECK(radii[count / 2] == approximately(0.768571, 0.02));
  CHECK(radii[count * 9 / 10] == approximately(2.183670, 0.03));
  auto const system = testing::measured<double>(bodies, {1.0, 0.0});
  CHECK(system.mass == approximately(1.0));
  CHECK(system.total() == approximately(-0.25, 0.02));
  CHECK(system.virial_ratio() == approximately(0.5, 0.02));
  CHECK(norm(system.momentum) < 1e-15);
  // No body is faster than the local escape speed.
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double const escape =
        std::sqrt(2.0 / std::sqrt(a * a + dot(bodies.position[i], bodies.position[i])));
    CHECK_UNARY(norm(bodies.velocity[i]) < 1.05 * escape);
  }
}

TEST_CASE("a truncated Plummer sphere ends at its radius and equals the infinite sphere inside") {
  constexpr std::int64_t count = 20000;
  auto values = values_for(model("plummer"), count);
  values.set("scale_radius", 2.0);
  auto const farthest = [&] {
    double largest = 0.0;
    for (auto const& x : model("plummer").make(values, 1.0).position) {
      largest = std::max(largest, norm(x));
    }
    return largest;
  };
  CHECK(farthest() <= 2.0 * 38.7);
  CHECK(farthest() > 2.0 * 20.0);
  values.set("truncation", 3.0);
  CHECK(farthest() <= 6.0);
  CHECK(farthest() > 5.9);
  // The mass inside a is 2^(-3/2) of that of the infinite sphere, M = (1 + 1 / 9)^(3/2). The mean
  // squared speed is G M / (2 sqrt(r^2 + a^2)).
  auto const bodies = model("plummer").make(values, 1.0);
  double const infinite_mass = std::pow(10.0 / 9.0, 1.5);
  double inside = 0.0, ratio = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const x = bodies.position[i], v = bodies.velocity[i];
    inside += norm(x) < 2.0 ? 1.0 / count : 0.0;
    ratio += 2.0 * dot(v, v) * std::sqrt(dot(x, x) + 4.0) / infinite_mass / count;
  }
  CHECK(inside == approximately(infinite_mass * std::pow(2.0, -1.5), 0.03));
  CHECK(ratio == approximately(1.0, 0.02));
}

TEST_CASE("a Plummer sphere scales with G, mass and radius") {
  auto const& entry = model("plummer");
  auto values = values_for(entry, 3000);
  values.set("mass", 5.0);
  values.set("scale_radius", 2.0);
  auto const system = testing::measured<double>(entry.make(values, 3.0), {3.0, 0.0});
  CHECK(system.mass == approximately(5.0));
  // E = -3 pi G M^2 / (64 a)
  CHECK(system.total() == approximately(-3.0 * std::numbers::pi * 3.0 * 25.0 / 128.0, 0.05));
  CHECK(system.virial_ratio() == approximately(0.5, 0.05));
}

TEST_CASE("the configurations of the CUDA sample have the shape of the sample") {
  constexpr std::int64_t count = 4096;
  auto const values = values_for(model("random"), count);
  double const cluster = 1.54, velocity = 8.0;

  auto const random = model("random").make(values, 1.0);
  double const scale = cluster * 4.0;  // N / 1024
  double largest = 0.0, mean = 0.0;
  for (auto const& x : random.position) {
    largest = std::max(largest, norm(x));
    mean += norm(x) / count;
  }
  CHECK(largest <= scale);
  CHECK(mean == approximately(0.75 * scale, 0.02));  // a uniform ball
  for (auto const& v : random.velocity) CHECK_UNARY(norm(v) <= velocity * scale);
  CHECK(random.mass[17] == 1.0);

  auto const expand = model("expand").make(values, 1.0);
  for (std::size_t i = 0; i < expand.size(); ++i) {
    CHECK_UNARY(norm(expand.velocity[i] - (velocity * cluster * 4.0 / scale) * expand.position[i]) <
                1e-12 * velocity * scale);
  }

  auto const shell = model("shell").make(values, 1.0);
  for (std::size_t i = 0; i < shell.size(); ++i) {
    auto const x = shell.position[i];
    auto const v = shell.velocity[i];
    CHECK_UNARY(norm(x) <= 4.0 * cluster * (1.0 + 1e-15));
    CHECK_UNARY(norm(x) >= 2.5 * cluster * (1.0 - 1e-15));
    // Rigid rotation about z: v = (x cross z) s velocity.
    if (std::abs(x.z) < 3.0 * cluster) {
      CHECK_UNARY(std::abs(v.x - x.y * cluster * velocity) < 1e-10);
      CHECK_UNARY(std::abs(v.y + x.x * cluster * velocity) < 1e-10);
      CHECK_UNARY(v.z == 0.0);
    }
  }
  // The size of the shell does not depend on N.
  auto const small = model("shell").make(values_for(model("shell"), 10), 1.0);
  for (auto const& x : small.position) CHECK_UNARY(norm(x) >= 2.5 * cluster * (1.0 - 1e-15));
}
