// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/measurement.hpp"
#include "support/decks.hpp"
#include "support/integrators.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include "verification/verify.hpp"
#include <apsis/core/text.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// Number of integrators with fixed steps.
std::size_t count_with_fixed_steps() {
  std::size_t count = 0;
  for (auto const& entry : general_integrators()) count += entry.has_own_steps() ? 0 : 1;
  return count;
}

/// Creates a simulation of the bodies with this integrator and fixed steps of dt.
std::unique_ptr<simulation::Simulation> make_run(std::string const& integrator,
                                                 HostBodies const& start, double dt,
                                                 std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(),
                   {"integrator.name=" + integrator, "integrator.time_step=" + shortest(dt)});
  auto const deck =
      R"({"bodies": {"generator": "plummer", "count": 1}, "integrator": {"time_step": 1},
          "run": {"steps": 1}})";
  return simulation::make_simulation(configured(deck, overrides), start);
}

std::string const softened = "gravity.softening=0.1";

double relative_energy_error(diagnostics::Measurement const& now, double start) {
  return std::abs(now.total() / start - 1.0);
}

/// Largest relative energy error over one period of an orbit with e = 0.5. (The error of the
/// position after a period is not suitable: if the orbit starts at an apsis, it is of order 2 even
/// for semi-implicit Euler.)
double worst_energy_error(integrators::IntegratorEntry const& entry, int steps) {
  auto const run = make_run(entry.name, kepler_orbit(0.5), 2.0 * std::numbers::pi / steps);
  double const start = run->measure().total();
  double worst = 0.0;
  for (int i = 0; i < steps; ++i) {
    run->advance();
    worst = std::max(worst, relative_energy_error(run->measure(), start));
  }
  return worst;
}

}  // namespace

TEST_CASE("every integrator has the order stated in its table entry" * expensive) {
  std::size_t rows = 0;
  verification::known_answers()
      .get("convergence_order")
      .verify({}, [&](verification::Row const& row) {
        CAPTURE(row.method);
        CAPTURE(row.measured);
        CHECK(row.expected == integrator(row.method).order);
        CHECK(row.limit <= 0.1);
        CHECK(row.passed());
        ++rows;
      });
  CHECK(rows == count_with_fixed_steps() + 1);  // and wisdom_holman, about a dominant body
}

TEST_CASE("energy errors agree with reference values of the published schemes" * expensive) {
  // Reference values for e = 0.5 and so many steps per period, rounded to two or three digits.
  struct Known {
    char const* name;
    int steps;
    double error;
  };
  Known const expected[]{
      {"euler", 200, 4.5e-2},          {"leapfrog_kdk", 200, 2.6e-3},
      {"leapfrog_dkd", 200, 7.0e-4},   {"yoshida4", 200, 9.2e-6},
      {"forest_ruth", 200, 9.2e-6},    {"pefrl", 200, 7.5e-7},
      {"blanes_moan4", 200, 1.97e-9},  {"yoshida6", 200, 4.0e-9},
      {"kahan_li6", 200, 1.55e-10},    {"sofroniou_spaletta6", 100, 1.03e-9},
      {"blanes_moan6", 100, 3.33e-10}, {"yoshida8", 200, 1.91e-10},
      {"kahan_li8", 50, 1.15e-9},      {"sofroniou_spaletta8", 50, 5.16e-10},
      {"blanes_casas8", 50, 7.9e-11},  {"sofroniou_spaletta10", 25, 6.82e-10},
      {"taylor2", 200, 3.4e-1},        {"rk4", 200, 9.26e-7},
      {"hermite4", 200, 1.51e-5},      {"hermite6", 200, 5.22e-8},
  };
  CHECK(std::size(expected) == count_with_fixed_steps());
  for (auto const& known : expected) {
    CAPTURE(known.name);
    CHECK(worst_energy_error(integrator(known.name), known.steps) ==
          approximately(known.error, 0.015));
  }
}

TEST_CASE("over a hundred periods rk4 loses energy and leapfrog does not" * expensive) {
  int const steps = 200;
  double const dt = 2.0 * std::numbers::pi / steps;
  auto const drifting = make_run("rk4", kepler_orbit(0.5), dt);
  double const start = drifting->measure().total();
  drifting->advance(50 * steps);
  double const half_way = relative_energy_error(drifting->measure(), start);
  drifting->advance(50 * steps);
  double const end = relative_energy_error(drifting->measure(), start);
  CHECK(end == approximately(9.3e-5, 0.01));
  CHECK(end / half_way == approximately(2.0, 0.01));

  auto const bounded = make_run("leapfrog_kdk", kepler_orbit(0.5), dt);
  bounded->advance(99 * steps);
  double worst = 0.0;
  for (int i = 0; i < steps; ++i) {
    bounded->advance();
    worst = std::max(worst, relative_energy_error(bounded->measure(), start));
  }
  CHECK(worst == approximately(2.6e-3, 0.015));  // as in the first period
}

TEST_CASE("the position error of leapfrog on an analytic orbit is of second order") {
  double const e = 0.5;
  auto const error = [&](int steps) {
    double const end = 1.7;  // not an apsis
    auto const run = make_run("leapfrog_kdk", kepler_orbit(e), end / steps);
    run->advance(static_cast<std::uint64_t>(steps));
    // The orbit starts at apocentre: the mean anomaly is pi + t. Newton's method solves Kepler's
    // equation.
    double const mean = std::numbers::pi + end;
    double anomaly = mean;
    for (int i = 0; i < 50; ++i) {
      anomaly -= (anomaly - e * std::sin(anomaly) - mean) / (1.0 - e * std::cos(anomaly));
    }
    // Relative orbit with its pericentre on the negative x axis.
    double const x = -(std::cos(anomaly) - e);
    double const y = -std::sqrt(1.0 - e * e) * std::sin(anomaly);
    auto const bodies = run->bodies();
    auto const relative = bodies.position[0] - bodies.position[1];
    return std::hypot(relative.x - x, relative.y - y);
  };
  CHECK(error(1000) < 1e-5);
  CHECK(std::log2(error(500) / error(1000)) == approximately(2.0, 0.02));
}

TEST_CASE("only time-reversible integrators run back to the start" * testing::thread_counts) {
  auto const start = sample_bodies(64);
  for (auto const& entry : general_integrators()) {
    if (entry.has_own_steps()) continue;  // not reversible, but exact almost to rounding
    CAPTURE(entry.name);
    auto const run = make_run(entry.name, start, 0.01, {softened});
    run->advance(100);
    auto const end = run->bodies();
    run->reverse_time();
    run->advance(100);
    auto const back = run->bodies();
    double moved = 0.0, missed = 0.0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      moved = std::max(moved, norm(end.position[i] - start.position[i]));
      missed = std::max(missed, norm(back.position[i] - start.position[i]));
    }
    CAPTURE(missed);
    CHECK(moved > 0.5);
    CHECK((missed < 1e-12) == entry.time_reversible);
  }
}

TEST_CASE("massless bodies move like bodies of negligible mass and add no sources" * expensive) {
  std::size_t const massive = 3, count = 24;
  auto const bodies = [&](double light_mass) {
    auto result = sample_bodies(count);
    // Every eighth body is heavy: the massive bodies do not come first.
    for (std::size_t i = 0; i < count; ++i) result.mass[i] = i % 8 == 5 ? 0.3 : light_mass;
    return result;
  };
  for (auto const& known :
       {std::pair{"single", 2e-4}, std::pair{"double", 1e-11}, std::pair{"mixed", 2e-4}}) {
    auto const precision = known.first;
    auto const bound = known.second;
    for (auto const& entry : general_integrators()) {
      if (entry.needs_exact_forces && precision != std::string("double")) continue;
      for (auto const& mode : stepping_modes(entry)) {
        std::string const judged = mode == "own" ? R"(,"judged":"all")" : "";
        CAPTURE(precision);
        CAPTURE(entry.name);
        CAPTURE(mode);
        auto const advanced = [&](double light_mass) {
          auto run = make_run(entry.name, bodies(light_mass), 0.0625,
                              {softened, std::string("gravity.precision=") + precision,
                               "integrator.stepping={\"mode\":\"" + mode + "\"" + judged + "}"});
          run->advance(8);
          return run;
        };
        auto const massless = advanced(0.0), light = advanced(1e-25);
        auto const a = massless->bodies(), b = light->bodies();
        double worst = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
          worst = std::max(worst, norm(a.position[i] - b.position[i]));
        }
        CHECK(worst < bound);
        // In other precisions the criterion may choose different steps.
        if (std::string(precision) == "double") {
          CHECK(massless->state().integrator_steps == light->state().integrator_steps);
          CHECK(massless->interactions() / static_cast<double>(massive) ==
                approximately(light->interactions() / static_cast<double>(count)));
        }
        CHECK(massless->info().massless.count == count - massive);
        CHECK_FALSE(massless->info().massless.measured);
        CHECK(light->info().massless.count == 0);
      }
    }
  }
}

TEST_CASE("the energy error includes the energy of each massless body about a single mass") {
  auto const error = [](double bulk_velocity, double dt) {
    HostBodies host(3);
    host.mass = {0.0, 1.0, 0.0};
    host.position = {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 2.0, 0.0}};
    host.velocity = {
        {0.0, 1.0, bulk_velocity}, {0.0, 0.0, bulk_velocity}, {std::sqrt(0.5), 0.0, bulk_velocity}};
    auto const run = make_run("leapfrog_kdk", host, dt);
    diagnostics::Conservation conservation;
    conservation.add(run->measure());
    CHECK(conservation.relative_energy_error == 0.0);
    CHECK(run->info().massless.count == 2);
    CHECK(run->info().massless.measured);
    for (int i = 0; i < 8; ++i) {
      run->advance();
      conservation.add(run->measure());
    }
    return conservation.max_relative_energy_error;
  };
  CHECK(error(0.0, 0.5) > 1e-3);
  // A common velocity of all bodies does not change the error.
  CHECK(error(3.0, 0.5) == approximately(error(0.0, 0.5), 1e-9));
  CHECK(error(0.0, 0.05) < 0.02 * error(0.0, 0.5));
}

TEST_CASE("all integrators conserve momentum, symplectic ones also angular momentum" *
          testing::thread_counts) {
  for (auto const& known : {std::pair{"single", 5e-7}, std::pair{"double", 1e-15}}) {
    auto const precision = known.first;
    auto const bound = known.second;
    for (auto const& entry : general_integrators()) {
      if (entry.needs_exact_forces && precision != std::string("double")) continue;
      CAPTURE(precision);
      CAPTURE(entry.name);
      auto const run = make_run(entry.name, sample_bodies(200), 0.01,
                                {softened, std::string("gravity.precision=") + precision});
      auto const before = run->measure();
      run->advance(100);
      auto const after = run->measure();
      CHECK(norm(after.momentum - before.momentum) < bound);
      if (entry.symplectic)
        CHECK(norm(after.angular_momentum - before.angular_momentum) < 4 * bound);
    }
  }
}

TEST_CASE("a step of taylor2 and of rk4 equals the textbook formula") {
  double const h = 0.1;
  auto const acceleration = [](Vec3<double> x) {
    double const r = norm(x);
    return (-1.0 / (r * r * r)) * x;
  };
  auto const host = kepler_orbit(0.5);
  auto const x = host.position[0] - host.position[1];
  auto const v = host.velocity[0] - host.velocity[1];
  auto const check = [&](std::string const& name, Vec3<double> expected_x,
                         Vec3<double> expected_v) {
    CAPTURE(name);
    auto const run = make_run(name, host, h);
    run->advance();
    auto const after = run->bodies();
    CHECK(norm(after.position[0] - after.position[1] - expected_x) < 1e-15);
    CHECK(norm(after.velocity[0] - after.velocity[1] - expected_v) < 1e-15);
  };
  auto const a = acceleration(x);
  check("taylor2", x + h * v + (h * h / 2.0) * a, v + h * a);
  // Kutta's tableau for x' = v and v' = a(x).
  auto const v2 = v + (h / 2.0) * a;
  auto const a2 = acceleration(x + (h / 2.0) * v);
  auto const v3 = v + (h / 2.0) * a2;
  auto const a3 = acceleration(x + (h / 2.0) * v2);
  auto const v4 = v + h * a3;
  auto const a4 = acceleration(x + h * v3);
  check("rk4", x + (h / 6.0) * (v + 2.0 * v2 + 2.0 * v3 + v4),
        v + (h / 6.0) * (a + 2.0 * a2 + 2.0 * a3 + a4));
}

namespace {

/// Orbit of two bodies in a plane in long double, advanced by kicks and drifts.
struct LongOrbit {
  std::vector<long double> mass, position, velocity;  ///< masses; x and y of each body

  explicit LongOrbit(HostBodies const& start) : mass(start.mass.begin(), start.mass.end()) {
    for (std::size_t i = 0; i < 2; ++i) {
      position.insert(position.end(), {start.position[i].x, start.position[i].y});
      velocity.insert(velocity.end(), {start.velocity[i].x, start.velocity[i].y});
    }
  }
  void drift(long double dt) {
    for (std::size_t k = 0; k < 4; ++k) position[k] += dt * velocity[k];
  }
  void kick(long double dt) {
    long double const x = position[2] - position[0], y = position[3] - position[1];
    long double const r = std::sqrt(x * x + y * y);
    long double const f = dt / (r * r * r);
    velocity[0] += f * mass[1] * x;
    velocity[1] += f * mass[1] * y;
    velocity[2] -= f * mass[0] * x;
    velocity[3] -= f * mass[0] * y;
  }
  double distance(HostBodies const& bodies) const {
    auto const x = bodies.position[0];
    return static_cast<double>(std::hypot(position[0] - x.x, position[1] - x.y));
  }
};

}  // namespace

TEST_CASE("compensated (Kahan) sums follow the exact scheme without accumulated rounding errors" *
          testing::thread_counts) {
  if (std::numeric_limits<long double>::digits <= std::numeric_limits<double>::digits) return;
  auto const start = kepler_orbit(0.2);
  double const dt = 1.0 / 256.0;
  int const steps = 100000;  // 62 periods
  LongOrbit exact(start);
  for (int i = 0; i < steps; ++i) {
    exact.drift(0.5L * dt);
    exact.kick(dt);
    exact.drift(0.5L * dt);
  }
  auto const error = [&](char const* flag) {
    auto const run =
        make_run("leapfrog_dkd", start, dt, {std::string("integrator.compensated=") + flag});
    run->advance(static_cast<std::uint64_t>(steps));
    return exact.distance(run->bodies());
  };
  double const plain = error("false"), compensated = error("true");
  CHECK(plain > 1e-12);
  CHECK(compensated < 1e-13);
}

TEST_CASE("damping reduces velocities once per step") {
  HostBodies host(1);
  host.mass = {1.0};
  host.velocity = {{8.0, 0.0, 0.0}};
  auto const euler = make_run("euler", host, 1.0, {softened, "integrator.damping=0.5"});
  euler->advance(3);
  auto const after = euler->bodies();
  CHECK(after.velocity[0].x == 1.0);
  CHECK(after.position[0].x == 7.0);  // 4 + 2 + 1: damped before the drift
}
