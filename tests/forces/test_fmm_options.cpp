// SPDX-License-Identifier: Apache-2.0
#include "fmm_run.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace apsis;
using namespace apsis::testing;

namespace {

forces::FmmOptions with_angle(double angle, int order) {
  forces::FmmOptions options;
  options.opening_angle = angle;
  options.order = order;
  return options;
}

forces::FmmOptions with_error(double error) {
  forces::FmmOptions options;
  options.opening_error = error;
  return options;
}

double error_with(HostBodies const& bodies, forces::FmmOptions const& options) {
  forces::Gravity const gravity{1.0, 0.01};
  Run<forces::Double> run(bodies, gravity, options);
  auto const first = run.evaluate();
  auto const errors = errors_of(first, bodies, gravity);
  CHECK(errors.momentum < 1e-14);
  // A geometric criterion has no state; the accelerations are the same again.
  if (options.opening_angle) CHECK(run.evaluate() == first);
  return errors.p99;
}

}  // namespace

TEST_CASE("opening_angle selects a geometric criterion" * expensive) {
  auto const bodies = plummer(6000);
  double before[3] = {1.0, 1.0, 1.0};
  for (double const angle : {0.9, 0.7, 0.5, 0.3}) {
    CAPTURE(angle);
    double higher = 1.0;
    for (int const order : {4, 5, 6}) {
      CAPTURE(order);
      double const error = error_with(bodies, with_angle(angle, order));
      // The error of one order is angle^order of the acceleration by a cell, a small part of the
      // total.
      CHECK(error < std::pow(angle, order));
      CHECK(error < before[order - 4]);
      CHECK(error < higher);
      before[order - 4] = higher = error;
    }
  }
  CHECK(before[2] < 1e-5);
}

TEST_CASE("opening_error selects an error relative to the smallest acceleration" * expensive) {
  auto const bodies = plummer(6000);
  double before = 1.0;
  for (double const error : {1e-1, 1e-2, 1e-3, 1e-4}) {
    CAPTURE(error);
    double const measured = error_with(bodies, with_error(error));
    CHECK(measured < before);
    // The bound holds for one cell; there are many, with errors in all directions.
    CHECK(measured < 3.0 * error);
    before = measured;
  }
  CHECK(before > 0.0);
}

TEST_CASE("a fixed criterion is not calibrated, and saves no unused state") {
  auto const bodies = plummer(4000);
  // Number of stored accelerations, and whether the fraction has changed from its initial value.
  auto const state = [&](forces::FmmOptions const& options) {
    Run<forces::Double> run(bodies, {1.0, 0.01}, options);
    std::uint64_t accelerations = 0;
    double parts[3] = {};
    for (double& fraction : parts) {
      SavedState saved;
      run.solver.exchange(saved);
      for (auto const& block : saved.blocks()) {
        auto const number = [&](auto& value) {
          std::copy_n(block.bytes.data(), sizeof value, reinterpret_cast<std::byte*>(&value));
        };
        if (block.name == "fmm/rows") number(accelerations);
        if (block.name == "fmm/part") number(fraction);
      }
      run.evaluate();
    }
    return std::pair(accelerations, parts[0] != parts[2]);
  };
  // So few bodies have smaller errors than requested.
  CHECK(state({}) == std::pair<std::uint64_t, bool>(4000, true));
  CHECK(state(with_error(1e-3)) == std::pair<std::uint64_t, bool>(4000, false));
  CHECK(state(with_angle(0.5, 5)) == std::pair<std::uint64_t, bool>(0, false));
}

TEST_CASE("lists that no longer fit are detected" * testing::thread_counts) {
  // One solver evaluates bodies with lists that grow from time to time, and shrink again.
  auto const sphere = plummer(5000);
  forces::Gravity const gravity{1.0, 0.01};
  Run<forces::Double> run(sphere, gravity, with_angle(0.6, 5));
  std::mt19937_64 draw(3);
  std::uniform_real_distribution<double> number(0.0, 1.0);
  auto const line = make_bodies(5000, [&](std::size_t) -> Vec3<double> {
    return {number(draw), 0, 0};
  });
  auto const cube = make_bodies(5000, [&](std::size_t) -> Vec3<double> {
    return {number(draw), number(draw), number(draw)};
  });
  auto const clumps = make_bodies(5000, [&](std::size_t i) -> Vec3<double> {
    double const x = static_cast<double>(i % 7);
    return {x + 1e-3 * number(draw), x * x + 1e-3 * number(draw), 1e-3 * number(draw)};
  });
  for (auto const* bodies : {&line, &sphere, &cube, &line, &clumps, &cube, &clumps, &sphere}) {
    Kokkos::deep_copy(run.bodies.position, to_device<double>(run.space, *bodies).position);
    Run<forces::Double> fresh(*bodies, gravity, with_angle(0.6, 5));
    CHECK(run.evaluate() == fresh.evaluate());
  }
}

TEST_CASE("massless bodies after a few massive ones are accelerated with any criterion" *
          expensive) {
  auto bodies = sample_bodies(3000);
  for (std::size_t massive : {2u, 1500u}) {
    CAPTURE(massive);
    for (std::size_t i = massive; i < bodies.size(); ++i) bodies.mass[i] = 0.0;
    forces::Gravity const gravity{1.0, 0.01};
    for (auto const& options : {with_angle(0.6, 5), with_error(1e-3), forces::FmmOptions()}) {
      Run<forces::Double> run(bodies, gravity, options);
      CHECK(run.solver.exclude_massless_sources(Context(), run.bodies.mass) == massive);
      for (int round = 0; round < 2; ++round) {
        CHECK(errors_of(run.evaluate(), bodies, gravity).worst < 1e-12);
      }
    }
    bodies = sample_bodies(3000);
  }
}

TEST_CASE("potentials with forces of all pairs equal potentials alone") {
  auto bodies = rounded_to_single(sample_bodies(4000));
  for (std::size_t i = 1900; i < bodies.size(); ++i) bodies.mass[i] = 0.0;
  Run<forces::Single> run(bodies, {1.0, 0.01});
  run.solver.exclude_massless_sources(Context(), run.bodies.mass);
  REQUIRE(run.solver.has_exact_potential(bodies.size()));
  auto const combined = run.evaluate().potential;
  run.solver.evaluate(run.space, forces::potentials_of(run.bodies, run.potential));
  run.space.fence();
  auto const alone = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), run.potential);
  std::size_t mismatches = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) mismatches += combined[i] != alone(i) ? 1u : 0u;
  CHECK(mismatches == 0);
}

TEST_CASE("sums over massive bodies alone are used if they are faster than sweeps over all" *
          testing::thread_counts) {
  auto bodies = plummer(20000);
  for (std::size_t i = 5000; i < bodies.size(); ++i) bodies.mass[i] = 0.0;
  auto const excludes_massless = [&](std::size_t fewest) {
    forces::FmmOptions options;
    options.min_bodies = fewest;
    Run<forces::Single> run(bodies, {1.0, 0.01}, options);
    run.solver.exclude_massless_sources(Context(), run.bodies.mass);
    return run.solver.describe_evaluation(Context(), bodies.size(), 0) != "fmm";
  };
  CHECK(!excludes_massless(0));
  CHECK(!excludes_massless(15000));  // more than the massive bodies: all of them are swept
  CHECK(excludes_massless(30000));
}
