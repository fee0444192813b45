// SPDX-License-Identifier: Apache-2.0
#include "forces/requests.hpp"
#include "support/norms.hpp"
#include "support/reference_force.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/lane_exchange.hpp>
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

using namespace apsis;
using namespace apsis::testing;

namespace {

std::vector<Vec3<double>> only(std::vector<Vec3<double>> const& all,
                               std::vector<std::size_t> const& rows) {
  std::vector<Vec3<double>> some;
  for (auto const i : rows) some.push_back(all[i]);
  return some;
}

struct Expected {
  ReferenceForce force;
  ReferenceMotion motion;

  explicit Expected(HostBodies const& host) : force(host, 1.75, epsilon), motion(of(host)) {}
  static ReferenceMotion of(HostBodies const& host) {
    auto a = host.velocity;
    for (auto& x : a) x = {x.y, x.z, x.x};
    return {host, a, 1.75, epsilon, forces::SofteningKernel::plummer};
  }
};

/// Checks whatever was found, row k being body rows[k].
template <class Number>
void check(forces::Field<typename Number::Stored> const& found, Expected const& expected,
           std::vector<std::size_t> const& rows) {
  bool const wide = sizeof(typename Number::Real) == 8;
  auto const near = [&](auto const& columns, auto const& all, double bound) {
    if (columns.extent(0) != 0) CHECK(relative_difference(columns, only(all, rows)) < bound);
  };
  near(found.acceleration, expected.force.acceleration, wide ? 1e-15 : 1e-6);
  near(found.jerk, expected.motion.jerk, wide ? 1e-12 : 3e-6);
  near(found.snap, expected.motion.snap, wide ? 1e-10 : 5e-6);
  if (!found.has_potential()) return;
  auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found.potential);
  double worst = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    worst = std::max(worst, std::abs(phi(k) / expected.force.potential[rows[k]] - 1.0));
  }
  // Along with accelerations it has their arithmetic, else that of doubles.
  bool const along = found.accelerates() && !found.has_jerk() && !found.has_snap();
  CHECK(worst < (wide || !along ? 3e-15 : 2e-6));
}

}  // namespace

TEST_CASE_TEMPLATE("whatever is wanted of whatever targets agrees with a plain loop", Number,
                   forces::Single, forces::Double, forces::Mixed) {
  using Stored = typename Number::Stored;
  ExecutionSpace const space;
  auto const host = as_stored<Stored>(sample_bodies(count));
  Expected const expected(host);
  auto const bodies = moving<Stored>(host);
  std::vector<std::size_t> all(count), range(200), scattered;
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::iota(range.begin(), range.end(), std::size_t{333});
  for (std::size_t k = 0; k < 90; ++k) scattered.push_back(k * 7 + k % 3);
  auto const list = list_of(scattered);
  for (unsigned wants = 1; wants < 16; ++wants) {
    CAPTURE(wants);
    forces::Direct<Number> solver({1.75, epsilon});
    auto const of_all = room_for<Stored>(wants, count);
    solver.evaluate(space, forces::field_of(bodies, of_all));
    auto const of_list = room_for<Stored>(wants, scattered.size());
    solver.evaluate(space, forces::field_at(bodies, list, scattered.size(), of_list));
    auto const of_range = room_for<Stored>(wants, range.size());
    auto some = forces::field_of(bodies, of_range);
    some.targets.range = {333, range.size()};
    some.targets.total = range.size();
    solver.evaluate(space, some);
    space.fence();
    check<Number>(of_all, expected, all);
    check<Number>(of_list, expected, scattered);
    check<Number>(of_range, expected, range);
    double const targets = static_cast<double>(count + scattered.size() + range.size());
    CHECK(solver.interactions() == (wants == potential ? 0.0 : targets * count));
  }
}

TEST_CASE_TEMPLATE("targets in columns of their own are bodies only if they say so", Stored, float,
                   double) {
  using Number = forces::Arithmetic<Stored, Stored, Stored>;
  ExecutionSpace const space;
  auto const host = as_stored<Stored>(sample_bodies(count));
  Expected const expected(host);
  auto const bodies = moving<Stored>(host);
  // The same places once more, in columns that hold bodies 100 to 399.
  std::vector<std::size_t> rows(300);
  std::iota(rows.begin(), rows.end(), std::size_t{100});
  auto const cut = [&](auto const& from) {
    auto to = empty_columns<Stored>(rows.size());
    Kokkos::deep_copy(
        to, Kokkos::subview(from, std::pair<std::size_t, std::size_t>(100, 400), Kokkos::ALL()));
    return to;
  };
  auto const field = room_for<Stored>(acceleration | potential, rows.size());
  auto request = forces::field_of(bodies, field);
  request.targets = {cut(bodies.position),
                     cut(bodies.velocity),
                     cut(bodies.acceleration),
                     100,
                     {0, rows.size()},
                     {},
                     rows.size()};
  forces::Direct<Number> solver({1.75, epsilon});
  solver.evaluate(space, request);
  space.fence();
  check<Number>(field, expected, rows);

  // Probes at the same places feel the body that is there.
  auto const alone = [&](std::optional<std::size_t> first) {
    request.targets.first = first;
    request.wanted = room_for<Stored>(potential, rows.size());
    solver.evaluate(space, request);
    space.fence();
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), request.wanted.potential);
  };
  auto const of_bodies = alone(100);
  auto const of_probes = alone(std::nullopt);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double const own = -1.75 * host.mass[rows[k]] / epsilon;
    CHECK(std::abs(of_probes(k) - (of_bodies(k) + own)) < 1e-14);
  }
}

TEST_CASE_TEMPLATE("what a set of the sources contributes has the bits that it has among all",
                   Number, forces::Single, forces::Double, forces::Mixed) {
  using Stored = typename Number::Stored;
  ExecutionSpace const space;
  auto const host = as_stored<Stored>(sample_bodies(4096));
  auto const bodies = moving<Stored>(host);
  forces::Direct<Number> solver({1.75, epsilon}, forces::DirectOptions{"split"});
  auto const whole = room_for<Stored>(acceleration, 300);
  auto request = forces::field_of(bodies, whole);
  request.targets.range = {0, 300};
  request.targets.total = 300;
  solver.evaluate(space, request);
  // Sources in two halves, which are whole parts; the targets in groups, as if processes shared
  // them.
  VectorColumns<Stored> sums[2] = {empty_columns<Stored>(300), empty_columns<Stored>(300)};
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t group = 0; group < 3; ++group) {
      auto const found = room_for<Stored>(acceleration, 100);
      auto const rows = std::pair<std::size_t, std::size_t>(k * 2048, (k + 1) * 2048);
      auto const copy = [&](VectorColumns<Stored> const& view) {
        auto to = empty_columns<Stored>(2048);
        Kokkos::deep_copy(to, Kokkos::subview(view, rows, Kokkos::ALL()));
        return to;
      };
      auto part = forces::field_of(bodies, found);
      part.sources = {copy(bodies.position),
                      copy(bodies.velocity),
                      copy(bodies.acceleration),
                      Kokkos::subview(bodies.mass, rows),
                      k * 2048,
                      4096};
      part.targets.range = {group * 100, 100};
      part.targets.total = 300;
      solver.evaluate(space, part);
      Kokkos::deep_copy(
          Kokkos::subview(sums[k],
                          std::pair<std::size_t, std::size_t>(group * 100, group * 100 + 100),
                          Kokkos::ALL()),
          found.acceleration);
    }
  }
  space.fence();
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole.acceleration);
  auto const first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums[0]);
  // The first half alone: the first of the parts that the whole adds up, in the same order.
  auto const alone = room_for<Stored>(acceleration, 300);
  auto without = bodies;
  without.mass = Column<Stored>("apsis::testing::mass", 4096);
  Kokkos::deep_copy(Kokkos::subview(without.mass, std::pair<std::size_t, std::size_t>(0, 2048)),
                    Kokkos::subview(bodies.mass, std::pair<std::size_t, std::size_t>(0, 2048)));
  auto massless = forces::field_of(without, alone);
  massless.targets.range = {0, 300};
  massless.targets.total = 300;
  solver.evaluate(space, massless);
  space.fence();
  auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), alone.acceleration);
  auto const second = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums[1]);
  double const bound = sizeof(typename Number::Real) == 8 ? 1e-14 : 1e-5;
  for (std::size_t i = 0; i < 300; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(first(i, axis) == b(i, axis));
      CHECK(std::abs(first(i, axis) + second(i, axis) - a(i, axis)) < bound);
    }
  }
}

TEST_CASE_TEMPLATE("massless sources can be left out, of whatever is wanted of whatever targets",
                   Number, forces::Single, forces::Double, forces::Mixed) {
  using Stored = typename Number::Stored;
  ExecutionSpace const space;
  struct Case {
    char const* name;
    std::size_t massive;
    bool (*pulls)(std::size_t);
  };
  Case const cases[]{
      {"scattered", 100, [](std::size_t i) { return i % 7 == 3; }},
      {"in front", 5, [](std::size_t i) { return i < 5; }},
      {"one, the last", 1, [](std::size_t i) { return i == count - 1; }},
      {"none", 0, [](std::size_t) { return false; }},
      {"most", 600, [](std::size_t i) { return i % 7 != 3; }},
  };
  std::vector<std::size_t> everybody(count);
  std::iota(everybody.begin(), everybody.end(), std::size_t{0});
  std::vector<std::size_t> const some{0, 3, 4, 10, 350, 699};
  for (auto const& of : cases) {
    CAPTURE(of.name);
    auto host = as_stored<Stored>(sample_bodies(count));
    for (std::size_t i = 0; i < count; ++i) host.mass[i] = of.pulls(i) ? host.mass[i] : 0.0;
    auto const bodies = moving<Stored>(host);
    forces::Direct<Number> plain({1.75, epsilon}), sparing({1.75, epsilon});
    CHECK(sparing.leave_out_massless(space, bodies.mass) == of.massive);
    bool const fewer = of.massive < 600;
    for (unsigned const wants : {acceleration + 0u, potential + 0u, acceleration | potential,
                                 acceleration | jerk, acceleration | jerk | snap}) {
      for (bool const all : {true, false}) {
        CAPTURE(wants);
        CAPTURE(all);
        auto const rows = all ? everybody : some;
        auto const ask = [&](forces::Direct<Number>& solver) {
          auto const found = room_for<Stored>(wants, rows.size());
          double const before = solver.interactions();
          auto const listed = all ? forces::BodyList() : list_of(rows);
          auto request = forces::field_at(bodies, listed, rows.size(), found);
          solver.evaluate(space, request);
          space.fence();
          return std::pair(found, solver.interactions() - before);
        };
        auto const a = ask(plain), b = ask(sparing);
        bool const spared =
            fewer && (all || !(wants & potential) || of.massive == 5 || of.massive == 0);
        double const sources = static_cast<double>(spared ? of.massive : count);
        double const pairs = wants == potential ? 0.0 : sources * static_cast<double>(rows.size());
        CHECK(b.second == pairs);
        double const bound = sizeof(typename Number::Real) == 8 ? 1e-11 : 1e-4;
        auto const near = [&](auto const& x, auto const& y) {
          if (x.extent(0) == 0) return;
          auto const p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
          auto const q = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
          double worst = 0.0, size = 0.0;
          for (std::size_t k = 0; k < p.span(); ++k) {
            double const one = p.data()[k], other = q.data()[k];
            worst = std::max(worst, std::abs(one - other));
            size = std::max(size, std::abs(one));
          }
          CHECK(worst <= bound * size);
        };
        near(a.first.acceleration, b.first.acceleration);
        near(a.first.jerk, b.first.jerk);
        near(a.first.snap, b.first.snap);
        near(a.first.potential, b.first.potential);
      }
    }
  }
}

TEST_CASE("accelerations have the same bits with potentials and without where that is promised") {
  ExecutionSpace const space;
  std::vector<std::string> promised;
  for (auto const& kernel : forces::kernels()) {
    if (!kernel.available()) continue;
    for (std::size_t const bodies_count : {std::size_t{3}, std::size_t{1000}, std::size_t{4500}}) {
      for (double const softening : {0.0, epsilon}) {
        CAPTURE(kernel.name);
        CAPTURE(bodies_count);
        auto const bodies = to_device<double>(space, sample_bodies(bodies_count));
        forces::Direct<forces::Double> solver({1.0, softening}, forces::DirectOptions{kernel.name});
        if (!solver.has_exact_potential(bodies_count)) continue;
        promised.push_back(kernel.name);
        solver.evaluate(space, forces::accelerations_of(bodies));
        auto const with = room_for<double>(acceleration | potential, bodies_count);
        solver.evaluate(space, forces::field_of(bodies, with));
        space.fence();
        auto const a =
            Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.acceleration);
        auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), with.acceleration);
        bool same = true;
        for (std::size_t i = 0; i < bodies_count; ++i) {
          for (int axis = 0; axis < 3; ++axis) same = same && a(i, axis) == b(i, axis);
        }
        CHECK(same);
      }
    }
  }
  CHECK(std::count(promised.begin(), promised.end(), "auto") == 6);
  CHECK(std::count(promised.begin(), promised.end(), "pairwise_atomic") == 0);
  CHECK_FALSE(forces::Direct<forces::Single>({1.0, 0.1}).has_exact_potential(1000));
  CHECK_FALSE(forces::Direct<forces::Mixed>({1.0, 0.1}).has_exact_potential(1000));
}

TEST_CASE("a solver says what it needs, what it refuses, and goes on with its count") {
  auto const& direct = forces::solvers().front();
  CHECK(direct.derivatives == 2);
  forces::Demand demand;
  demand.values.set("kernel", std::string("pairwise_tile"));
  CHECK(direct.check(demand).empty());
  CHECK(direct.workspace_bytes(demand, 100000) > 100000.0 * 24.0);
  demand.gravity = {1.0, 0.1, forces::SofteningKernel::spline};
  REQUIRE(direct.check(demand).size() == 1);
  CHECK(direct.check(demand).front().problem == "contradicts gravity.softening_kernel");
  demand.gravity = {};
  demand.derivatives = 1;
  demand.asked_by = "hermite4";
  REQUIRE(direct.check(demand).size() == 1);
  CHECK(direct.check(demand).front().why == "'hermite4' has kernels of its own");

  ExecutionSpace const space;
  forces::Direct<forces::Double> solver({1.0, 0.1}), next({1.0, 0.1});
  auto const bodies = to_device<double>(space, sample_bodies(300));
  auto look = forces::accelerations_of(bodies);
  solver.evaluate(space, look);
  look.counted = false;
  solver.evaluate(space, look);
  CHECK(solver.interactions() == 300.0 * 300.0);
  SavedState saved;
  solver.exchange(saved);
  SavedState restored(saved.blocks());
  next.exchange(restored);
  CHECK(next.interactions() == 300.0 * 300.0);
  CHECK(next.describe(300) == forces::picked_kernel(forces::Precision::double_precision, 300));
  forces::Direct<forces::Double> const pairs({1.0, 0.1}, forces::DirectOptions{"pairwise_tile"});
  CHECK(pairs.describe(300) == "pairwise_tile");
  CHECK(pairs.describe(300, 0, false) == "split");
}
