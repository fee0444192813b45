// SPDX-License-Identifier: Apache-2.0
#include "support/decks.hpp"
#include "support/integrators.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/driver/simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// Bodies that one integrator advances by steps of dt.
std::unique_ptr<driver::Simulation> simulation(std::string const& integrator,
                                               HostBodies const& start, double dt,
                                               std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(),
                   {"integrator.name=" + integrator, "integrator.time_step=" + shortest(dt)});
  auto const deck =
      R"({"bodies": {"generator": "plummer", "count": 1}, "integrator": {"time_step": 1},
          "run": {"steps": 1}})";
  return driver::make_simulation(configured(deck, overrides), start);
}

std::string const softened = "gravity.softening=0.1";

double relative_energy_error(diagnostics::Measurement const& now, double start) {
  return std::abs(now.total() / start - 1.0);
}

/// Largest relative energy error over one period of an orbit with e = 0.5. (The position after a
/// period is a trap: from an apsis its error has order 2 even for semi-implicit Euler.)
double worst_energy_error(integrators::IntegratorEntry const& of, int steps) {
  auto const run = simulation(of.name, kepler_orbit(0.5), 2.0 * std::numbers::pi / steps);
  double const start = run->measure().total();
  double worst = 0.0;
  for (int i = 0; i < steps; ++i) {
    run->advance();
    worst = std::max(worst, relative_energy_error(run->measure(), start));
  }
  return worst;
}

/// Enough steps a period for the leading term of the error, and few enough that the rounding is no
/// part of it. Without a symplectic form the error of the next order adds up meanwhile.
int coarse_steps(integrators::IntegratorEntry const& of) {
  if (of.order <= 4) return of.symplectic ? 400 : 1600;
  return of.symplectic ? 200 : 400;
}

}  // namespace

TEST_CASE("every integrator has the order that its table states") {
  for (auto const& of : integrators::integrators()) {
    CAPTURE(of.name);
    CHECK(!of.doc.empty());
    double const coarse = worst_energy_error(of, coarse_steps(of));
    double const fine = worst_energy_error(of, 2 * coarse_steps(of));
    CHECK(std::abs(std::log2(coarse / fine) - of.order) < 0.1);
  }
}

TEST_CASE("energy errors are those that the literature's schemes have") {
  // Reference values for e = 0.5, 200 steps a period, rounded to two or three digits.
  std::pair<char const*, double> const expected[]{
      {"euler", 4.5e-2},    {"leapfrog_kdk", 2.6e-3}, {"leapfrog_dkd", 7.0e-4},
      {"yoshida4", 9.2e-6}, {"forest_ruth", 9.2e-6},  {"pefrl", 7.5e-7},
      {"yoshida6", 4.0e-9}, {"yoshida8", 1.91e-10},   {"taylor2", 3.4e-1},
      {"rk4", 9.26e-7},     {"hermite4", 1.51e-5},    {"hermite6", 5.22e-8},
  };
  CHECK(std::size(expected) == integrators::integrators().size());
  for (auto const& [name, error] : expected) {
    CAPTURE(name);
    CHECK(worst_energy_error(integrator(name), 200) == doctest::Approx(error).epsilon(0.015));
  }
}

TEST_CASE("over a hundred periods rk4 loses energy and leapfrog does not") {
  int const steps = 200;
  double const dt = 2.0 * std::numbers::pi / steps;
  auto const drifting = simulation("rk4", kepler_orbit(0.5), dt);
  double const start = drifting->measure().total();
  drifting->advance(50 * steps);
  double const half_way = relative_energy_error(drifting->measure(), start);
  drifting->advance(50 * steps);
  double const end = relative_energy_error(drifting->measure(), start);
  CHECK(end == doctest::Approx(9.3e-5).epsilon(0.01));
  CHECK(end / half_way == doctest::Approx(2.0).epsilon(0.01));

  auto const bounded = simulation("leapfrog_kdk", kepler_orbit(0.5), dt);
  bounded->advance(99 * steps);
  double worst = 0.0;
  for (int i = 0; i < steps; ++i) {
    bounded->advance();
    worst = std::max(worst, relative_energy_error(bounded->measure(), start));
  }
  CHECK(worst == doctest::Approx(2.6e-3).epsilon(0.015));  // as in the first period
}

TEST_CASE("leapfrog follows the analytic orbit with an error of second order") {
  double const e = 0.5;
  auto const error = [&](int steps) {
    double const end = 1.7;  // not an apsis
    auto const run = simulation("leapfrog_kdk", kepler_orbit(e), end / steps);
    run->advance(static_cast<std::uint64_t>(steps));
    // From apocentre: mean anomaly pi + t; Kepler's equation by Newton's method.
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
  CHECK(std::log2(error(500) / error(1000)) == doctest::Approx(2.0).epsilon(0.02));
}

TEST_CASE("a time-reversible integrator, and no other, runs back to where it came from") {
  auto const start = sample_bodies(64);
  for (auto const& of : integrators::integrators()) {
    CAPTURE(of.name);
    auto const run = simulation(of.name, start, 0.01, {softened});
    run->advance(100);
    auto const there = run->bodies();
    run->turn_back();
    run->advance(100);
    auto const back = run->bodies();
    double moved = 0.0, missed = 0.0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      moved = std::max(moved, norm(there.position[i] - start.position[i]));
      missed = std::max(missed, norm(back.position[i] - start.position[i]));
    }
    CAPTURE(missed);
    CHECK(moved > 0.5);
    CHECK((missed < 1e-12) == of.time_reversible);
  }
}

TEST_CASE("momentum stays, with a symplectic integrator angular momentum too") {
  for (auto const& [precision, bound] : {std::pair{"single", 5e-7}, std::pair{"double", 1e-15}}) {
    for (auto const& of : integrators::integrators()) {
      CAPTURE(precision);
      CAPTURE(of.name);
      auto const run = simulation(of.name, sample_bodies(200), 0.01,
                                  {softened, std::string("gravity.precision=") + precision});
      auto const before = run->measure();
      run->advance(100);
      auto const after = run->measure();
      CHECK(norm(after.momentum - before.momentum) < bound);
      if (of.symplectic) CHECK(norm(after.angular_momentum - before.angular_momentum) < 4 * bound);
    }
  }
}

TEST_CASE("a step of taylor2 and of rk4 is what their textbook says") {
  double const h = 0.1;
  auto const accelerated = [](Vec3<double> x) {
    double const r = norm(x);
    return (-1.0 / (r * r * r)) * x;
  };
  auto const host = kepler_orbit(0.5);
  auto const x = host.position[0] - host.position[1];
  auto const v = host.velocity[0] - host.velocity[1];
  auto const check = [&](std::string const& name, Vec3<double> to_x, Vec3<double> to_v) {
    CAPTURE(name);
    auto const run = simulation(name, host, h);
    run->advance();
    auto const after = run->bodies();
    CHECK(norm(after.position[0] - after.position[1] - to_x) < 1e-15);
    CHECK(norm(after.velocity[0] - after.velocity[1] - to_v) < 1e-15);
  };
  auto const a = accelerated(x);
  check("taylor2", x + h * v + (h * h / 2.0) * a, v + h * a);
  // Kutta's tableau, for x' = v and v' = a(x).
  auto const v2 = v + (h / 2.0) * a;
  auto const a2 = accelerated(x + (h / 2.0) * v);
  auto const v3 = v + (h / 2.0) * a2;
  auto const a3 = accelerated(x + (h / 2.0) * v2);
  auto const v4 = v + h * a3;
  auto const a4 = accelerated(x + h * v3);
  check("rk4", x + (h / 6.0) * (v + 2.0 * v2 + 2.0 * v3 + v4),
        v + (h / 6.0) * (a + 2.0 * a2 + 2.0 * a3 + a4));
}

TEST_CASE("damping takes velocity away once a step") {
  HostBodies host(1);
  host.mass = {1.0};
  host.velocity = {{8.0, 0.0, 0.0}};
  auto const euler = simulation("euler", host, 1.0, {softened, "integrator.damping=0.5"});
  euler->advance(3);
  auto const after = euler->bodies();
  CHECK(after.velocity[0].x == 1.0);
  CHECK(after.position[0].x == 7.0);  // 4 + 2 + 1: damped before the drift
}
