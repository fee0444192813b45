// SPDX-License-Identifier: Apache-2.0
#include "forces_alone.hpp"
#include "support/contains.hpp"
#include "support/suites.hpp"
#include <apsis/forces/direct.hpp>
#include <apsis/forces/extra_formula.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

using namespace apsis;
using apsis::testing::bodies_for_forces;
using apsis::testing::bound;
using apsis::testing::contains;
using apsis::testing::evaluate;
using apsis::testing::GivenForce;
using apsis::testing::planned;

namespace {

bool is_near(double value, double known, double relative) {
  return std::abs(value - known) <= relative * std::abs(known);
}

Value beta_of(double value) {
  Values beta;
  beta.set("value", value);
  return std::make_shared<Values const>(beta);
}

/// All kinds of forces. The body 2 is their source, away from the origin and moving.
std::vector<GivenForce> all_forces() {
  auto const profile = [](char const* name) { return Value(std::string(name)); };
  Value const source = std::int64_t{2};
  return {{"external", {{"profile", profile("point_mass")}, {"mass", 1.5}}},
          {"external",
           {{"profile", profile("plummer")},
            {"mass", 1.5},
            {"scale_radius", 0.7},
            {"centre", Vec3<double>{0.1, 0.2, -0.3}}}},
          {"external",
           {{"profile", profile("logarithmic")},
            {"velocity", 1.2},
            {"scale_radius", 0.3},
            {"flattening", 0.8}}},
          {"external", {{"profile", profile("nfw")}, {"mass", 1.5}, {"scale_radius", 0.7}}},
          {"external", {{"profile", profile("nfw")}, {"mass", 1.5}, {"scale_radius", 1e3}}},
          {"external",
           {{"profile", profile("miyamoto_nagai")},
            {"mass", 1.5},
            {"scale_radius", 0.7},
            {"scale_height", 0.2}}},
          {"tidal_field", {{"omega", 0.6}, {"kappa", 0.8}, {"nu", 1.1}}},
          {"oblate",
           {{"body", source}, {"J2", 0.3}, {"R", 0.5}, {"axis", Vec3<double>{1.0, 2.0, -2.0}}}},
          {"post_newtonian", {{"around", source}, {"c", 3.0}}},
          {"schwarzschild", {{"around", source}, {"c", 3.0}}},
          {"einstein_infeld_hoffmann", {{"c", 3.0}}},
          {"radiation", {{"from", source}, {"beta", beta_of(0.4)}, {"c", 3.0}}}};
}

/// Six bodies; radiation acts on the massless ones.
HostBodies six_bodies() {
  HostBodies host(6);
  host.mass = {0.0, 0.5, 2.0, 0.25, 0.0, 1.0};
  host.position = {{1, 0.2, 0.1},    {-0.7, 0.9, 0.4},   {0.1, -0.2, 0.3},
                   {0.5, -1.2, 0.8}, {-1.4, -0.3, -0.6}, {0.2, 0.4, -1.1}};
  host.velocity = {{0.1, 0.9, 0.2}, {-0.5, -0.4, 0.1}, {0.2, 0.1, -0.1},
                   {0.6, 0.3, 0.2}, {0.1, -0.7, 0.5},  {-0.4, 0.2, 0.3}};
  return host;
}

bool has_source(GivenForce const& sample) {
  return forces::extra_forces().get(sample.name).has_source;
}
/// Whether all bodies are sources, so that no force is the opposite of another.
bool has_many_sources(GivenForce const& sample) {
  return sample.name == std::string("einstein_infeld_hoffmann");
}

/// The bodies after a time with constant accelerations.
HostBodies after(HostBodies host, std::vector<Vec3<double>> const& accelerations, double time) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    host.position[i] =
        host.position[i] + time * host.velocity[i] + (0.5 * time * time) * accelerations[i];
    host.velocity[i] = host.velocity[i] + time * accelerations[i];
  }
  return host;
}

}  // namespace

TEST_CASE("forces besides gravity are the gradients of their potentials") {
  auto const host = six_bodies();
  for (auto const& sample : all_forces()) {
    auto const& entry = forces::extra_forces().get(sample.name);
    bool const has_other_terms = entry.velocity_dependent;
    CAPTURE(sample.name);
    auto const extra = bound(sample, host);
    // At rest the Coriolis force and the drag are 0; relativistic energies have no gradient.
    if (sample.name == std::string("schwarzschild") || has_many_sources(sample)) continue;
    auto resting = host;
    if (has_other_terms) resting.velocity.assign(host.size(), {});
    auto const results = evaluate(extra, resting, {}, 9);
    constexpr double h = 1e-3;
    for (std::size_t i = 0; i < host.size(); ++i) {
      if (i == 2 && has_source(sample)) continue;
      CAPTURE(i);
      auto const phi = [&](Vec3<double> const& shift) {
        auto moved = resting;
        moved.position[i] = moved.position[i] + shift;
        return evaluate(extra, moved, {}, 8).potential[i];
      };
      auto const slope = [&](Vec3<double> const& axis) {
        auto const difference = [&](double step) { return phi(step * axis) - phi(-step * axis); };
        return (8.0 * difference(h) - difference(2.0 * h)) / (12.0 * h);
      };
      Vec3<double> const known{-slope({1, 0, 0}), -slope({0, 1, 0}), -slope({0, 0, 1})};
      CHECK(norm(results.acceleration[i] - known) < 1e-8 * (1.0 + norm(known)));
    }
  }
}

TEST_CASE("jerks and snaps of forces besides gravity are derivatives along the motion") {
  auto const host = six_bodies();
  std::vector<Vec3<double>> const accelerations{{0.3, -0.2, 0.1}, {0.1, 0.2, -0.4},
                                                {-0.2, 0.1, 0.2}, {0.4, -0.1, -0.1},
                                                {-0.3, 0.3, 0.2}, {0.2, 0.1, -0.3}};
  constexpr double h = 2e-3;
  for (auto const& sample : all_forces()) {
    CAPTURE(sample.name);
    auto const extra = bound(sample, host);
    auto const acceleration_after = [&](double time) {
      return evaluate(extra, after(host, accelerations, time), {}, 1).acceleration;
    };
    auto const before2 = acceleration_after(-2 * h), before = acceleration_after(-h),
               middle = acceleration_after(0.0), next = acceleration_after(h),
               next2 = acceleration_after(2 * h);
    bool const has_velocities = forces::extra_forces().get(sample.name).velocity_dependent;
    // Rates of velocities are the accelerations in the results.
    ExecutionSpace const space;
    auto bodies = to_device<double>(space, host);
    auto const fill = [&](VectorColumns<double> const& columns,
                          std::vector<Vec3<double>> const& vectors) {
      auto const mirror = Kokkos::create_mirror_view(columns);
      for (std::size_t i = 0; i < vectors.size(); ++i) {
        mirror(i, 0) = vectors[i].x;
        mirror(i, 1) = vectors[i].y;
        mirror(i, 2) = vectors[i].z;
      }
      Kokkos::deep_copy(columns, mirror);
    };
    fill(bodies.acceleration, accelerations);
    auto const field = testing::make_field<double>(has_velocities ? 3 : 7, host.size());
    Kokkos::deep_copy(field.jerk, 0.0);
    // The force itself is added first; gravity would be the rest.
    std::vector<Vec3<double>> rest;
    for (std::size_t i = 0; i < host.size(); ++i) rest.push_back(accelerations[i] - middle[i]);
    fill(field.acceleration, rest);
    if (!has_velocities) Kokkos::deep_copy(field.snap, 0.0);
    extra.add(space, forces::field_of(bodies, field), 0.0);
    space.fence();
    auto const jerk = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.jerk);
    auto const snap = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.snap);
    for (std::size_t i = 0; i < host.size(); ++i) {
      CAPTURE(i);
      auto const slope =
          (1.0 / (12.0 * h)) * (8.0 * (next[i] - before[i]) - (next2[i] - before2[i]));
      auto const curvature = (1.0 / (12.0 * h * h)) * (16.0 * (next[i] + before[i]) -
                                                       (next2[i] + before2[i]) - 30.0 * middle[i]);
      Vec3<double> const j{jerk(i, 0), jerk(i, 1), jerk(i, 2)};
      CHECK(norm(j - slope) < 1e-7 * (1.0 + norm(slope)));
      if (has_velocities) continue;
      Vec3<double> const s{snap(i, 0), snap(i, 1), snap(i, 2)};
      CHECK(norm(s - curvature) < 1e-6 * (1.0 + norm(curvature)));
    }
  }
}

TEST_CASE("forces between bodies react on their source" * testing::thread_counts) {
  auto const host = six_bodies();
  for (auto const& sample : all_forces()) {
    CAPTURE(sample.name);
    auto const extra = bound(sample, host);
    auto const results = evaluate(extra, host, {}, 1);
    Vec3<double> sum{};
    double scale = 0.0;
    for (std::size_t i = 0; i < host.size(); ++i) {
      sum = sum + host.mass[i] * results.acceleration[i];
      scale += host.mass[i] * norm(results.acceleration[i]);
    }
    bool const is_conserved = norm(sum) < 1e-14 * (scale + 1e-300);
    CHECK(is_conserved == (extra.conserved().momentum || scale == 0.0));
    bool const has_one_source = has_source(sample) && !has_many_sources(sample);
    CHECK(extra.conserved().internal_energy == has_one_source);
  }
}

TEST_CASE("no force acts on bodies that are gone") {
  auto const host = six_bodies();
  for (auto const& sample : all_forces()) {
    CAPTURE(sample.name);
    forces::ExtraForces extra({planned(sample)}, {});
    auto bodies = bodies_for_forces(host);
    bodies.gone = {4};
    extra.bind(ExecutionSpace(), bodies);
    auto const results = evaluate(extra, host, {}, 1);
    auto const all = evaluate(bound(sample, host), host, {}, 1);
    CHECK(norm(all.acceleration[4]) > 0.0);
    CHECK(norm(results.acceleration[4]) == 0.0);
    for (std::size_t i : {0, 1, 2, 3, 5}) CHECK(results.acceleration[i] == all.acceleration[i]);
  }
}

TEST_CASE("few bodies get the same forces on one thread" * testing::thread_counts) {
  auto const host = six_bodies();
  std::size_t const n = host.size();
  for (auto const& sample : all_forces()) {
    CAPTURE(sample.name);
    auto const extra = bound(sample, host);
    auto const results = evaluate(extra, host, {}, 1);
    std::array<std::vector<double>, 3> x, v, a;
    for (auto* columns : {&x, &v, &a}) columns->fill(std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        auto const component = [&](Vec3<double> const& vector) {
          return axis == 0 ? vector.x : axis == 1 ? vector.y : vector.z;
        };
        x[axis][i] = component(host.position[i]);
        v[axis][i] = component(host.velocity[i]);
      }
    }
    extra.add_few({n,
                   {x[0].data(), x[1].data(), x[2].data()},
                   {v[0].data(), v[1].data(), v[2].data()},
                   host.mass.data(),
                   {a[0].data(), a[1].data(), a[2].data()},
                   0.0});
    for (std::size_t i = 0; i < n; ++i) {
      Vec3<double> const few{a[0][i], a[1][i], a[2][i]};
      CHECK(norm(few - results.acceleration[i]) <= 1e-14 * norm(few));
    }
  }
}

TEST_CASE("forces besides gravity of bodies in single precision are those of doubles, rounded") {
  auto const host = testing::rounded_to_single(six_bodies());
  for (auto const& sample : all_forces()) {
    CAPTURE(sample.name);
    auto const extra = bound(sample, host);
    auto const exact = evaluate<double>(extra, host, {}, 9);
    auto const single = evaluate<float>(extra, host, {}, 9);
    for (std::size_t i = 0; i < host.size(); ++i) {
      CHECK(norm(single.acceleration[i] - exact.acceleration[i]) <=
            2e-7 * norm(exact.acceleration[i]));
      CHECK(is_near(single.potential[i], exact.potential[i], 1e-12));
    }
  }
}

TEST_CASE("a solver adds forces besides gravity to listed targets too, and to potentials once" *
          testing::thread_counts) {
  auto const host = six_bodies();
  ExecutionSpace const space;
  auto const bodies = to_device<double>(space, host);
  auto const extra = std::make_shared<forces::ExtraForces>(std::vector{planned(all_forces()[7])},
                                                           forces::ExtraForceSetting{});
  extra->bind(space, bodies_for_forces(host));
  forces::Direct<forces::Double> solver_with({1.0, 0.1}), solver_without({1.0, 0.1});
  solver_with.set_extra_forces(extra);
  auto const alone = evaluate(*extra, host, {}, 9);
  std::vector<std::size_t> const rows{2, 3, 5};
  auto const list = testing::list_of(rows);
  auto const request = [&](forces::Direct<forces::Double>& solver) {
    auto const field = testing::make_field<double>(9, rows.size());
    solver.evaluate(space, forces::field_at(bodies, forces::BodyRows::listed(list, 3), field));
    space.fence();
    return field;
  };
  auto const sum = request(solver_with), gravity = request(solver_without);
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sum.acceleration);
  auto const g = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gravity.acceleration);
  auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sum.potential);
  auto const psi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gravity.potential);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    CAPTURE(k);
    CHECK(is_near(a(k, 0) - g(k, 0), alone.acceleration[rows[k]].x, 1e-12));
    CHECK(is_near(phi(k) - psi(k), alone.potential[rows[k]], 1e-12));
  }
  CHECK(solver_without.few_body_sums(space, bodies).has_value() == bodies_on_host);
  CHECK(!solver_with.few_body_sums(space, bodies).has_value());
  // Pairs count once, by the bodies that are not the source.
  double energy = 0.0;
  for (std::size_t i = 0; i < host.size(); ++i) energy += host.mass[i] * alone.potential[i];
  CHECK(is_near(extra->energy(space, bodies, 0.0), energy, 1e-14));
  CHECK(alone.potential[2] == 0.0);
}

TEST_CASE("an NFW profile has no jump where its series ends, and rest in its centre") {
  GivenForce const sample{"external",
                          {{"profile", std::string("nfw")}, {"mass", 1.0}, {"scale_radius", 1.0}}};
  HostBodies host(3);
  // G M (ln(1 + u) - u / (1 + u)) / u^2 and -ln(1 + u) / u at u = 0.049 and 0.051, in 30 digits.
  host.position = {{0.049, 0, 0}, {0.051, 0, 0}, {0, 0, 0}};
  auto const results = evaluate(bound(sample, host), host, {}, 9);
  CHECK(is_near(results.acceleration[0].x, -0.469044537549285, 1e-13));
  CHECK(is_near(results.acceleration[1].x, -0.467849985769797, 1e-13));
  CHECK(is_near(results.potential[0], -0.976272028860410, 1e-13));
  CHECK(results.acceleration[2] == Vec3<double>{});
  CHECK(results.potential[2] == -1.0);
}

TEST_CASE("forces name bodies that exist and have mass") {
  auto const host = six_bodies();
  auto const message = [&](GivenForce const& sample) {
    try {
      planned(sample).make({})->check(host.id, host.mass);
    } catch (Error const& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      return error.problems().front().text();
    }
    return std::string();
  };
  CHECK(message({"oblate", {{"J2", 0.1}, {"R", 1.0}}}) ==
        "forces[0].body: body 0 has no mass (it is massless or gone); give the id of a body with "
        "mass, or remove this force");
  CHECK(contains(message({"post_newtonian", {{"around", std::int64_t{17}}, {"c", 1.0}}}),
                 "forces[0].around: no body has the id 17"));
  Values beta;
  beta.set("value", 0.1);
  beta.set("ids", std::vector<double>{1.0, 9.0});
  CHECK(contains(message({"radiation",
                          {{"from", std::int64_t{2}},
                           {"c", 1.0},
                           {"beta", std::make_shared<Values const>(beta)}}}),
                 "no body has the id 9"));
  CHECK(message(all_forces()[7]).empty());
}
