// SPDX-License-Identifier: Apache-2.0
#include "forces/requests.hpp"
#include "lanes/lane_exchange.hpp"
#include "support/norms.hpp"
#include "support/reference_force.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

using namespace apsis;
using namespace apsis::testing;

namespace {

std::vector<Vec3<double>> select_rows(std::vector<Vec3<double>> const& vectors,
                                      std::vector<std::size_t> const& rows) {
  std::vector<Vec3<double>> selected;
  for (auto const i : rows) selected.push_back(vectors[i]);
  return selected;
}

struct Expected {
  ReferenceForce force;
  ReferenceMotion motion;

  explicit Expected(HostBodies const& host) : force(host, 1.75, epsilon), motion(motion_of(host)) {}
  static ReferenceMotion motion_of(HostBodies const& host) {
    auto a = host.velocity;
    for (auto& x : a) x = {x.y, x.z, x.x};
    return {host, a, 1.75, epsilon, forces::SofteningKernel::plummer};
  }
};

/// Checks all requested results; row k is body rows[k].
template <class Number>
void check(forces::Field<typename Number::Stored> const& field, Expected const& expected,
           std::vector<std::size_t> const& rows) {
  bool const wide = sizeof(typename Number::Real) == 8;
  auto const near = [&](auto const& columns, auto const& expected_rows, double bound) {
    if (columns.extent(0) != 0)
      CHECK(relative_difference(columns, select_rows(expected_rows, rows)) < bound);
  };
  near(field.acceleration, expected.force.acceleration, wide ? 1e-15 : 1e-6);
  near(field.jerk, expected.motion.jerk, wide ? 1e-12 : 3e-6);
  near(field.snap, expected.motion.snap, wide ? 1e-10 : 5e-6);
  if (!field.has(forces::Wants::potential)) return;
  auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.potential);
  double worst = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    worst = std::max(worst, std::abs(phi(k) / expected.force.potential[rows[k]] - 1.0));
  }
  // Potentials with accelerations use their arithmetic, others that of doubles.
  bool const is_combined = field.wants == forces::Wants::acceleration_and_potential;
  CHECK(worst < (wide || !is_combined ? 3e-15 : 2e-6));
}

}  // namespace

TEST_CASE_TEMPLATE("all results for all kinds of targets agree with a plain loop" *
                       testing::thread_counts,
                   Number, forces::Single, forces::Double, forces::Mixed) {
  using Stored = typename Number::Stored;
  ExecutionSpace const space;
  auto const host = as_stored<Stored>(sample_bodies(count));
  Expected const expected(host);
  auto const bodies = moving<Stored>(host);
  std::vector<std::size_t> row_numbers(count), range(200), scattered;
  std::iota(row_numbers.begin(), row_numbers.end(), std::size_t{0});
  std::iota(range.begin(), range.end(), std::size_t{333});
  for (std::size_t k = 0; k < 90; ++k) scattered.push_back(k * 7 + k % 3);
  auto const list = list_of(scattered);
  for (unsigned wants = 1; wants < 16; ++wants) {
    CAPTURE(wants);
    forces::Direct<Number> solver({1.75, epsilon});
    auto const of_all = make_field<Stored>(wants, count);
    solver.evaluate(space, forces::field_of(bodies, of_all));
    auto const of_list = make_field<Stored>(wants, scattered.size());
    solver.evaluate(
        space, forces::field_at(bodies, forces::BodyRows::listed(list, scattered.size()), of_list));
    auto const of_range = make_field<Stored>(wants, range.size());
    auto some = forces::field_of(bodies, of_range);
    some.targets.select(forces::BodyRows::range(333, range.size()), range.size());
    solver.evaluate(space, some);
    space.fence();
    check<Number>(of_all, expected, row_numbers);
    check<Number>(of_list, expected, scattered);
    check<Number>(of_range, expected, range);
    double const targets = static_cast<double>(count + scattered.size() + range.size());
    CHECK(solver.interactions() == (wants == potential ? 0.0 : targets * count));
  }
}

TEST_CASE_TEMPLATE("targets in separate columns are bodies only if they have body numbers" *
                       testing::thread_counts,
                   Stored, float, double) {
  using Number = forces::Arithmetic<Stored, Stored, Stored>;
  ExecutionSpace const space;
  auto const host = as_stored<Stored>(sample_bodies(count));
  Expected const expected(host);
  auto const bodies = moving<Stored>(host);
  // Separate columns that hold bodies 100 to 399.
  std::vector<std::size_t> rows(300);
  std::iota(rows.begin(), rows.end(), std::size_t{100});
  auto const cut = [&](auto const& columns) {
    auto rows_of = empty_columns<Stored>(rows.size());
    Kokkos::deep_copy(
        rows_of,
        Kokkos::subview(columns, std::pair<std::size_t, std::size_t>(100, 400), Kokkos::ALL()));
    return rows_of;
  };
  auto const field = make_field<Stored>(acceleration | potential, rows.size());
  auto request = forces::field_of(bodies, field);
  request.targets = {cut(bodies.position),
                     cut(bodies.velocity),
                     cut(bodies.acceleration),
                     forces::BodyRows::all(rows.size()),
                     rows.size(),
                     100};
  forces::Direct<Number> solver({1.75, epsilon});
  solver.evaluate(space, request);
  space.fence();
  check<Number>(field, expected, rows);

  // Probes at the same positions feel the body that is there.
  auto const alone = [&](std::optional<std::size_t> first) {
    request.targets.first = first;
    request.wanted = make_field<Stored>(potential, rows.size());
    solver.evaluate(space, request);
    space.fence();
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), request.wanted.potential);
  };
  auto const of_bodies = alone(100);
  auto const of_probes = alone(std::nullopt);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double const self_potential = -1.75 * host.mass[rows[k]] / epsilon;
    CHECK(std::abs(of_probes(k) - (of_bodies(k) + self_potential)) < 1e-14);
  }
}

TEST_CASE_TEMPLATE("a subset of the sources contributes the same bits as among all" *
                       testing::thread_counts,
                   Number, forces::Single, forces::Double, forces::Mixed) {
  using Stored = typename Number::Stored;
  ExecutionSpace const space;
  auto const host = as_stored<Stored>(sample_bodies(4096));
  auto const bodies = moving<Stored>(host);
  forces::Direct<Number> solver({1.75, epsilon}, forces::DirectOptions{"split"});
  auto const total = make_field<Stored>(acceleration, 300);
  auto request = forces::field_of(bodies, total);
  request.targets.select(forces::BodyRows::range(0, 300), 300);
  solver.evaluate(space, request);
  // Sources in two halves of whole parts, targets in groups, as if ranks shared them.
  VectorColumns<Stored> sums[2] = {empty_columns<Stored>(300), empty_columns<Stored>(300)};
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t group = 0; group < 3; ++group) {
      auto const part_field = make_field<Stored>(acceleration, 100);
      auto const rows = std::pair<std::size_t, std::size_t>(k * 2048, (k + 1) * 2048);
      auto const copy = [&](VectorColumns<Stored> const& view) {
        auto copied = empty_columns<Stored>(2048);
        Kokkos::deep_copy(copied, Kokkos::subview(view, rows, Kokkos::ALL()));
        return copied;
      };
      auto part = forces::field_of(bodies, part_field);
      part.sources = {copy(bodies.position),
                      copy(bodies.velocity),
                      copy(bodies.acceleration),
                      Kokkos::subview(bodies.mass, rows),
                      k * 2048,
                      4096};
      part.targets.select(forces::BodyRows::range(group * 100, 100), 300);
      solver.evaluate(space, part);
      Kokkos::deep_copy(
          Kokkos::subview(sums[k],
                          std::pair<std::size_t, std::size_t>(group * 100, group * 100 + 100),
                          Kokkos::ALL()),
          part_field.acceleration);
    }
  }
  space.fence();
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), total.acceleration);
  auto const first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums[0]);
  // The first half alone: the first of the parts of the total, in the same order.
  auto const alone = make_field<Stored>(acceleration, 300);
  auto without = bodies;
  without.mass = Column<Stored>("apsis::testing::mass", 4096);
  Kokkos::deep_copy(Kokkos::subview(without.mass, std::pair<std::size_t, std::size_t>(0, 2048)),
                    Kokkos::subview(bodies.mass, std::pair<std::size_t, std::size_t>(0, 2048)));
  auto massless = forces::field_of(without, alone);
  massless.targets.select(forces::BodyRows::range(0, 300), 300);
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

TEST_CASE_TEMPLATE("massless sources can be excluded for all results and all kinds of targets" *
                       testing::thread_counts,
                   Number, forces::Single, forces::Double, forces::Mixed) {
  using Stored = typename Number::Stored;
  ExecutionSpace const space;
  struct Case {
    char const* name;
    std::size_t massive;
    bool (*is_massive)(std::size_t);
  };
  Case const cases[]{
      {"scattered", 100, [](std::size_t i) { return i % 7 == 3; }},
      {"in front", 5, [](std::size_t i) { return i < 5; }},
      {"one, the last", 1, [](std::size_t i) { return i == count - 1; }},
      {"none", 0, [](std::size_t) { return false; }},
      {"most", 600, [](std::size_t i) { return i % 7 != 3; }},
  };
  std::vector<std::size_t> all_rows(count);
  std::iota(all_rows.begin(), all_rows.end(), std::size_t{0});
  std::vector<std::size_t> const some{0, 3, 4, 10, 350, 699};
  for (auto const& test : cases) {
    CAPTURE(test.name);
    auto host = as_stored<Stored>(sample_bodies(count));
    for (std::size_t i = 0; i < count; ++i) host.mass[i] = test.is_massive(i) ? host.mass[i] : 0.0;
    auto const bodies = moving<Stored>(host);
    forces::Direct<Number> plain({1.75, epsilon}), excluding({1.75, epsilon});
    CHECK(excluding.exclude_massless_sources(space, bodies.mass) == test.massive);
    bool const is_active = test.massive < 600;
    for (unsigned const wants : {acceleration + 0u, potential + 0u, acceleration | potential,
                                 acceleration | jerk, acceleration | jerk | snap}) {
      for (bool const has_all_targets : {true, false}) {
        CAPTURE(wants);
        CAPTURE(has_all_targets);
        auto const rows = has_all_targets ? all_rows : some;
        auto const ask = [&](forces::Direct<Number>& solver) {
          auto const field = make_field<Stored>(wants, rows.size());
          double const before = solver.interactions();
          auto const targets = has_all_targets
                                   ? forces::BodyRows::all(count)
                                   : forces::BodyRows::listed(list_of(rows), rows.size());
          solver.evaluate(space, forces::field_at(bodies, targets, field));
          space.fence();
          return std::pair(field, solver.interactions() - before);
        };
        auto const a = ask(plain), b = ask(excluding);
        bool const is_excluded = is_active && (has_all_targets || !(wants & potential) ||
                                               test.massive == 5 || test.massive == 0);
        double const sources = static_cast<double>(is_excluded ? test.massive : count);
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

TEST_CASE("accelerations have the same bits with and without potentials if has_exact_potential" *
          testing::thread_counts) {
  ExecutionSpace const space;
  std::vector<std::string> kernels_checked;
  for (auto const& kernel : forces::kernels()) {
    if (!kernel.available()) continue;
    for (std::size_t const bodies_count : {std::size_t{3}, std::size_t{1000}, std::size_t{4500}}) {
      for (double const softening : {0.0, epsilon}) {
        CAPTURE(kernel.name);
        CAPTURE(bodies_count);
        auto const bodies = to_device<double>(space, sample_bodies(bodies_count));
        forces::Direct<forces::Double> solver({1.0, softening}, forces::DirectOptions{kernel.name});
        if (!solver.has_exact_potential(bodies_count)) continue;
        kernels_checked.push_back(kernel.name);
        solver.evaluate(space, forces::accelerations_of(bodies));
        auto const both = make_field<double>(acceleration | potential, bodies_count);
        solver.evaluate(space, forces::field_of(bodies, both));
        space.fence();
        auto const a =
            Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.acceleration);
        auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), both.acceleration);
        bool same = true;
        for (std::size_t i = 0; i < bodies_count; ++i) {
          for (int axis = 0; axis < 3; ++axis) same = same && a(i, axis) == b(i, axis);
        }
        CHECK(same);
      }
    }
  }
  CHECK(std::count(kernels_checked.begin(), kernels_checked.end(), "auto") == 6);
  CHECK(std::count(kernels_checked.begin(), kernels_checked.end(), "pairwise_atomic") == 0);
  CHECK_FALSE(forces::Direct<forces::Single>({1.0, 0.1}).has_exact_potential(1000));
  CHECK_FALSE(forces::Direct<forces::Mixed>({1.0, 0.1}).has_exact_potential(1000));
}

TEST_CASE("a solver reports its memory and unsupported options, and restores its count") {
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
  demand.integrator_name = "hermite4";
  REQUIRE(direct.check(demand).size() == 1);
  CHECK(direct.check(demand).front().why == "'hermite4' has kernels of its own");

  ExecutionSpace const space;
  forces::Direct<forces::Double> solver({1.0, 0.1}), next({1.0, 0.1});
  auto const bodies = to_device<double>(space, sample_bodies(300));
  auto request = forces::accelerations_of(bodies);
  solver.evaluate(space, request);
  request.counted = false;
  solver.evaluate(space, request);
  CHECK(solver.interactions() == 300.0 * 300.0);
  SavedState saved;
  solver.exchange(saved);
  SavedState restored(saved.blocks());
  next.exchange(restored);
  CHECK(next.interactions() == 300.0 * 300.0);
  CHECK(next.describe(300) == forces::default_kernel(forces::Precision::double_precision, 300));
  forces::Direct<forces::Double> const pairs({1.0, 0.1}, forces::DirectOptions{"pairwise_tile"});
  CHECK(pairs.describe(300) == "pairwise_tile");
  CHECK(pairs.describe(300, 0, false) == "split");
}
