// SPDX-License-Identifier: Apache-2.0
#include "fmm_run.hpp"
#include "forces/fmm/curve_order.hpp"
#include "support/expensive.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/fmm.hpp>

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

/// The pulls in a solver's state.
template <class Number>
std::vector<typename Number::Stored> pulls_of(forces::Fmm<Number>& solver) {
  SavedState saved;
  solver.exchange(saved);
  for (auto const& block : saved.blocks()) {
    if (block.name != "fmm/pull") continue;
    std::vector<typename Number::Stored> pulls(block.count());
    std::memcpy(pulls.data(), block.bytes.data(), block.bytes.size());
    return pulls;
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
  std::vector<Sample> all;
  all.push_back({"Plummer", plummer(count)});
  all.push_back({"uniform", placed(count, cube)});
  // Cells of the same size, of which neither is larger.
  all.push_back({"lattice", placed(count, [](std::size_t i) -> Vec3<double> {
                   return {static_cast<double>(i % 16), static_cast<double>(i / 16 % 16),
                           static_cast<double>(i / 256)};
                 })});
  all.push_back({"thin disk", placed(count, [&](std::size_t) -> Vec3<double> {
                   double const r = -std::log(1.0 - number(draw)), angle = 6.28 * number(draw);
                   return {r * std::cos(angle), r * std::sin(angle), 0.01 * normal(draw)};
                 })});
  all.push_back({"two far apart", placed(count, [&](std::size_t i) {
                   auto x = in_plummer(draw);
                   x.x += i % 2 == 0 ? -3e3 : 3e3;
                   return x;
                 })});
  all.push_back({"one far away", placed(count, [&](std::size_t i) -> Vec3<double> {
                   return i == 5 ? Vec3<double>{1e6, -1e6, 2e6} : in_plummer(draw);
                 })});
  all.push_back({"masses over twelve decades", plummer(count)});
  for (auto& m : all.back().bodies.mass) m = std::pow(10.0, -12.0 * number(draw));
  all.push_back({"a third without mass", plummer(count)});
  for (std::size_t i = 0; i < count; i += 3) all.back().bodies.mass[i] = 0.0;
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("fmm keeps its promise, and momentum" * expensive, Number, forces::Single,
                   forces::Mixed, forces::Double) {
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
      CHECK(errors.most <= 1e-3);
      CHECK(errors.worst <= 5e-3);
      CHECK(errors.potential <= 1e-3);
      CHECK(errors.momentum <= (reals_are_single ? 1e-7 : 1e-14));
    }
  }
}

TEST_CASE("fmm's errors are as small as is asked for" * expensive) {
  auto const bodies = plummer(6000);
  forces::Gravity const gravity{1.0, 0.01};
  double before = 1.0;
  for (double const accuracy : {1e-2, 1e-3, 1e-4, 1e-5}) {
    CAPTURE(accuracy);
    Run<forces::Double> run(bodies, gravity, {accuracy});
    run.evaluate();
    auto const errors = errors_of(run.evaluate(), bodies, gravity);
    CHECK(errors.most <= accuracy);
    CHECK(errors.most < before);
    before = errors.most;
  }
}

TEST_CASE("fmm takes any number of bodies" * expensive) {
  forces::Gravity const softened{1.0, 0.1};
  // With one body in the last leaf too.
  for (std::size_t const count : {0, 1, 2, 3, 7, 8, 9, 16, 17, 33, 257, 1025, 1041, 4001}) {
    CAPTURE(count);
    auto const bodies = sample_bodies(count);
    Run<forces::Double> run(bodies, softened);
    CHECK(errors_of(run.evaluate(), bodies, softened).worst <= 3e-3);
    Run<forces::Mixed> mixed(bodies, softened);
    CHECK(errors_of(mixed.evaluate(), bodies, softened).worst <= 3e-3);
  }
}

TEST_CASE("fmm takes bodies in any place" * expensive) {
  forces::Gravity const softened{1.0, 0.1};
  SUBCASE("thousands in one place") {
    auto bodies = sample_bodies(5000);
    for (std::size_t i = 0; i < 3000; ++i) bodies.position[i] = {0.1, 0.2, -0.3};
    Run<forces::Double> run(bodies, softened);
    CHECK(errors_of(run.evaluate(), bodies, softened).most <= 1e-3);
  }
  SUBCASE("all in one place") {
    auto const bodies = placed(3000, [](std::size_t) { return Vec3<double>{1.0, 2.0, 3.0}; });
    Run<forces::Single> run(bodies, softened);
    auto const found = run.evaluate();
    for (auto const& a : found.acceleration) CHECK((a.x == 0.0 && a.y == 0.0 && a.z == 0.0));
    CHECK(found.potential[17] == approximately(-2999.0 / 3000.0 / 0.1, 1e-6));
  }
  SUBCASE("more of them in one place than lists are for") {
    auto const bodies = placed(140000, [](std::size_t i) {
      return i % 40 == 0 ? Vec3<double>{1.0, 2.0, 3.0} : Vec3<double>{-1.0, 2.0, 3.0};
    });
    Run<forces::Single> run(bodies, softened);
    CHECK(run.solver.describe(bodies.size()) == "fmm");
    CHECK_FALSE(run.solver.falls_back());
    auto const found = run.evaluate(false);
    double const of_one = -2.0 / std::pow(4.01, 1.5);
    CHECK(found.acceleration[0].x == approximately(of_one * 39 / 40, 1e-5));
    CHECK(found.acceleration[1].x == approximately(-of_one / 40, 1e-5));
    // It says who did that.
    CHECK(run.solver.falls_back());
    CHECK(run.solver.describe(bodies.size()) ==
          forces::Direct<forces::Single>(softened).describe(bodies.size()));
  }
  SUBCASE("one in the middle of pairs that pull it nowhere") {
    // Near everybody, there would be more than lists are for.
    auto bodies = plummer(140000);
    for (std::size_t i = 0; i < 70000; ++i) bodies.position[70000 + i] = -1.0 * bodies.position[i];
    bodies.position[7] = bodies.position[70007] = {0.0, 0.0, 0.0};
    bodies.mass[7] = 1e-3;
    Run<forces::Single> run(bodies, softened);
    for (int turn = 0; turn < 2; ++turn) run.evaluate(false);
    CHECK(run.solver.describe(bodies.size()) == "fmm");
    CHECK(run.solver.errors()->found <= 1e-3);
  }
  SUBCASE("one of them gone") {
    auto bodies = plummer(3000);
    bodies.position[3] = {1e10, 0.0, 0.0};
    bodies = rounded_to_single(bodies);
    Run<forces::Single> run(bodies, softened);
    CHECK(errors_of(run.evaluate(), bodies, softened).most <= 1e-3);
  }
  SUBCASE("on a line") {
    auto const bodies = placed(3000, [](std::size_t i) {
      return Vec3<double>{1e-3 * static_cast<double>(i * i), 0.0, 0.0};
    });
    Run<forces::Double> run(bodies, softened);
    CHECK(errors_of(run.evaluate(), bodies, softened).most <= 1e-3);
  }
  SUBCASE("at huge and tiny distances") {
    for (double const size : {1e-12, 1e12}) {
      CAPTURE(size);
      auto bodies = plummer(3000);
      for (auto& x : bodies.position) x = size * x;
      bodies = rounded_to_single(bodies);
      forces::Gravity const gravity{1.0, 0.0};
      Run<forces::Single> run(bodies, gravity);
      CHECK(errors_of(run.evaluate(), bodies, gravity).most <= 1e-3);
    }
  }
  SUBCASE("without mass") {
    auto bodies = sample_bodies(300);
    std::fill(bodies.mass.begin(), bodies.mass.end(), 0.0);
    Run<forces::Double> run(bodies, softened);
    for (auto const& a : run.evaluate().acceleration) CHECK(a.x == 0.0);
  }
  SUBCASE("somewhere that is no place") {
    auto bodies = plummer(3000);
    bodies.position[11].y = std::nan("");
    bodies.position[12].z = HUGE_VAL;
    Run<forces::Single> run(bodies, softened);
    auto const found = run.evaluate();  // says nothing, but comes back
    CHECK(!std::isfinite(found.acceleration[11].y));
  }
}

TEST_CASE(
    "bodies that follow each other on the curve are near each other, in a small cluster too") {
  for (double const size : {1.0, 1e-9}) {
    CAPTURE(size);
    auto bodies = plummer(4000);
    for (auto& x : bodies.position) x = size * x;
    bodies.position[7] = {50.0, -40.0, 30.0};
    ExecutionSpace const space;
    forces::fmm::KeyedBodies along;
    auto const order = Kokkos::create_mirror_view_and_copy(
        Kokkos::HostSpace(),
        forces::fmm::curve_order(space, to_device<double>(space, bodies).position, 4000, along));
    std::vector<double> steps;
    std::vector<int> seen(4000, 0);
    for (std::size_t k = 0; k < 4000; ++k) {
      ++seen[order(k)];
      if (k > 0) steps.push_back(norm(bodies.position[order(k)] - bodies.position[order(k - 1)]));
    }
    CHECK(std::count(seen.begin(), seen.end(), 1) == 4000);
    std::sort(steps.begin(), steps.end());
    // A body has 0.16 of a side to itself at the median radius of 1.3, which is about what a step
    // is in any other order.
    CHECK(steps[2000] < 0.3 * size);
  }
  // Those of one place are in the order of their numbers.
  auto bodies = plummer(1000);
  for (std::size_t i = 300; i < 800; ++i) bodies.position[i] = {0.5, 0.5, 0.5};
  ExecutionSpace const space;
  forces::fmm::KeyedBodies along;
  auto const order = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(),
      forces::fmm::curve_order(space, to_device<double>(space, bodies).position, 1000, along));
  std::vector<std::uint32_t> there;
  for (std::size_t k = 0; k < 1000; ++k) {
    if (order(k) >= 300 && order(k) < 800) there.push_back(order(k));
  }
  CHECK(std::is_sorted(there.begin(), there.end()));
}

TEST_CASE("fmm finds the same bits again, also from a saved state") {
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
  // Who looks at potentials in between changes nothing, wherever the bodies are then.
  auto elsewhere = to_device<float>(again.space, samples(4000).back().bodies);
  again.solver.evaluate(again.space, forces::potentials_of(elsewhere, again.potential));
  CHECK(second == again.evaluate());
}

TEST_CASE_TEMPLATE("fmm gives some of the bodies what they would get among all" * expensive, Number,
                   forces::Single, forces::Mixed, forces::Double) {
  using Stored = typename Number::Stored;
  std::size_t const count = 40000;
  auto const bodies = plummer(count);
  forces::Gravity const gravity{1.0, 0.01};
  Run<Number> all(bodies, gravity), some(bodies, gravity);
  for (int turn = 0; turn < 4; ++turn) {  // until both are content
    all.evaluate();
    some.evaluate();
  }
  auto const pulls_before = pulls_of<Number>(all.solver);
  auto const among_all = all.evaluate();
  // The middle, some that are alone in their leaves, and nobody of the others.
  std::vector<std::size_t> who;
  for (std::size_t i = 0; i < count; ++i) {
    if (norm(bodies.position[i]) < 0.5 || i % 300 == 7) who.push_back(i);
  }
  REQUIRE(who.size() > 2000);
  REQUIRE(who.size() < 10000);
  forces::BodyList const listed("apsis::testing::listed", count);
  auto const host = Kokkos::create_mirror_view(listed);
  for (std::size_t k = 0; k < who.size(); ++k) host(k) = who[k];
  Kokkos::deep_copy(listed, host);
  VectorColumns<Stored> const found("apsis::testing::found", count);
  Column<double> const potential("apsis::testing::potential", count);
  Kokkos::deep_copy(found, Stored(-77));
  double const before = some.solver.interactions();
  some.solver.evaluate(
      some.space, forces::field_at(some.bodies, listed, who.size(), {found, {}, {}, potential}));
  some.space.fence();
  CHECK(some.solver.interactions() - before ==
        static_cast<double>(who.size()) * static_cast<double>(count));
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  auto const p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);
  std::size_t others = 0;
  for (std::size_t k = 0; k < who.size(); ++k) {
    auto const& b = among_all.acceleration[who[k]];
    others += a(k, 0) != static_cast<Stored>(b.x) || a(k, 1) != static_cast<Stored>(b.y) ||
              a(k, 2) != static_cast<Stored>(b.z) || p(k) != among_all.potential[who[k]];
  }
  CHECK(others == 0);
  CHECK(a(who.size(), 0) == Stored(-77));
  // What is decided by next: their pull, and what the others had.
  auto const pulls = pulls_of<Number>(some.solver);
  auto const of_all = pulls_of<Number>(all.solver);
  REQUIRE(pulls.size() == count);
  std::size_t new_ones = 0, old_ones = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bool const asked = std::binary_search(who.begin(), who.end(), i);
    new_ones += asked && pulls[i] == of_all[i];
    old_ones += !asked && pulls[i] == pulls_before[i];
  }
  CHECK(new_ones == who.size());
  CHECK(old_ones == count - who.size());
}

TEST_CASE("fmm leaves fewer bodies than it is worth it for to all pairs, and says so") {
  auto const bodies = plummer(3000);
  forces::Gravity const gravity{1.0, 0.01};
  for (std::size_t const fewest : {3001, 3000}) {
    CAPTURE(fewest);
    Run<forces::Double> run(bodies, gravity);
    forces::Fmm<forces::Double> solver(gravity, {1e-3, fewest});
    forces::Direct<forces::Double> direct(gravity);
    bool const few = fewest > 3000;
    CHECK(solver.describe(3000) == (few ? direct.describe(3000) : "fmm"));
    CHECK(solver.describe(3000, 1) == direct.describe(3000, 1));
    VectorColumns<double> const a("apsis::testing::a", 3000), b("apsis::testing::b", 3000);
    solver.evaluate(run.space, forces::field_of(run.bodies, {a, {}, {}, {}}));
    direct.evaluate(run.space, forces::field_of(run.bodies, {b, {}, {}, {}}));
    run.space.fence();
    auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
    auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
    std::size_t same = 0;
    for (std::size_t i = 0; i < 3000; ++i) same += x(i, 0) == y(i, 0) ? 1u : 0u;
    CHECK((same == 3000) == few);
  }
  // The table's entry is worth it from somewhere on, and the later the more is asked for.
  auto const& entry = forces::solvers().at("auto");
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
  // Schemes that want derivatives have it from all pairs, and so all else that is measured.
  auto const with_jerk = entry.make<double>({gravity, forces::Precision::double_precision, {}, 1});
  CHECK(with_jerk->describe(1000000) != "fmm");
  CHECK(with_jerk->accuracy() == 0.0);
}

TEST_CASE("fmm sums over all pairs where few bodies are asked for") {
  auto const bodies = plummer(3000);
  forces::Gravity const gravity{1.0, 0.01};
  Run<forces::Double> run(bodies, gravity);
  run.evaluate();
  forces::BodyList const some("apsis::testing::some", 5);
  auto const host = Kokkos::create_mirror_view(some);
  for (std::size_t k = 0; k < 5; ++k) host(k) = 500 * k + 1;
  Kokkos::deep_copy(some, host);
  VectorColumns<double> const found("apsis::testing::found", 5);
  run.solver.evaluate(run.space, forces::field_at(run.bodies, some, 5, {found, {}, {}, {}}));
  run.space.fence();
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  ReferenceForce const exact(bodies, 1.0, 0.01);
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(a(k, 0) == approximately(exact.acceleration[500 * k + 1].x, 1e-12));
  }
}
