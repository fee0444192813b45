// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm_or_direct.hpp"
#include "integrators/stepped_run.hpp"
#include "support/models.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace apsis;
using namespace apsis::testing;

namespace {

using DirectRun = SteppedRun<forces::Direct<forces::Double>>;

/// Two pairs on circular orbits, so far apart that they do not influence each other. The period of
/// the first pair is 2 pi, that of the second pair 2 pi / 27.
HostBodies two_pairs() {
  HostBodies host(4);
  double const radii[2] = {0.5, 0.5 / 9.0};
  for (std::size_t pair = 0; pair < 2; ++pair) {
    double const r = radii[pair], v = 0.5 / std::sqrt(2.0 * r);
    for (std::size_t k = 0; k < 2; ++k) {
      double const side = k == 0 ? 1.0 : -1.0;
      host.mass[2 * pair + k] = 0.5;
      host.position[2 * pair + k] = {1e7 * static_cast<double>(pair) + side * r, 0.0, 0.0};
      host.velocity[2 * pair + k] = {0.0, side * v * std::numbers::sqrt2, 0.0};
    }
  }
  return host;
}

/// Many light bodies at rest, with a density that increases towards the centre.
HostBodies cusp(std::size_t count) {
  auto host = sample_bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    double const scale = std::pow(0.001 + static_cast<double>(i) / static_cast<double>(count), 2.0);
    host.position[i] = scale * host.position[i];
    host.velocity[i] = {0.0, 0.0, 0.0};
    host.mass[i] = 1.0 / static_cast<double>(count);
  }
  return host;
}

}  // namespace

TEST_CASE("leapfrog block steps with one level equal shared steps bit for bit" *
          testing::thread_counts) {
  auto const host = sample_bodies(100);
  for (bool const compensated : {false, true}) {
    CAPTURE(compensated);
    DirectRun block("leapfrog_kdk", stepping("block", 1e9), host, 0.2, 1.0 / 64, compensated);
    DirectRun fixed("leapfrog_kdk", stepping("fixed", 1.0), host, 0.2, 1.0 / 64, compensated);
    block.advance(20, 1.0 / 64);
    fixed.advance(20, 1.0 / 64);
    CHECK(block.stepper->steps() == 20);
    CHECK(same_bits(block.host(), fixed.host()));
  }
}

TEST_CASE("each body has the step required by its acceleration and is evaluated once per step" *
          testing::thread_counts) {
  // |a| of the pairs is 0.5 and 40.5: a factor of 9 in the step, between 8 and 16.
  double const eps = 1e-6, time_step = 1.0 / 64;
  double const eta = 0.5 * time_step * time_step * 0.5 / eps * 1.5;
  DirectRun run("leapfrog_kdk", stepping("block", eta), two_pairs(), eps, time_step);
  double const before = run.solver.interactions();
  run.advance(3, time_step);
  CHECK(run.stepper->steps() == 3 * 8);
  // Per advance: seven block steps with two due bodies and one with all four, with four sources.
  CHECK(run.solver.interactions() - before == 3.0 * (7 * 2 * 4 + 4 * 4));
  // Each pair moves as it does in a run of its own with shared steps of the same length.
  auto const both = run.host();
  for (std::size_t pair = 0; pair < 2; ++pair) {
    HostBodies host(2);
    auto const pairs_at_start = two_pairs();
    for (std::size_t k = 0; k < 2; ++k) {
      host.mass[k] = pairs_at_start.mass[2 * pair + k];
      host.position[k] = pairs_at_start.position[2 * pair + k];
      host.velocity[k] = pairs_at_start.velocity[2 * pair + k];
    }
    int const steps = pair == 0 ? 1 : 8;
    DirectRun single_run("leapfrog_kdk", stepping("fixed", 1.0), host, eps, time_step / steps);
    single_run.advance(3 * steps, time_step / steps);
    auto const single = single_run.host();
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(norm(single.position[k] - both.position[2 * pair + k]) < 1e-7);
      CHECK(norm(single.velocity[k] - both.velocity[2 * pair + k]) < 1e-12);
    }
  }
}

TEST_CASE("after refine() steps stay halved even if the criterion allows longer ones") {
  for (auto const* name : {"leapfrog_kdk", "hermite4"}) {
    CAPTURE(name);
    DirectRun run(name, stepping("block", 1e9), sample_bodies(20), 0.2, 1.0 / 64);
    for (int halvings = 1; halvings <= 3; ++halvings) {
      CAPTURE(halvings);
      run.stepper->refine();
      run.stepper->start(run.space, run.bodies, run.solver, 1.0 / 64);
      double const before = run.solver.interactions();
      run.advance(4, 1.0 / 64);
      // All bodies are evaluated at each of the shorter steps.
      CHECK(run.solver.interactions() - before == (4 << halvings) * 20.0 * 20.0);
    }
  }
}

TEST_CASE("halving all steps quarters the error of block steps") {
  auto const errors = [](int halvings) {
    double const time_step = std::exp2(-4.0 - halvings), eps = 0.05;
    DirectRun run("leapfrog_kdk", stepping("block", 0.2 * std::exp2(-2.0 * halvings)), cusp(200),
                  eps, time_step);
    run.advance(4 << halvings, time_step);
    CHECK(run.stepper->steps() > (8u << halvings));
    DirectRun exact("hermite4", stepping("fixed", 1.0), cusp(200), eps, std::exp2(-12));
    exact.advance(1024, std::exp2(-12));
    auto const a = run.host(), b = exact.host();
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += norm(a.position[i] - b.position[i]);
    }
    return sum;
  };
  double const coarse = errors(2), fine = errors(3);
  CHECK(fine > 0.0);
  CHECK(coarse / fine > 3.0);
  CHECK(coarse / fine < 6.0);
}

TEST_CASE("block steps conserve the energy of a halo better than shared steps at twice the cost") {
  auto const& halo = model("nfw");
  auto const host = halo.make(values_for(halo, 5000), 1.0);
  double const eps = 0.02;
  DirectRun shared("leapfrog_kdk", stepping("fixed", 1.0), host, eps, 1.0 / 8);
  DirectRun block("leapfrog_kdk", stepping("block", 0.2), host, eps, 0.5);
  double shared_error = 0.0, block_error = 0.0;
  for (int sample = 0; sample < 4; ++sample) {
    shared.advance(8, 1.0 / 8);
    block.advance(2, 0.5);
    shared_error = std::max(shared_error, shared.energy_error());
    block_error = std::max(block_error, block.energy_error());
  }
  CHECK(shared_error > 1e-4);
  CHECK(block_error < shared_error);
  CHECK(block.solver.interactions() < 0.45 * shared.solver.interactions());
}

TEST_CASE("block steps with the FMM equal those with direct summation within the force accuracy" *
          testing::thread_counts) {
  auto const host = cusp(6000);
  double const eps = 0.01, time_step = 1.0 / 32, eta = 0.025;
  DirectRun direct("leapfrog_kdk", stepping("block", eta), host, eps, time_step);
  SteppedRun<forces::FmmOrDirect<forces::Double>> fmm("leapfrog_kdk", stepping("block", eta), host,
                                                      eps, time_step, false,
                                                      forces::FmmOptions{1e-5});
  direct.advance(2, time_step);
  fmm.advance(2, time_step);
  CHECK(fmm.solver.interactions() == direct.solver.interactions());
  CHECK(fmm.stepper->steps() == direct.stepper->steps());
  CHECK(fmm.stepper->steps() > 4);
  auto const a = direct.host(), b = fmm.host();
  double largest = 0.0, moved = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, norm(a.position[i] - b.position[i]));
    moved = std::max(moved, norm(a.position[i] - host.position[i]));
  }
  CHECK(moved > 1e-2);
  CHECK(largest > 0.0);
  CHECK(largest < 1e-4 * moved);
}
