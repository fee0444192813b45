// SPDX-License-Identifier: Apache-2.0
#include "simulation/collisions.hpp"
#include "support/relative.hpp"
#include "support/suites.hpp"
#include <apsis/diagnostics/conservation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

using namespace apsis;
using apsis::testing::approximately;
using simulation::ChangingBodies;
using simulation::EventKind;

namespace {

constexpr double farthest = 1e100;

deck::CollisionsPlan const merging{deck::OnCollision::merge, 1.0, {}};

double energy(HostBodies const& bodies) {
  double sum = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    sum += 0.5 * bodies.mass[i] * dot(bodies.velocity[i], bodies.velocity[i]);
    for (std::size_t j = 0; j < i; ++j) {
      double const mm = bodies.mass[i] * bodies.mass[j];
      if (mm > 0.0) sum -= mm / norm(bodies.position[i] - bodies.position[j]);
    }
  }
  return sum;
}

Vec3<double> momentum(HostBodies const& bodies) {
  Vec3<double> sum;
  for (std::size_t i = 0; i < bodies.size(); ++i) sum += bodies.mass[i] * bodies.velocity[i];
  return sum;
}

Vec3<double> angular_momentum(HostBodies const& bodies) {
  Vec3<double> sum;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    sum += bodies.mass[i] * cross(bodies.position[i], bodies.velocity[i]);
  }
  return sum;
}

/// The bodies in another order of rows.
HostBodies shuffled(HostBodies const& bodies, std::vector<std::size_t> const& order) {
  HostBodies result(bodies.size());
  result.radius.resize(bodies.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto const k = order[i];
    result.mass[i] = bodies.mass[k];
    result.position[i] = bodies.position[k];
    result.velocity[i] = bodies.velocity[k];
    result.id[i] = bodies.id[k];
    result.radius[i] = bodies.radius[k];
  }
  return result;
}

/// 24 pairs that touch at the same time, and a star.
HostBodies touching_pairs() {
  HostBodies bodies(49);
  bodies.radius.assign(49, 0.01);
  bodies.mass[48] = 1.0;
  for (std::size_t k = 0; k < 24; ++k) {
    double const angle = 0.26 * static_cast<double>(k);
    Vec3<double> const place{(2.0 + 0.1 * static_cast<double>(k)) * std::cos(angle),
                             3.0 * std::sin(angle), 0.05 * angle};
    for (std::size_t side : {0, 1}) {
      auto const i = 2 * k + side;
      double const sign = side == 0 ? 1.0 : -1.0;
      bodies.mass[i] = 1e-3 * (1.0 + 0.3 * static_cast<double>(i % 5));
      bodies.position[i] = place + (0.0099999 * sign) * Vec3<double>{0.6, 0.8, 0.0};
      bodies.velocity[i] = {-0.6 * sign, -0.7 * sign, 0.1 * angle};
    }
  }
  return bodies;
}

}  // namespace

TEST_CASE("two bodies that merge conserve momentum, and the rest goes to the books") {
  HostBodies bodies(2);
  bodies.mass = {1.0, 0.5};
  bodies.position = {{}, {0.01, 0.0, 0.0}};
  bodies.velocity = {{0.0, 0.2, 0.0}, {0.0, -1.4, 0.3}};
  bodies.radius = {0.006, 0.004};
  double const before = energy(bodies);
  auto const spin_before = angular_momentum(bodies);
  auto const events = ChangingBodies(bodies, {1.0, 0.0}, farthest).collide({{0, 1}}, merging, 2.5);
  REQUIRE(events.size() == 1);
  auto const& event = events.front();
  CHECK(event.kind == EventKind::merge);
  CHECK(event.time == 2.5);
  CHECK(event.first == 0);
  CHECK(event.second == 1);
  CHECK(event.distance == 0.01);
  CHECK(event.speed == approximately(std::sqrt(2.65), 1e-15));
  CHECK(event.first_mass == 1.0);
  CHECK(event.second_mass == 0.5);
  CHECK(event.moved.energy == approximately(-49.55833333333333, 1e-15));
  CHECK(norm(event.moved.momentum) == 0.0);
  CHECK(bodies.mass[0] == 1.5);
  CHECK(bodies.mass[1] == 0.0);
  CHECK(std::abs(bodies.position[0].x - 0.0033333333333333335) < 1e-17);
  CHECK(bodies.velocity[0].y == approximately(-1.0 / 3.0, 1e-15));
  CHECK(bodies.velocity[0].z == approximately(0.1, 1e-15));
  CHECK(bodies.radius[0] == approximately(std::cbrt(0.006 * 0.006 * 0.006 + 6.4e-8), 1e-15));
  CHECK(ChangingBodies::is_gone(bodies, 1));
  CHECK(norm(bodies.position[1] - bodies.position[0]) > 1e5);
  CHECK(energy(bodies) + event.moved.energy == approximately(before, 1e-14));
  CHECK(norm(angular_momentum(bodies) + event.moved.angular_momentum - spin_before) < 1e-16);
}

TEST_CASE("24 simultaneous mergers are all handled, with the same bits for any order of rows" *
          testing::thread_counts) {
  auto const start = touching_pairs();
  std::vector<std::size_t> order(start.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::optional<HostBodies> first;
  std::vector<simulation::Event> first_events;
  std::mt19937 random(7);
  for (int trial = 0; trial < 4; ++trial) {
    auto bodies = shuffled(start, order);
    double const before = energy(bodies);
    auto const p = momentum(bodies), l = angular_momentum(bodies);
    ChangingBodies changing(bodies, {1.0, 0.0}, farthest);
    auto const pairs = changing.touching_pairs();
    CHECK(pairs.size() == 24);
    auto const events = changing.collide(pairs, merging, 0.0);
    REQUIRE(events.size() == 24);
    diagnostics::Moved moved;
    for (std::size_t k = 0; k < 24; ++k) {
      CHECK(std::min(events[k].first, *events[k].second) == 2 * k);  // sorted by id
      moved += events[k].moved;
    }
    CHECK(energy(bodies) + moved.energy == approximately(before, 1e-13));
    CHECK(norm(momentum(bodies) - p) < 1e-15);
    CHECK(norm(angular_momentum(bodies) + moved.angular_momentum - l) < 1e-14);
    std::vector<std::size_t> back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
    bodies = shuffled(bodies, back);
    if (!first) {
      first = bodies;
      first_events = events;
    }
    CHECK(bodies.mass == first->mass);
    CHECK(bodies.radius == first->radius);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      CHECK(bodies.position[i] == first->position[i]);
      CHECK(bodies.velocity[i] == first->velocity[i]);
    }
    for (std::size_t k = 0; k < 24; ++k) {
      CHECK(events[k].moved.energy == first_events[k].moved.energy);
    }
    std::shuffle(order.begin(), order.end(), random);
  }
}

TEST_CASE("a body in several contacts is merged into the heaviest, and what it then touches too") {
  HostBodies bodies(5);
  bodies.id = {40, 30, 20, 10, 50};
  bodies.mass = {1.0, 1.0, 2.0, 0.0, 0.5};
  bodies.position = {{-0.1, 0, 0}, {0.1, 0, 0}, {0, 0.17, 0}, {0, 0, 0.099}, {5, 0, 0}};
  bodies.velocity = {{0.1, 0, 0}, {-0.1, 0, 0}, {0, -0.1, 0}, {0, 0, 0.1}, {}};
  bodies.radius = {0.1, 0.1, 0.1, 0.0, 0.1};
  // Body 10 lies just outside the others, but not outside of what is made of them.
  auto const events =
      ChangingBodies(bodies, {1.0, 0.0}, farthest).collide({{0, 1}, {1, 2}, {2, 0}}, merging, 0.0);
  REQUIRE(events.size() == 3);
  CHECK(events[0].first == 20);
  CHECK(events[0].second == 30);
  CHECK(events[1].first == 20);
  CHECK(events[1].second == 40);
  CHECK(events[2].second == 10);
  CHECK(bodies.mass[2] == 4.0);
  CHECK(bodies.mass == std::vector<double>{0.0, 0.0, 4.0, 0.0, 0.5});
  HostBodies equal(2);
  equal.id = {9, 4};
  equal.mass = {1.0, 1.0};
  equal.position = {{}, {0.1, 0, 0}};
  equal.velocity = {{}, {-1, 0, 0}};
  equal.radius = {0.1, 0.1};
  ChangingBodies(equal, {1.0, 0.0}, farthest).collide({{0, 1}}, merging, 0.0);
  CHECK(equal.mass == std::vector<double>{0.0, 2.0});  // the lower id remains
}

TEST_CASE("a bounce reverses the approach and conserves momentum and energy with the books") {
  for (double const restitution : {1.0, 0.5, 0.0}) {
    CAPTURE(restitution);
    HostBodies bodies(3);
    bodies.mass = {2.0, 1.0, 0.3};
    bodies.position = {{}, {0.19, 0.0, 0.0}, {1.0, 2.0, 0.0}};  // 0.01 too close
    bodies.velocity = {{1.0, 0.1, 0.0}, {-0.5, 0.4, 0.2}, {}};
    bodies.radius = {0.1, 0.1, 0.0};
    double const before = energy(bodies);
    auto const p = momentum(bodies), l = angular_momentum(bodies);
    auto const events = ChangingBodies(bodies, {1.0, 0.0}, farthest)
                            .collide({{1, 0}}, {deck::OnCollision::bounce, restitution, {}}, 0.0);
    REQUIRE(events.size() == 1);
    auto const& moved = events[0].moved;
    auto const v = bodies.velocity[1] - bodies.velocity[0];
    CHECK(std::abs(v.x - 1.5 * restitution) < 1e-15);
    CHECK(v.y == approximately(0.3, 1e-15));
    CHECK(norm(bodies.position[1] - bodies.position[0]) == approximately(0.2, 1e-15));
    CHECK(norm(momentum(bodies) - p) < 1e-15);
    CHECK(energy(bodies) + moved.energy == approximately(before, 1e-14));
    CHECK(norm(angular_momentum(bodies) + moved.angular_momentum - l) < 1e-15);
  }
}

TEST_CASE("an inelastic bounce is not slower than the slowest rebound") {
  constexpr double slowest = 0.01;
  for (auto const& [restitution, approach] :
       {std::pair(0.5, 1.0), std::pair(0.5, 1e-3), std::pair(0.0, 1.0), std::pair(1.0, 1e-3)}) {
    CAPTURE(restitution);
    CAPTURE(approach);
    HostBodies bodies(2);
    bodies.mass = {2.0, 1.0};
    bodies.position = {{}, {0.2, 0.0, 0.0}};
    bodies.velocity = {{}, {-approach, 0.4, 0.0}};
    bodies.radius = {0.1, 0.1};
    double const before = energy(bodies);
    auto const p = momentum(bodies);
    auto const events =
        ChangingBodies(bodies, {1.0, 0.0}, farthest)
            .collide({{0, 1}}, {deck::OnCollision::bounce, restitution, slowest, {}}, 0.0);
    REQUIRE(events.size() == 1);
    double const escape = std::sqrt(2.0 * 3.0 / 0.2);
    double const rebound = bodies.velocity[1].x - bodies.velocity[0].x;
    double const expected =
        restitution == 1.0 ? approach : std::max(restitution * approach, slowest * escape);
    CHECK(rebound == approximately(expected, 1e-14));
    CHECK(energy(bodies) + events[0].moved.energy == approximately(before, 1e-14));
    CHECK(norm(momentum(bodies) - p) < 1e-15);
  }
}

TEST_CASE("massless bodies that are merged add no volume") {
  for (double const mass : {0.0, 0.5}) {
    HostBodies bodies(2);
    bodies.mass = {1.0, mass};
    bodies.position = {{}, {0.015, 0.0, 0.0}};
    bodies.velocity = {{}, {-1.0, 0.0, 0.0}};
    bodies.radius = {0.01, 0.005};
    ChangingBodies(bodies, {1.0, 0.0}, farthest).collide({{0, 1}}, merging, 0.0);
    CHECK(bodies.mass[0] == 1.0 + mass);
    double const radius = mass == 0.0 ? 0.01 : std::cbrt(1e-6 + 1.25e-7);
    CHECK(bodies.radius[0] == approximately(radius, 1e-15));
  }
}

TEST_CASE("removal spares the heaviest body and moves energy and momentum to the books") {
  HostBodies bodies(4);
  bodies.mass = {0.1, 1.0, 0.0, 0.2};
  bodies.position = {{50.0, 0, 0}, {}, {0, -60.0, 0}, {1.0, 0, 0}};
  bodies.velocity = {{1.0, 0.3, 0}, {0.1, 0, 0}, {}, {0, 1.0, 0}};
  bodies.radius.assign(4, 0.0);
  auto const internal = [](HostBodies const& some) {
    double mass = 0.0;
    for (double const m : some.mass) mass += m;
    return energy(some) - 0.5 * dot(momentum(some), momentum(some)) / mass;
  };
  auto const start = bodies;
  deck::RemovalPlan plan{.beyond = 20.0};
  CHECK(ChangingBodies::is_any_beyond(bodies, 20.0));
  CHECK_FALSE(ChangingBodies::is_any_beyond(bodies, 70.0));
  auto const events = ChangingBodies(bodies, {1.0, 0.0}, farthest).remove(plan, 3.0);
  REQUIRE(events.size() == 2);
  CHECK(events[0].first == 0);
  CHECK_FALSE(events[0].second);
  CHECK(events[1].first == 2);
  CHECK(internal(bodies) + events[0].moved.energy == approximately(internal(start), 1e-14));
  CHECK(norm(momentum(bodies) + events[0].moved.momentum - momentum(start)) < 1e-15);
  CHECK(events[1].moved.energy == 0.0);
  CHECK_FALSE(ChangingBodies::is_any_beyond(bodies, 20.0));

  bodies = start;
  plan.only_unbound = true;  // the massless body is at rest, so it is bound
  CHECK(ChangingBodies(bodies, {1.0, 0.0}, farthest).remove(plan, 3.0).size() == 1);
  bodies = start;
  plan = {.beyond = 20.0, .only_massless = true};
  auto const massless = ChangingBodies(bodies, {1.0, 0.0}, farthest).remove(plan, 3.0);
  REQUIRE(massless.size() == 1);
  CHECK(massless[0].first == 2);
  bodies = start;
  bodies.mass = {3.0, 1.0, 0.0, 0.2};
  CHECK(ChangingBodies(bodies, {1.0, 0.0}, farthest).remove({.beyond = 1e-3}, 0.0).size() == 3);
  CHECK(bodies.mass[0] == 3.0);
}
