// SPDX-License-Identifier: Apache-2.0
#include "forces_alone.hpp"
#include "support/contains.hpp"
#include "support/suites.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace apsis;
using apsis::testing::bodies_for_forces;
using apsis::testing::bound;
using apsis::testing::contains;
using apsis::testing::evaluate;
using apsis::testing::GivenForce;
using apsis::testing::planned;

namespace {

using Long = long double;
using LongVector = Vec3<Long>;

constexpr double light_speed = 7.0, gravitational_constant = 1.3;
GivenForce const eih_force{"einstein_infeld_hoffmann", {{"c", light_speed}}};

forces::ExtraForces bound_equations(HostBodies const& host, double G = gravitational_constant) {
  forces::ExtraForces extra({planned(eih_force)}, {G, {}});
  extra.bind(ExecutionSpace(), bodies_for_forces(host));
  return extra;
}

LongVector long_vector(Vec3<double> const& v) {
  return {v.x, v.y, v.z};
}
Vec3<double> to_double(LongVector const& v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

/// Bodies at random places with random velocities; two of them are massless.
HostBodies random_bodies(unsigned seed) {
  std::mt19937_64 generator(seed);
  auto const uniform = [&] { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1.0; };
  HostBodies host(9);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host.mass[i] = i == 2 || i == 7 ? 0.0 : 1.1 + uniform();
    host.position[i] = {2.0 * uniform(), 2.0 * uniform(), 2.0 * uniform()};
    host.velocity[i] = {uniform(), uniform(), uniform()};
  }
  return host;
}

/// Newtonian field of all other bodies.
struct NewtonianField {
  LongVector acceleration{};
  Long depth = 0;  ///< sum of G m / r
};
NewtonianField newtonian_field(HostBodies const& host, std::size_t i) {
  NewtonianField field;
  for (std::size_t j = 0; j < host.size(); ++j) {
    if (j == i) continue;
    auto const d = long_vector(host.position[j]) - long_vector(host.position[i]);
    Long const r = std::sqrt(dot(d, d)), mu = Long(gravitational_constant) * host.mass[j];
    field.depth += mu / r;
    field.acceleration = field.acceleration + (mu / (r * r * r)) * d;
  }
  return field;
}

/// Equation 1 of Newhall, Standish & Williams 1983 with beta = gamma = 1, without the Newtonian
/// term.
LongVector published_acceleration(HostBodies const& host, std::size_t i) {
  auto const x = [&](std::size_t k) { return long_vector(host.position[k]); };
  auto const v = [&](std::size_t k) { return long_vector(host.velocity[k]); };
  auto const mu = [&](std::size_t k) { return Long(gravitational_constant) * host.mass[k]; };
  auto const distance = [&](std::size_t a, std::size_t b) {
    return std::sqrt(dot(x(a) - x(b), x(a) - x(b)));
  };
  Long const over_c_squared = 1 / (Long(light_speed) * light_speed);
  LongVector sum{};
  for (std::size_t j = 0; j < host.size(); ++j) {
    if (j == i) continue;
    Long const r = distance(i, j);
    Long bracket = 0;
    for (std::size_t k = 0; k < host.size(); ++k) {
      if (k != i) bracket -= 4 * mu(k) / distance(i, k);
      if (k != j) bracket -= mu(k) / distance(j, k);
    }
    auto const acceleration = newtonian_field(host, j).acceleration;
    Long const along = dot(x(i) - x(j), v(j)) / r;
    bracket += dot(v(i), v(i)) + 2 * dot(v(j), v(j)) - 4 * dot(v(i), v(j)) -
               Long(1.5) * along * along + Long(0.5) * dot(x(j) - x(i), acceleration);
    Long const factor = mu(j) / (r * r * r);
    sum = sum + (factor * bracket) * (x(j) - x(i));
    sum = sum + (factor * dot(x(i) - x(j), Long(4) * v(i) - Long(3) * v(j))) * (v(i) - v(j));
    sum = sum + (Long(3.5) * mu(j) / r) * acceleration;
  }
  return over_c_squared * sum;
}

/// Post-Newtonian terms of the momentum of a body: the derivative of the Lagrangian of Einstein,
/// Infeld & Hoffmann with respect to its velocity (Landau & Lifshitz 1975, section 106).
LongVector added_momentum(HostBodies const& host, std::size_t i) {
  auto const v = long_vector(host.velocity[i]);
  LongVector sum = (dot(v, v) / 2) * v;
  for (std::size_t j = 0; j < host.size(); ++j) {
    if (j == i) continue;
    auto const d = long_vector(host.position[j]) - long_vector(host.position[i]);
    auto const w = long_vector(host.velocity[j]);
    Long const r = std::sqrt(dot(d, d)), depth = Long(gravitational_constant) * host.mass[j] / r;
    sum = sum + depth * (Long(3) * v - Long(3.5) * w - (dot(d, w) / (2 * r * r)) * d);
  }
  return (Long(host.mass[i]) / (Long(light_speed) * light_speed)) * sum;
}

/// The bodies after a time on parabolas with the Newtonian accelerations.
HostBodies moved_along(HostBodies host, std::vector<LongVector> const& accelerations, double time) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    auto const a = to_double(accelerations[i]);
    host.position[i] = host.position[i] + time * host.velocity[i];
    host.velocity[i] = host.velocity[i] + time * a;
  }
  return host;
}

/// Rate of change of a function of the bodies along the Newtonian motion, to fourth order.
template <class Function>
auto rate_of(Function const& function, HostBodies const& host,
             std::vector<LongVector> const& accelerations) {
  constexpr double h = 1e-3;
  auto const difference = [&](double step) {
    return function(moved_along(host, accelerations, step)) -
           function(moved_along(host, accelerations, -step));
  };
  return (1 / Long(12 * h)) * (Long(8) * difference(h) - difference(2 * h));
}

}  // namespace

TEST_CASE("the equations of Einstein, Infeld and Hoffmann are those published, to rounding") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    auto const host = random_bodies(seed);
    auto const results = evaluate(bound_equations(host), host, {}, 9);
    for (std::size_t i = 0; i < host.size(); ++i) {
      CAPTURE(i);
      auto const known = published_acceleration(host, i);
      auto const error = long_vector(results.acceleration[i]) - known;
      CHECK(norm(to_double(error)) < 2e-14 * norm(to_double(known)));
    }
  }
}

TEST_CASE("energy, momentum and angular momentum of the equations are constant to their order") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    auto const host = random_bodies(seed);
    std::vector<LongVector> gravity;
    for (std::size_t i = 0; i < host.size(); ++i) {
      gravity.push_back(newtonian_field(host, i).acceleration);
    }
    auto const push = evaluate(bound_equations(host), host, {}, 1).acceleration;
    // The rates of the Newtonian sums by the forces of the equations, and of their additional terms
    // along the Newtonian motion, cancel.
    Long power = 0;
    LongVector force{}, torque{};
    for (std::size_t i = 0; i < host.size(); ++i) {
      auto const f = Long(host.mass[i]) * long_vector(push[i]);
      power += dot(long_vector(host.velocity[i]), f);
      force = force + f;
      torque = torque + cross(long_vector(host.position[i]), f);
    }
    auto const energy = [&](HostBodies const& moved) {
      ExecutionSpace const space;
      return Long(bound_equations(moved).energy(space, to_device<double>(space, moved), 0.0));
    };
    auto const momentum = [&](HostBodies const& moved) {
      LongVector sum{};
      for (std::size_t i = 0; i < moved.size(); ++i) sum = sum + added_momentum(moved, i);
      return sum;
    };
    auto const angular_momentum = [&](HostBodies const& moved) {
      LongVector sum{};
      for (std::size_t i = 0; i < moved.size(); ++i) {
        sum = sum + cross(long_vector(moved.position[i]), added_momentum(moved, i));
      }
      return sum;
    };
    CHECK(std::abs(power + rate_of(energy, host, gravity)) < 1e-8 * std::abs(power));
    CHECK(norm(force + rate_of(momentum, host, gravity)) < 1e-8 * norm(force));
    CHECK(norm(torque + rate_of(angular_momentum, host, gravity)) < 1e-8 * norm(torque));
  }
}

TEST_CASE("beside one body with mass at rest the equations are those of schwarzschild") {
  HostBodies host(3);
  host.mass = {2.0, 0.0, 0.0};
  host.position = {{0.1, -0.2, 0.3}, {1.0, 0.2, 0.1}, {-0.7, 0.9, 0.4}};
  host.velocity = {{}, {0.1, 0.9, 0.2}, {-0.5, -0.4, 0.1}};
  auto const extra = bound(eih_force, host);
  auto const all = evaluate(extra, host, {}, 9);
  auto const known = evaluate(bound({"schwarzschild", {{"c", light_speed}}}, host), host, {}, 9);
  for (std::size_t i = 0; i < host.size(); ++i) {
    CAPTURE(i);
    CHECK(norm(all.acceleration[i] - known.acceleration[i]) <= 1e-14 * norm(known.acceleration[i]));
    CHECK(std::abs(all.potential[i] - known.potential[i]) <= 1e-14 * known.potential[i]);
  }
  CHECK(extra.conserved().energy);
  CHECK(extra.conserved().momentum);
  CHECK_FALSE(extra.conserved().massless_energies);
  auto const several = bound_equations(random_bodies(1)).conserved();
  CHECK_FALSE(several.energy);
  CHECK_FALSE(several.momentum);
  CHECK_FALSE(several.angular_momentum);
}

TEST_CASE("the potentials of the equations add up to their energy, also for listed targets" *
          testing::thread_counts) {
  auto const host = random_bodies(3);
  ExecutionSpace const space;
  auto const bodies = to_device<double>(space, host);
  auto const extra = bound_equations(host);
  auto const all = evaluate(extra, host, {}, 9);
  double energy = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    energy += host.mass[i] * all.potential[i];
    scale += host.mass[i] * std::abs(all.potential[i]);
  }
  CHECK(std::abs(extra.energy(space, bodies, 0.0) - energy) <= 1e-14 * scale);
  std::vector<std::size_t> const rows{1, 2, 8};
  auto const list = testing::list_of(rows);
  auto const field = testing::make_field<double>(1, rows.size());
  Kokkos::deep_copy(field.acceleration, 0.0);
  extra.add(space, forces::field_at(bodies, forces::BodyRows::listed(list, 3), field), 0.0);
  space.fence();
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.acceleration);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    CHECK(Vec3<double>{a(k, 0), a(k, 1), a(k, 2)} == all.acceleration[rows[k]]);
  }
}

TEST_CASE(
    "jerks of the equations read the accelerations of the results if these are of all bodies") {
  auto const host = random_bodies(4);
  ExecutionSpace const space;
  auto const extra = bound_equations(host);
  auto const bodies = testing::moving<double>(host);
  // Adds the pushes to the accelerations of the bodies, or to 0.
  auto const jerks = [&](Bodies<double> const& moving, forces::BodyRows const& rows,
                         VectorColumns<double> const& accelerations) {
    auto const field = testing::make_field<double>(3, rows.size());
    Kokkos::deep_copy(field.acceleration, accelerations);
    Kokkos::deep_copy(field.jerk, 0.0);
    extra.add(space, forces::field_at(moving, rows, field), 0.0);
    space.fence();
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.jerk);
  };
  auto const all = forces::BodyRows::all(host.size());
  auto stale = bodies;
  stale.acceleration = VectorColumns<double>("apsis::testing::stale", host.size());
  auto const known = jerks(bodies, all, bodies.acceleration);
  auto const with_stale = jerks(stale, all, bodies.acceleration);
  auto const without = jerks(bodies, all, stale.acceleration);
  double difference = 0.0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    CHECK(with_stale(i, 0) == known(i, 0));
    difference += std::abs(without(i, 0) - known(i, 0));
  }
  CHECK(difference > 1e-3);
}

TEST_CASE("the equations refuse more bodies with mass than their cost allows") {
  auto const force = planned(eih_force).make({});
  std::vector<double> masses(4096, 1.0);
  masses.resize(100000, 0.0);
  CHECK_NOTHROW(force->check({}, masses));
  masses.back() = 1.0;
  try {
    force->check({}, masses);
    FAIL("too many bodies with mass are accepted");
  } catch (Error const& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    CHECK(contains(error.problems().front().text(), "forces[0].name: 4097 bodies have mass"));
    CHECK(contains(error.problems().front().text(), "at most 4096"));
  }
}
