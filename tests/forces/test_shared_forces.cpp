// SPDX-License-Identifier: Apache-2.0
#include "forces/requests.hpp"
#include "support/rehearsal.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// The bodies of one rank.
template <class Stored>
Bodies<Stored> share_of_bodies(Bodies<Stored> const& bodies, Share const& share) {
  auto const rows = std::pair(share.first, share.first + share.count);
  auto result = bodies;
  auto const copy_rows = [&](auto const& column) {
    std::remove_cvref_t<decltype(column)> rows_of("apsis::testing::share", share.count);
    Kokkos::deep_copy(rows_of, Kokkos::subview(column, rows, Kokkos::ALL));
    return rows_of;
  };
  result.position = copy_rows(bodies.position);
  result.velocity = copy_rows(bodies.velocity);
  result.acceleration = copy_rows(bodies.acceleration);
  result.mass = Column<Stored>("apsis::testing::share", share.count);
  Kokkos::deep_copy(result.mass, Kokkos::subview(bodies.mass, rows));
  result.id = {};
  result.first = share.first;
  return result;
}

/// Whether rows first ... of `columns` have the same bits as `rows`.
template <class View>
bool are_rows_of(View const& rows, View const& columns, std::size_t first) {
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows);
  auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), columns);
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    if constexpr (View::rank == 2) {
      for (int k = 0; k < 3; ++k) {
        if (a(i, k) != b(first + i, k)) return false;
      }
    } else {
      if (a(i) != b(first + i)) return false;
    }
  }
  return true;
}

template <class Stored>
bool is_part_of(forces::Field<Stored> const& rows, forces::Field<Stored> const& field,
                std::size_t first) {
  return are_rows_of(rows.acceleration, field.acceleration, first) &&
         are_rows_of(rows.jerk, field.jerk, first) && are_rows_of(rows.snap, field.snap, first) &&
         are_rows_of(rows.potential, field.potential, first);
}

/// Comparison of the results of ranks that share the bodies with those of a single rank.
struct Comparison {
  std::size_t same = 0;   ///< ranks with the same bits
  std::size_t empty = 0;  ///< ranks without bodies
  double most_interactions = 0.0, fewest_interactions = 1e300;

  /// `ask(context, solver, bodies, share)` returns the request of each rank; `alone` has a row for
  /// each body.
  template <class Number, class Ask>
  static Comparison run(std::size_t ranks, Bodies<typename Number::Stored> const& bodies,
                        forces::Field<typename Number::Stored> const& alone,
                        forces::DirectOptions const& options, Ask const& ask) {
    Comparison comparison;
    SimulatedRanks(ranks).play([&](Context const& context) {
      auto const rank = context.communicator->rank();
      if (rank == 0) comparison = {};
      auto const share = share_of(bodies.total, rank, ranks);
      auto const rank_bodies = share_of_bodies(bodies, share);
      forces::Direct<Number> solver({1.75, epsilon}, options);
      auto const [request, first] = ask(context, solver, rank_bodies, share);
      solver.evaluate(context, request);
      Kokkos::fence();
      comparison.same += is_part_of(request.wanted, alone, first) ? 1 : 0;
      comparison.empty += share.count == 0 ? 1 : 0;
      comparison.most_interactions = std::max(comparison.most_interactions, solver.interactions());
      comparison.fewest_interactions =
          std::min(comparison.fewest_interactions, solver.interactions());
    });
    return comparison;
  }

  /// Like run(), with requests of all ranks for all of their bodies.
  template <class Number>
  static Comparison run_all(std::size_t ranks, Bodies<typename Number::Stored> const& bodies,
                            forces::Field<typename Number::Stored> const& alone, unsigned wants,
                            forces::DirectOptions const& options = {}, bool massless = false) {
    using Stored = typename Number::Stored;
    return run<Number>(
        ranks, bodies, alone, options,
        [&](Context const& context, auto& solver, auto const& rank_bodies, Share const& share) {
          if (massless) solver.exclude_massless_sources(context, rank_bodies.mass);
          return std::pair(forces::field_of(rank_bodies, make_field<Stored>(wants, share.count)),
                           share.first);
        });
  }
};

}  // namespace

TEST_CASE_TEMPLATE("ranks that share the bodies get the bits of a single rank" *
                       testing::thread_counts,
                   Number, forces::Single, forces::Double, forces::Mixed) {
  using Stored = typename Number::Stored;
  // Few bodies, in parts; and more than enough for each pair to be evaluated once.
  for (std::size_t const n : {300, 5000}) {
    auto const bodies = moving<Stored>(as_stored<Stored>(sample_bodies(n)));
    for (char const* kernel : {"auto", "pairwise_tile", "split", "register_tile"}) {
      for (unsigned wants : {1u, 9u, 3u, 15u, 8u}) {
        if (n > 1000 && kernel != std::string("auto") && wants != 9u) continue;
        CAPTURE(n);
        CAPTURE(kernel);
        CAPTURE(wants);
        auto const expected = make_field<Stored>(wants, n);
        forces::Direct<Number> alone({1.75, epsilon}, forces::DirectOptions{kernel});
        alone.evaluate(ExecutionSpace(), forces::field_of(bodies, expected));
        Kokkos::fence();
        for (std::size_t const ranks : {2, 3, 7}) {
          if (n > 1000 && ranks == 3) continue;
          auto const comparison = Comparison::run_all<Number>(ranks, bodies, expected, wants,
                                                              forces::DirectOptions{kernel});
          CHECK(comparison.same == ranks);
          CHECK(comparison.fewest_interactions == alone.interactions());
          CHECK(comparison.most_interactions == alone.interactions());
        }
      }
    }
  }
}

TEST_CASE("ranks without targets supply sources to the other ranks" * testing::thread_counts) {
  auto const bodies = moving<double>(sample_bodies(count));
  std::vector<std::size_t> const listed{5, 300, 650, 651};
  auto const expected = make_field<double>(jerk | potential, 4);
  forces::Direct<forces::Double> alone({1.75, epsilon});
  alone.evaluate(ExecutionSpace(),
                 forces::field_at(bodies, forces::BodyRows::listed(list_of(listed), 4), expected));
  Kokkos::fence();
  for (std::size_t const ranks : {3, 6}) {  // 256, 256 and 188 bodies, or a block each
    auto const comparison = Comparison::run<forces::Double>(
        ranks, bodies, expected, {},
        [&](Context const&, auto const&, auto const& rank_bodies, Share const& share) {
          std::vector<std::size_t> local_rows;
          std::size_t before = 0;
          for (std::size_t const i : listed) {
            if (i < share.first) ++before;
            if (i >= share.first && i < share.first + share.count)
              local_rows.push_back(i - share.first);
          }
          return std::pair(
              forces::field_at(rank_bodies,
                               forces::BodyRows::listed(list_of(local_rows), local_rows.size()),
                               make_field<double>(jerk | potential, local_rows.size())),
              before);
        });
    CHECK(comparison.same == ranks);
    CHECK(comparison.most_interactions == alone.interactions());
  }
}

TEST_CASE("ranks exclude massless bodies like a single rank, wherever those are" *
          testing::thread_counts) {
  for (bool const in_front : {true, false}) {
    for (unsigned wants : {1u, 8u, 9u, 3u, 15u}) {
      CAPTURE(in_front);
      CAPTURE(wants);
      auto host = sample_bodies(count);
      for (std::size_t i = 0; i < count; ++i) {
        bool const heavy = in_front ? 3 * i < count : i % 3 == 0;
        if (!heavy) host.mass[i] = 0.0;
      }
      auto const bodies = moving<double>(host);
      auto const expected = make_field<double>(wants, count);
      forces::Direct<forces::Double> alone({1.75, epsilon});
      CHECK(alone.exclude_massless_sources(Context(), bodies.mass) == 234);
      alone.evaluate(ExecutionSpace(), forces::field_of(bodies, expected));
      Kokkos::fence();
      for (std::size_t const ranks : {2, 7}) {
        auto const comparison =
            Comparison::run_all<forces::Double>(ranks, bodies, expected, wants, {}, true);
        CHECK(comparison.same == ranks);
        CHECK(comparison.most_interactions == alone.interactions());
      }
    }
  }
}

TEST_CASE("a rank without bodies evaluates its share of the pairs" * testing::thread_counts) {
  std::size_t const n = 5000, ranks = 41;  // of 40 blocks
  auto const bodies = moving<double>(sample_bodies(n));
  auto const expected = make_field<double>(jerk, n);
  forces::Direct<forces::Double>({1.75, epsilon})
      .evaluate(ExecutionSpace(), forces::field_of(bodies, expected));
  Kokkos::fence();
  auto const comparison = Comparison::run_all<forces::Double>(ranks, bodies, expected, jerk);
  CHECK(comparison.empty > 0);
  CHECK(comparison.same == ranks);
}
