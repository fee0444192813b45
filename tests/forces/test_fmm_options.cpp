// SPDX-License-Identifier: Apache-2.0
#include "fmm_run.hpp"
#include "support/expensive.hpp"
#include "support/sample_bodies.hpp"

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
  // Distances remember nothing; pulls are the same again.
  if (options.opening_angle) CHECK(run.evaluate() == first);
  return errors.most;
}

}  // namespace

TEST_CASE("fmm opens cells by an angle alone if it is told so" * expensive) {
  auto const bodies = plummer(6000);
  double before[3] = {1.0, 1.0, 1.0};
  for (double const angle : {0.9, 0.7, 0.5, 0.3}) {
    CAPTURE(angle);
    double higher = 1.0;
    for (int const order : {4, 5, 6}) {
      CAPTURE(order);
      double const error = error_with(bodies, with_angle(angle, order));
      // Of the next order angle^order is missing, of a pull that is a small part of all.
      CHECK(error < std::pow(angle, order));
      CHECK(error < before[order - 4]);
      CHECK(error < higher);
      before[order - 4] = higher = error;
    }
  }
  CHECK(before[2] < 1e-5);
}

TEST_CASE("fmm opens cells by a part of the least pull if it is told so" * expensive) {
  auto const bodies = plummer(6000);
  double before = 1.0;
  for (double const error : {1e-1, 1e-2, 1e-3, 1e-4}) {
    CAPTURE(error);
    double const found = error_with(bodies, with_error(error));
    CHECK(found < before);
    // Of one cell each; there are many, whose errors point anywhere.
    CHECK(found < 3.0 * error);
    before = found;
  }
  CHECK(before > 0.0);
}

TEST_CASE("what is said to be opened is not calibrated, and leaves no state that is not read") {
  auto const bodies = plummer(4000);
  // Pulls that are kept, and whether the part that cells may add is not the first one.
  auto const state = [&](forces::FmmOptions const& options) {
    Run<forces::Double> run(bodies, {1.0, 0.01}, options);
    std::uint64_t pulls = 0;
    double parts[3] = {};
    for (double& part : parts) {
      SavedState saved;
      run.solver.exchange(saved);
      for (auto const& block : saved.blocks()) {
        auto const number = [&](auto& to) {
          std::copy_n(block.bytes.data(), sizeof to, reinterpret_cast<std::byte*>(&to));
        };
        if (block.name == "fmm/rows") number(pulls);
        if (block.name == "fmm/part") number(part);
      }
      run.evaluate();
    }
    return std::pair(pulls, parts[0] != parts[2]);
  };
  // So few bodies have smaller errors than are asked for.
  CHECK(state({}) == std::pair<std::uint64_t, bool>(4000, true));
  CHECK(state(with_error(1e-3)) == std::pair<std::uint64_t, bool>(4000, false));
  CHECK(state(with_angle(0.5, 5)) == std::pair<std::uint64_t, bool>(0, false));
}

TEST_CASE("lists that were long enough and are no more are found out") {
  // The same solver sees bodies whose lists grow from turn to turn, and shrink again.
  auto const sphere = plummer(5000);
  forces::Gravity const gravity{1.0, 0.01};
  Run<forces::Double> run(sphere, gravity, with_angle(0.6, 5));
  std::mt19937_64 draw(3);
  std::uniform_real_distribution<double> number(0.0, 1.0);
  auto const line = placed(5000, [&](std::size_t) -> Vec3<double> { return {number(draw), 0, 0}; });
  auto const cube = placed(5000, [&](std::size_t) -> Vec3<double> {
    return {number(draw), number(draw), number(draw)};
  });
  auto const clumps = placed(5000, [&](std::size_t i) -> Vec3<double> {
    double const at = static_cast<double>(i % 7);
    return {at + 1e-3 * number(draw), at * at + 1e-3 * number(draw), 1e-3 * number(draw)};
  });
  for (auto const* bodies : {&line, &sphere, &cube, &line, &clumps, &cube, &clumps, &sphere}) {
    Kokkos::deep_copy(run.bodies.position, to_device<double>(run.space, *bodies).position);
    Run<forces::Double> fresh(*bodies, gravity, with_angle(0.6, 5));
    CHECK(run.evaluate() == fresh.evaluate());
  }
}

TEST_CASE("the massless behind a few massive bodies are pulled, whatever is opened" * expensive) {
  auto bodies = sample_bodies(3000);
  for (std::size_t massive : {2u, 1500u}) {
    CAPTURE(massive);
    for (std::size_t i = massive; i < bodies.size(); ++i) bodies.mass[i] = 0.0;
    forces::Gravity const gravity{1.0, 0.01};
    for (auto const& options : {with_angle(0.6, 5), with_error(1e-3), forces::FmmOptions()}) {
      Run<forces::Double> run(bodies, gravity, options);
      CHECK(run.solver.leave_out_massless(Context(), run.bodies.mass) == massive);
      for (int turn = 0; turn < 2; ++turn) {
        CHECK(errors_of(run.evaluate(), bodies, gravity).worst < 1e-12);
      }
    }
    bodies = sample_bodies(3000);
  }
}

TEST_CASE("potentials that come with forces of all pairs are what they are alone") {
  auto bodies = rounded_to_single(sample_bodies(4000));
  for (std::size_t i = 1900; i < bodies.size(); ++i) bodies.mass[i] = 0.0;
  Run<forces::Single> run(bodies, {1.0, 0.01});
  run.solver.leave_out_massless(Context(), run.bodies.mass);
  REQUIRE(run.solver.has_exact_potential(bodies.size()));
  auto const together = run.evaluate().potential;
  run.solver.evaluate(run.space, forces::potentials_of(run.bodies, run.potential));
  run.space.fence();
  auto const alone = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), run.potential);
  std::size_t others = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) others += together[i] != alone(i) ? 1u : 0u;
  CHECK(others == 0);
}

TEST_CASE("massive bodies alone are summed over where that is faster than sweeps over all") {
  auto bodies = plummer(20000);
  for (std::size_t i = 5000; i < bodies.size(); ++i) bodies.mass[i] = 0.0;
  auto const leaves_out = [&](std::size_t fewest) {
    forces::FmmOptions options;
    options.fewest = fewest;
    Run<forces::Single> run(bodies, {1.0, 0.01}, options);
    run.solver.leave_out_massless(Context(), run.bodies.mass);
    return run.solver.describe_evaluation(bodies.size(), 0) != "fmm";
  };
  CHECK(!leaves_out(0));
  CHECK(!leaves_out(15000));  // more than are massive: all of them are swept
  CHECK(leaves_out(30000));
}
