// SPDX-License-Identifier: Apache-2.0
#include "fmm_run.hpp"
#include "forces/fmm/tree/key_sort.hpp"
#include "forces/fmm_or_direct.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// The accelerations in a solver's state.
template <class Number>
std::vector<typename Number::Stored> accelerations_in_state(forces::FmmOrDirect<Number>& solver) {
  SavedState saved;
  solver.exchange(saved);
  for (auto const& block : saved.blocks()) {
    if (block.name != "fmm/pull") continue;
    std::vector<typename Number::Stored> accelerations(block.count());
    std::memcpy(accelerations.data(), block.bytes.data(), block.bytes.size());
    return accelerations;
  }
  return {};
}

struct Sample {
  std::string name;
  HostBodies bodies;
};

std::vector<Sample> samples(std::size_t count) {
  std::mt19937_64 draw(7);
  std::uniform_real_distribution<double> number(0.0, 1.0);
  std::normal_distribution<double> normal;
  auto const cube = [&](std::size_t) -> Vec3<double> {
    return {number(draw), number(draw), number(draw)};
  };
  std::vector<Sample> result;
  result.push_back({"Plummer", plummer(count)});
  result.push_back({"uniform", make_bodies(count, cube)});
  // Cells of equal size, of which neither is larger.
  result.push_back({"lattice", make_bodies(count, [](std::size_t i) -> Vec3<double> {
                      return {static_cast<double>(i % 16), static_cast<double>(i / 16 % 16),
                              static_cast<double>(i / 256)};
                    })});
  result.push_back({"thin disk", make_bodies(count, [&](std::size_t) -> Vec3<double> {
                      double const r = -std::log(1.0 - number(draw)), angle = 6.28 * number(draw);
                      return {r * std::cos(angle), r * std::sin(angle), 0.01 * normal(draw)};
                    })});
  result.push_back({"two far apart", make_bodies(count, [&](std::size_t i) {
                      auto x = in_plummer(draw);
                      x.x += i % 2 == 0 ? -3e3 : 3e3;
                      return x;
                    })});
  result.push_back({"one far away", make_bodies(count, [&](std::size_t i) -> Vec3<double> {
                      return i == 5 ? Vec3<double>{1e6, -1e6, 2e6} : in_plummer(draw);
                    })});
  result.push_back({"masses over twelve decades", plummer(count)});
  for (auto& m : result.back().bodies.mass) m = std::pow(10.0, -12.0 * number(draw));
  result.push_back({"a third without mass", plummer(count)});
  for (std::size_t i = 0; i < count; i += 3) result.back().bodies.mass[i] = 0.0;
  return result;
}

}  // namespace

TEST_CASE_TEMPLATE("fmm keeps its accuracy, and conserves momentum" * expensive, Number,
                   forces::Single, forces::Mixed, forces::Double) {
  constexpr bool single = sizeof(typename Number::Stored) == 4;
  constexpr bool reals_are_single = sizeof(typename Number::Real) == 4;
  for (auto const& sample : samples(3000)) {
    CAPTURE(sample.name);
    for (forces::Gravity const& gravity :
         {forces::Gravity{1.0, 0.0}, forces::Gravity{6.7, 0.02},
          forces::Gravity{1.0, 0.05, forces::SofteningKernel::spline}}) {
      CAPTURE(gravity.softening);
      auto const bodies = single ? rounded_to_single(sample.bodies) : sample.bodies;
      Run<Number> run(bodies, gravity);
      run.evaluate();
      auto const errors = errors_of(run.evaluate(), bodies, gravity);
      CHECK(errors.p99 <= 1e-3);
      CHECK(errors.worst <= 5e-3);
      CHECK(errors.potential <= 1e-3);
      CHECK(errors.momentum <= (reals_are_single ? 1e-7 : 1e-14));
    }
  }
}

TEST_CASE("fmm's errors are within the requested accuracy" * expensive) {
  auto const bodies = plummer(6000);
  forces::Gravity const gravity{1.0, 0.01};
  double before = 1.0;
  for (double const accuracy : {1e-2, 1e-3, 1e-4, 1e-5}) {
    CAPTURE(accuracy);
    Run<forces::Double> run(bodies, gravity, {accuracy});
    run.evaluate();
    auto const errors = errors_of(run.evaluate(), bodies, gravity);
    CHECK(errors.p99 <= accuracy);
    CHECK(errors.p99 < before);
    before = errors.p99;
  }
}

TEST_CASE("fmm evaluates any number of bodies" * expensive) {
  forces::Gravity const softened{1.0, 0.1};
  // Includes a last leaf with one body.
  for (std::size_t const count : {0, 1, 2, 3, 7, 8, 9, 16, 17, 33, 257, 1025, 1041, 4001}) {
    CAPTURE(count);
    auto const bodies = sample_bodies(count);
    Run<forces::Double> run(bodies, softened);
    CHECK(errors_of(run.evaluate(), bodies, softened).worst <= 3e-3);
    Run<forces::Mixed> mixed(bodies, softened);
    CHECK(errors_of(mixed.evaluate(), bodies, softened).worst <= 3e-3);
  }
}

TEST_CASE("fmm evaluates bodies in any configuration" * expensive) {
  forces::Gravity const softened{1.0, 0.1};
  SUBCASE("thousands in one place") {
    auto bodies = sample_bodies(5000);
    for (std::size_t i = 0; i < 3000; ++i) bodies.position[i] = {0.1, 0.2, -0.3};
    Run<forces::Double> run(bodies, softened);
    CHECK(errors_of(run.evaluate(), bodies, softened).p99 <= 1e-3);
  }
  SUBCASE("all in one place") {
    auto const bodies = make_bodies(3000, [](std::size_t) { return Vec3<double>{1.0, 2.0, 3.0}; });
    Run<forces::Single> run(bodies, softened);
    auto const result = run.evaluate();
    for (auto const& a : result.acceleration) CHECK((a.x == 0.0 && a.y == 0.0 && a.z == 0.0));
    CHECK(result.potential[17] == approximately(-2999.0 / 3000.0 / 0.1, 1e-6));
  }
  SUBCASE("more coincident bodies than lists allow") {
    auto const bodies = make_bodies(140000, [](std::size_t i) {
      return i % 40 == 0 ? Vec3<double>{1.0, 2.0, 3.0} : Vec3<double>{-1.0, 2.0, 3.0};
    });
    Run<forces::Single> run(bodies, softened);
    CHECK(run.solver.describe(bodies.size()) == "fmm");
    CHECK_FALSE(run.solver.falls_back());
    auto const result = run.evaluate(false);
    double const of_one = -2.0 / std::pow(4.01, 1.5);
    CHECK(result.acceleration[0].x == approximately(of_one * 39 / 40, 1e-5));
    CHECK(result.acceleration[1].x == approximately(-of_one / 40, 1e-5));
    // describe() names the kernel that was used.
    CHECK(run.solver.falls_back());
    CHECK(run.solver.describe(bodies.size()) ==
          forces::Direct<forces::Single>(softened).describe(bodies.size()));
  }
  SUBCASE("one at the centre of symmetric pairs, without acceleration") {
    // If it were near every cell, its list would exceed the limit.
    auto bodies = plummer(140000);
    for (std::size_t i = 0; i < 70000; ++i) bodies.position[70000 + i] = -1.0 * bodies.position[i];
    bodies.position[7] = bodies.position[70007] = {0.0, 0.0, 0.0};
    bodies.mass[7] = 1e-3;
    Run<forces::Single> run(bodies, softened);
    for (int round = 0; round < 2; ++round) run.evaluate(false);
    CHECK(run.solver.describe(bodies.size()) == "fmm");
    CHECK(run.solver.errors()->measured <= 1e-3);
  }
  SUBCASE("one of them far away") {
    auto bodies = plummer(3000);
    bodies.position[3] = {1e10, 0.0, 0.0};
    bodies = rounded_to_single(bodies);
    Run<forces::Single> run(bodies, softened);
    CHECK(errors_of(run.evaluate(), bodies, softened).p99 <= 1e-3);
  }
  SUBCASE("on a line") {
    auto const bodies = make_bodies(3000, [](std::size_t i) {
      return Vec3<double>{1e-3 * static_cast<double>(i * i), 0.0, 0.0};
    });
    Run<forces::Double> run(bodies, softened);
    CHECK(errors_of(run.evaluate(), bodies, softened).p99 <= 1e-3);
  }
  SUBCASE("at huge and tiny distances") {
    for (double const size : {1e-12, 1e12}) {
      CAPTURE(size);
      auto bodies = plummer(3000);
      for (auto& x : bodies.position) x = size * x;
      bodies = rounded_to_single(bodies);
      forces::Gravity const gravity{1.0, 0.0};
      Run<forces::Single> run(bodies, gravity);
      CHECK(errors_of(run.evaluate(), bodies, gravity).p99 <= 1e-3);
    }
  }
  SUBCASE("without mass") {
    auto bodies = sample_bodies(300);
    std::fill(bodies.mass.begin(), bodies.mass.end(), 0.0);
    Run<forces::Double> run(bodies, softened);
    for (auto const& a : run.evaluate().acceleration) CHECK(a.x == 0.0);
  }
  SUBCASE("positions that are not finite") {
    auto bodies = plummer(3000);
    bodies.position[11].y = std::nan("");
    bodies.position[12].z = HUGE_VAL;
    Run<forces::Single> run(bodies, softened);
    auto const result = run.evaluate();  // the result is undefined, but the call must return
    CHECK(!std::isfinite(result.acceleration[11].y));
  }
}

TEST_CASE("consecutive bodies on the curve are close to each other, also in a small cluster" *
          testing::thread_counts) {
  for (double const size : {1.0, 1e-9}) {
    CAPTURE(size);
    auto bodies = plummer(4000);
    for (auto& x : bodies.position) x = size * x;
    bodies.position[7] = {50.0, -40.0, 30.0};
    ExecutionSpace const space;
    forces::fmm::KeyedBodies keyed;
    auto const order = Kokkos::create_mirror_view_and_copy(
        Kokkos::HostSpace(),
        forces::fmm::curve_order(space, to_device<double>(space, bodies).position, 4000, keyed));
    std::vector<double> steps;
    std::vector<int> counts(4000, 0);
    for (std::size_t k = 0; k < 4000; ++k) {
      ++counts[order(k)];
      if (k > 0) steps.push_back(norm(bodies.position[order(k)] - bodies.position[order(k - 1)]));
    }
    CHECK(std::count(counts.begin(), counts.end(), 1) == 4000);
    std::sort(steps.begin(), steps.end());
    // A body has a cube of side 0.16 to itself at the median radius of 1.3, which is about the
    // length of a step in any other order.
    CHECK(steps[2000] < 0.3 * size);
  }
  // Coincident bodies are in the order of their numbers.
  auto bodies = plummer(1000);
  for (std::size_t i = 300; i < 800; ++i) bodies.position[i] = {0.5, 0.5, 0.5};
  ExecutionSpace const space;
  forces::fmm::KeyedBodies keyed;
  auto const order = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(),
      forces::fmm::curve_order(space, to_device<double>(space, bodies).position, 1000, keyed));
  std::vector<std::uint32_t> coincident;
  for (std::size_t k = 0; k < 1000; ++k) {
    if (order(k) >= 300 && order(k) < 800) coincident.push_back(order(k));
  }
  CHECK(std::is_sorted(coincident.begin(), coincident.end()));
}

TEST_CASE("fmm reproduces its bits, also from a saved state" * testing::thread_counts) {
  auto const bodies = plummer(4000);
  forces::Gravity const gravity{1.0, 0.01};
  Run<forces::Single> run(bodies, gravity), again(bodies, gravity), restored(bodies, gravity);
  auto const first = run.evaluate();
  CHECK(first == again.evaluate());
  SavedState saved;
  run.solver.exchange(saved);
  SavedState state(saved.blocks());
  restored.solver.exchange(state);
  state.finish();
  auto const second = run.evaluate();
  CHECK(second == restored.evaluate());
  // Evaluating potentials in between changes nothing, whatever the positions are then.
  auto elsewhere = to_device<float>(again.space, samples(4000).back().bodies);
  again.solver.evaluate(again.space, forces::potentials_of(elsewhere, again.potential));
  CHECK(second == again.evaluate());
}

TEST_CASE_TEMPLATE("fmm gives a subset of the bodies the same results as among all" * expensive,
                   Number, forces::Single, forces::Mixed, forces::Double) {
  using Stored = typename Number::Stored;
  std::size_t const count = 40000;
  auto const bodies = plummer(count);
  forces::Gravity const gravity{1.0, 0.01};
  Run<Number> all_bodies(bodies, gravity), subset(bodies, gravity);
  for (int round = 0; round < 4; ++round) {  // until both are calibrated
    all_bodies.evaluate();
    subset.evaluate();
  }
  auto const accelerations_before = accelerations_in_state<Number>(all_bodies.solver);
  auto const among_all = all_bodies.evaluate();
  // The centre, and some bodies that are the only targets of their leaves.
  std::vector<std::size_t> targets;
  for (std::size_t i = 0; i < count; ++i) {
    if (norm(bodies.position[i]) < 0.5 || i % 300 == 7) targets.push_back(i);
  }
  REQUIRE(targets.size() > 2000);
  REQUIRE(targets.size() < 10000);
  forces::BodyList const listed("apsis::testing::listed", count);
  auto const host = Kokkos::create_mirror_view(listed);
  for (std::size_t k = 0; k < targets.size(); ++k) host(k) = targets[k];
  Kokkos::deep_copy(listed, host);
  VectorColumns<Stored> const result("apsis::testing::found", count);
  Column<double> const potential("apsis::testing::potential", count);
  Kokkos::deep_copy(result, Stored(-77));
  double const before = subset.solver.interactions();
  forces::Field<Stored> wanted{forces::Wants::acceleration_and_potential, result};
  wanted.potential = potential;
  subset.solver.evaluate(
      subset.space,
      forces::field_at(subset.bodies, forces::BodyRows::listed(listed, targets.size()), wanted));
  subset.space.fence();
  CHECK(subset.solver.interactions() - before ==
        static_cast<double>(targets.size()) * static_cast<double>(count));
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  auto const p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);
  std::size_t mismatches = 0;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    auto const& b = among_all.acceleration[targets[k]];
    mismatches += a(k, 0) != static_cast<Stored>(b.x) || a(k, 1) != static_cast<Stored>(b.y) ||
                  a(k, 2) != static_cast<Stored>(b.z) || p(k) != among_all.potential[targets[k]];
  }
  CHECK(mismatches == 0);
  CHECK(a(targets.size(), 0) == Stored(-77));
  // The accelerations for the next evaluation: new ones of the targets, old ones of the other
  // bodies.
  auto const accelerations = accelerations_in_state<Number>(subset.solver);
  auto const after_all = accelerations_in_state<Number>(all_bodies.solver);
  REQUIRE(accelerations.size() == count);
  std::size_t new_ones = 0, old_ones = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bool const is_target = std::binary_search(targets.begin(), targets.end(), i);
    new_ones += is_target && accelerations[i] == after_all[i];
    old_ones += !is_target && accelerations[i] == accelerations_before[i];
  }
  CHECK(new_ones == targets.size());
  CHECK(old_ones == count - targets.size());
}

TEST_CASE("fmm sums small numbers of bodies over all pairs, and describes that") {
  auto const bodies = plummer(3000);
  forces::Gravity const gravity{1.0, 0.01};
  for (std::size_t const fewest : {3001, 3000}) {
    CAPTURE(fewest);
    Run<forces::Double> run(bodies, gravity);
    forces::FmmOrDirect<forces::Double> solver(gravity, {1e-3, fewest});
    forces::Direct<forces::Double> direct(gravity);
    bool const few = fewest > 3000;
    CHECK(solver.describe(3000) == (few ? direct.describe(3000) : "fmm"));
    CHECK(solver.describe(3000, 1) == direct.describe(3000, 1));
    VectorColumns<double> const a("apsis::testing::a", 3000), b("apsis::testing::b", 3000);
    solver.evaluate(run.space,
                    forces::field_of(run.bodies, forces::Field<double>::accelerations(a)));
    direct.evaluate(run.space,
                    forces::field_of(run.bodies, forces::Field<double>::accelerations(b)));
    run.space.fence();
    auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
    auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
    std::size_t same = 0;
    for (std::size_t i = 0; i < 3000; ++i) same += x(i, 0) == y(i, 0) ? 1u : 0u;
    CHECK((same == 3000) == few);
  }
  // The table's entry uses fmm from some number on, which rises with the accuracy.
  auto const& entry = forces::solvers().get("auto");
  auto const describe = [&](double accuracy, std::size_t count) {
    Values values;
    values.set("accuracy", accuracy);
    return entry.make<float>({gravity, forces::Precision::single_precision, values})
        ->describe(count);
  };
  CHECK(describe(1e-3, 1000) != "fmm");
  CHECK(describe(1e-3, 1000000) == "fmm");
  CHECK(describe(1e-2, 60000) == "fmm");
  CHECK(describe(4e-5, 12001) != "fmm");
  // Requests with derivatives use all pairs, and so do all other measurements.
  auto const with_jerk = entry.make<double>({gravity, forces::Precision::double_precision, {}, 1});
  CHECK(with_jerk->describe(1000000) != "fmm");
  CHECK(with_jerk->accuracy() == 0.0);
}

TEST_CASE("fmm sums over all pairs for few targets" * testing::thread_counts) {
  auto const bodies = plummer(3000);
  forces::Gravity const gravity{1.0, 0.01};
  Run<forces::Double> run(bodies, gravity);
  run.evaluate();
  forces::BodyList const list("apsis::testing::some", 5);
  auto const host = Kokkos::create_mirror_view(list);
  for (std::size_t k = 0; k < 5; ++k) host(k) = 500 * k + 1;
  Kokkos::deep_copy(list, host);
  VectorColumns<double> const result("apsis::testing::found", 5);
  run.solver.evaluate(run.space, forces::field_at(run.bodies, forces::BodyRows::listed(list, 5),
                                                  forces::Field<double>::accelerations(result)));
  run.space.fence();
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
  ReferenceForce const exact(bodies, 1.0, 0.01);
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(a(k, 0) == approximately(exact.acceleration[500 * k + 1].x, 1e-12));
  }
}
