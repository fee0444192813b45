// SPDX-License-Identifier: Apache-2.0
#include "integrators/hermite_formulas.hpp"
#include "integrators/stepped_run.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace apsis;
using namespace apsis::integrators;
using namespace apsis::testing;

namespace {

using Run = SteppedRun<forces::Direct<forces::Double>>;

/// Masses 3, 4, 5 at rest in the corners of the triangle of sides 3, 4, 5 (Burrau 1913).
HostBodies pythagorean_triangle() {
  HostBodies host(3);
  host.mass = {3, 4, 5};
  host.position = {{1, 3, 0}, {-2, -1, 0}, {1, -1, 0}};
  return host;
}

/// Positions at t = 60 from a Taylor series of order 34 in 128 bits (relative change of the energy
/// 4e-28).
constexpr Vec3<double> pythagorean_at_60[] = {{0.7438075001180829154, 1.9399479510948632994, 0},
                                              {0.2640103346862565389, -0.7316243948699637168, 0},
                                              {-0.6574927678198549804, -0.5786692547609470063, 0}};

double largest_distance(HostBodies const& host, Vec3<double> const* expected) {
  double largest = 0.0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    largest = std::max(largest, norm(host.position[i] - expected[i]));
  }
  return largest;
}

}  // namespace

TEST_CASE("the sum of both parts of a Hermite step is exact beyond double precision") {
  // A free body: the increment 0x1p-60 is lost in 1.0 and must be in the low part.
  State<double> const start{1.0, 0x1p-30, 0x1p-55, 0.0};
  double const dt = 0x1p-30;
  Force<double> const free{};
  auto const end = corrected<4>(start, free, free, dt);
  CHECK(end.position == 1.0);
  CHECK(end.position_low == 0x1p-55 + 0x1p-60);
  CHECK(corrected<6>(start, free, free, dt).position_low == 0x1p-55 + 0x1p-60);
  CHECK(predicted(start, free, 0.0, dt).position_low == 0x1p-55 + 0x1p-60);
  Force<double> const push{0x1p-30};
  auto const pushed = corrected<4>(State<double>{0.0, 1.0}, push, push, dt);
  CHECK(pushed.velocity == 1.0);
  CHECK(pushed.velocity_low == 0x1p-60);
}

TEST_CASE("a free body keeps its path over many Hermite steps" * testing::thread_counts) {
  // 65 bodies are advanced by kernels, one body by one thread where kernels run on a host.
  double const dt = 0x1p-7, speed = 0.3;  // the increment of a step is not rounded
  int const steps = 2000;
  for (auto const* name : {"hermite4", "hermite6"}) {
    for (auto const* mode : {"fixed", "adaptive", "block"}) {
      if (!integrator(name).has_blocks() && std::string(mode) == "block") continue;
      for (std::size_t const count : {1, 65}) {
        CAPTURE(name);
        CAPTURE(mode);
        CAPTURE(count);
        HostBodies host(count);
        for (auto& v : host.velocity) v = {speed, 0, 0};
        for (auto& x : host.position) x = {1, 0, 0};
        std::string const criterion = integrator(name).has_blocks() ? "aarseth" : "nitadori_makino";
        Run run(name, stepping(mode, 0.1, criterion), host, 0.0, dt);
        auto const few = run.stepper->advance_few(run.space, run.bodies, run.solver, dt, steps,
                                                  std::numeric_limits<double>::max());
        run.advance(steps - static_cast<int>(few), dt);
        double const expected = static_cast<double>(1.0L + 1.0L * speed * dt * steps);
        CHECK(std::abs(run.host().position[count - 1].x - expected) <= 9e-16);
      }
    }
  }
}

TEST_CASE("Hermite schemes follow the Pythagorean problem to t = 60" * expensive) {
  // Two of the bodies come as close as 4e-4 at distances of order 1 from the origin. Without low
  // parts the energy error has a floor of 1e-9 to 1e-8, and the positions one of 1e-2.
  double const time_step = 1.0 / 16;
  Run run("hermite6", stepping("adaptive", 0.03, "nitadori_makino"), pythagorean_triangle(), 0.0,
          time_step);
  double worst = 0.0;
  for (int k = 0; k < 60; ++k) {
    run.advance(16, time_step);
    worst = std::max(worst, run.energy_error());
  }
  CHECK(worst < 1e-11);
  CHECK(largest_distance(run.host(), pythagorean_at_60) < 1e-3);
}

TEST_CASE("Hermite steps of order 4 keep the energy through the closest passage of three bodies" *
          expensive) {
  double const time_step = 1.0 / 16;
  for (auto const* mode : {"adaptive", "block"}) {
    CAPTURE(mode);
    Run run("hermite4", stepping(mode, 1e-5), pythagorean_triangle(), 0.0, time_step);
    run.advance(16 * 16, time_step);    // the passage is at t = 15.83
    CHECK(run.energy_error() < 1e-10);  // without low parts 1e-9 to 1e-8
  }
}
