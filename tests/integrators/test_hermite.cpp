// SPDX-License-Identifier: Apache-2.0
#include "integrators/criterion.hpp"
#include "integrators/hermite_formulas.hpp"
#include "integrators/stepped_run.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/forces/direct.hpp>
#include <apsis/integrators/levels.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>

using namespace apsis;
using namespace apsis::integrators;
using namespace apsis::testing;

namespace {

/// Path of one coordinate with an acceleration that is a polynomial of time.
struct Path {
  std::array<double, 6> c;  ///< coefficients of the acceleration

  /// The n-th derivative of the acceleration at time t; n = -1 is the velocity and n = -2 the
  /// position, both 0 at t = 0.
  double derivative(double t, int n) const {
    double sum = 0.0;
    for (int k = 0; k < 6; ++k) {
      double term = c[static_cast<std::size_t>(k)];
      for (int i = 0; i < n; ++i) term *= k - i;
      for (int i = n; i < 0; ++i) term /= k - i;
      if (k - n >= 0 && term != 0.0) sum += term * std::pow(t, k - n);
    }
    return sum;
  }
  Force<double> force(double t) const {
    return {derivative(t, 0), derivative(t, 1), derivative(t, 2)};
  }
};

template <int order>
void check_exact(Path const& path) {
  double const dt = 0.7;
  auto const before = path.force(0.0), after = path.force(dt);
  State<double> const start{0.0, 0.0};
  auto const end = corrected<order>(start, before, after, dt);
  CHECK(end.velocity == approximately(path.derivative(dt, -1), 1e-13));
  auto const higher = interpolated<order>(before, after, dt);
  for (int k = 0; k < order / 2; ++k) {
    CHECK(higher.derivative[k] == approximately(path.derivative(dt, order / 2 + k), 1e-11));
  }
}

using Run = SteppedRun<forces::Direct<forces::Double>>;

/// Cluster of equal masses with a scale and velocities close to those of a Plummer sphere in Henon
/// units.
HostBodies cluster(std::size_t count) {
  auto bodies = sample_bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    bodies.mass[i] = 1.0 / static_cast<double>(count);
    double const r = norm(bodies.position[i]);
    bodies.position[i] = (0.6 / (0.3 + r)) * bodies.position[i];
    bodies.velocity[i] = 0.35 * bodies.velocity[i];
  }
  return bodies;
}

}  // namespace

TEST_CASE("Hermite corrector and interpolation are exact for polynomials of their order") {
  check_exact<4>({{0.3, -1.1, 0.7, 2.0, 0.0, 0.0}});
  check_exact<6>({{0.3, -1.1, 0.7, 2.0, -0.4, 1.3}});
}

TEST_CASE("the predictor equals the Taylor series") {
  Path const cubic{{0.3, -1.1, 0.7, 2.0, 0.0, 0.0}};
  double const dt = 0.3;
  auto const force = cubic.force(0.0);
  auto const end = predicted(State<double>{2.0, 3.0}, force, cubic.derivative(0.0, 3), dt);
  CHECK(end.position == approximately(2.0 + 3.0 * dt + cubic.derivative(dt, -2), 1e-14));
  CHECK(end.velocity == approximately(3.0 + cubic.derivative(dt, -1), 1e-14));
  CHECK(predicted_acceleration(force, cubic.derivative(0.0, 3), dt) ==
        approximately(cubic.derivative(dt, 0), 1e-14));
}

TEST_CASE("time step criteria scale with eta and time as documented") {
  // |a^(k)| of sin(omega t) is proportional to omega^k, so the step is proportional to 1 / omega.
  double const slow[4] = {1, 1, 1, 1}, fast[4] = {1, 2, 4, 8};
  CHECK(longest_step<4>(slow, 0.02) == approximately(std::sqrt(0.02), 1e-14));
  CHECK(longest_step<4>(fast, 0.02) == approximately(0.5 * std::sqrt(0.02), 1e-14));
  double const slow6[6] = {1, 1, 1, 1, 1, 1}, fast6[6] = {1, 2, 4, 8, 16, 32};
  CHECK(longest_step<6>(slow6, 0.4) == approximately(0.4, 1e-14));
  CHECK(longest_step<6>(fast6, 0.4) == approximately(0.2, 1e-14));
  // Distinct numbers check every term; the expected values were computed by hand.
  double const distinct[4] = {3, 2, 4, 5};
  CHECK(longest_step<4>(distinct, 1.0) == approximately(std::sqrt(16.0 / 26.0), 1e-14));
  double const distinct6[6] = {3, 2, 4, 5, 6, 7};
  CHECK(longest_step<6>(distinct6, 1.0) == approximately(std::pow(16.0 / 71.0, 1.0 / 6.0), 1e-14));
}

TEST_CASE("levels are powers of two and lengthen only at commensurate times") {
  CHECK(level_of(1.0, 1.0) == 0);
  CHECK(level_of(2.0, 1.0) == 0);
  CHECK(level_of(0.99, 1.0) == 1);
  CHECK(level_of(0.25, 1.0) == 2);
  CHECK(level_of(1e-300, 1.0) == deepest_level + 1);
  CHECK(level_of(std::nan(""), 1.0) == 0);
  CHECK(next_level(2, 5, 0) == 5);            // shortened at once
  CHECK(next_level(5, 2, ticks_of(4)) == 4);  // lengthened by one level at a tick of level 4
  CHECK(next_level(5, 2, ticks_of(5)) == 5);  // not lengthened between ticks of level 4
  CHECK(next_level(0, 0, ticks) == 0);
  CHECK_THROWS_AS(expect_reachable(deepest_level + 1, 1.0, 0.0), Error);
}

TEST_CASE("Hermite block steps with one level equal shared steps bit for bit" *
          testing::thread_counts) {
  auto const host = cluster(100);
  Run block("hermite4", stepping("block", 10.0), host, 0.2, 1.0 / 1024);
  Run fixed("hermite4", stepping("fixed", 1.0), host, 0.2, 1.0 / 1024);
  block.advance(20, 1.0 / 1024);
  fixed.advance(20, 1.0 / 1024);
  CHECK(block.stepper->steps() == 20);
  CHECK(same_bits(to_host(block.space, block.bodies), to_host(fixed.space, fixed.bodies)));
  CHECK(block.energy_error() < 1e-9);
}

TEST_CASE("block steps conserve energy as adaptive shared steps do, with far fewer interactions") {
  auto const host = cluster(256);
  Run shared("hermite4", stepping("adaptive", 0.02), host, 0.0, 1.0 / 8);
  Run block("hermite4", stepping("block", 0.02), host, 0.0, 1.0 / 8);
  auto const interactions_before = block.solver.interactions();
  shared.advance(2, 1.0 / 8);
  block.advance(2, 1.0 / 8);
  CHECK(shared.energy_error() < 1e-5);
  CHECK(block.energy_error() < 1e-5);
  CHECK(block.solver.interactions() - interactions_before < shared.solver.interactions() / 5);
  // Halving the accuracy parameter increases the number of steps.
  Run finer("hermite4", stepping("block", 0.02), host, 0.0, 1.0 / 8);
  finer.stepper->refine();
  finer.stepper->start(finer.space, finer.bodies, finer.solver, 1.0 / 8);
  finer.advance(2, 1.0 / 8);
  CHECK(finer.stepper->steps() > 1.2 * static_cast<double>(block.stepper->steps()));
}

TEST_CASE("adaptive steps follow an orbit with e = 0.99, equally many fixed steps do not") {
  double const time_step = 2.0 * std::numbers::pi / 32;
  for (auto const* name : {"hermite4", "hermite6"}) {
    CAPTURE(name);
    bool const six = std::string(name) == "hermite6";
    Run adaptive(name, stepping("adaptive", six ? 0.4 : 0.005, six ? "nitadori_makino" : "aarseth"),
                 kepler_orbit(0.99), 0.0, time_step);
    adaptive.advance(32, time_step);
    CHECK(adaptive.energy_error() < 1e-4);
    auto const steps = static_cast<int>(adaptive.stepper->steps());
    CHECK(steps < 4000);
    Run fixed(name, stepping("fixed", 1.0), kepler_orbit(0.99), 0.0, 32 * time_step / steps);
    fixed.advance(steps, 32 * time_step / steps);
    CHECK(fixed.energy_error() > 100 * adaptive.energy_error());
  }
}

TEST_CASE("the softened acceleration criterion sets the step of any scheme") {
  // Two bodies at rest, 1 apart: |a| = 0.5 / (1 + eps^2)^(3/2), dt = sqrt(2 eta eps / |a|).
  HostBodies host(2);
  host.mass = {0.5, 0.5};
  host.position = {{0.5, 0, 0}, {-0.5, 0, 0}};
  double const eps = 0.1, eta = 0.025;
  double const a = 0.5 / std::pow(1.0 + eps * eps, 1.5);
  double const dt = std::sqrt(2.0 * eta * eps / a);
  auto const divisions = static_cast<std::uint64_t>(std::exp2(std::ceil(-std::log2(dt))));
  for (auto const* name : {"leapfrog_kdk", "leapfrog_dkd", "rk4", "hermite4"}) {
    CAPTURE(name);
    Run run(name, stepping("adaptive", eta, "softened_acceleration"), host, eps, 1.0);
    if (std::string(name) == "leapfrog_kdk") {
      // The accelerations of the start are still valid, since no body has moved.
      CHECK(softened_acceleration_step(run.space, run.bodies, eta, eps) ==
            approximately(dt, 1e-14));
    }
    run.advance(1, 1.0);
    CHECK(run.stepper->steps() >= divisions);
    CHECK(run.stepper->steps() < 4 * divisions);
  }
  Run fixed("leapfrog_kdk", stepping("fixed", 1.0), host, eps, 1.0);
  fixed.stepper->refine();
  fixed.advance(3, 1.0);
  CHECK(fixed.stepper->steps() == 6);
}

TEST_CASE("nearly colliding bodies throw an Error") {
  HostBodies host(2);
  host.mass = {0.5, 0.5};
  host.position = {{1e-12, 0, 0}, {-1e-12, 0, 0}};
  for (auto const* mode : {"adaptive", "block"}) {
    CHECK_THROWS_AS(Run("hermite4", stepping(mode, 0.001), host, 0.0, 1.0), Error);
  }
}

TEST_CASE("zero bodies and one body can be advanced") {
  for (auto const* mode : {"fixed", "adaptive", "block"}) {
    for (std::size_t const count : {0, 1}) {
      HostBodies host(count);
      if (count == 1) host.velocity = {{1, 2, 3}};
      if (count == 1) host.mass = {1.0};
      Run run("hermite4", stepping(mode, 0.02), host, 0.0, 0.5);
      run.advance(2, 0.5);
      if (count == 1) CHECK(to_host(run.space, run.bodies).position[0] == Vec3<double>{1, 2, 3});
    }
  }
}
