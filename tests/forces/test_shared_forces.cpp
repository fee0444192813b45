// SPDX-License-Identifier: Apache-2.0
#include "forces/requests.hpp"
#include "support/rehearsal.hpp"
#include <apsis/bodies/share.hpp>
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// The bodies of one process.
template <class Stored>
Bodies<Stored> share_of_bodies(Bodies<Stored> const& all, Share const& share) {
  auto const rows = std::pair(share.first, share.first + share.count);
  auto own = all;
  auto const take = [&](auto const& column) {
    std::remove_cvref_t<decltype(column)> some("apsis::testing::share", share.count);
    Kokkos::deep_copy(some, Kokkos::subview(column, rows, Kokkos::ALL));
    return some;
  };
  own.position = take(all.position);
  own.velocity = take(all.velocity);
  own.acceleration = take(all.acceleration);
  own.mass = Column<Stored>("apsis::testing::share", share.count);
  Kokkos::deep_copy(own.mass, Kokkos::subview(all.mass, rows));
  own.id = {};
  own.first = share.first;
  return own;
}

/// Whether rows first ... of `all` have the same bits as `some`.
template <class View>
bool are_rows_of(View const& some, View const& all, std::size_t first) {
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), some);
  auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
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
bool is_part_of(forces::Field<Stored> const& some, forces::Field<Stored> const& all,
                std::size_t first) {
  return are_rows_of(some.acceleration, all.acceleration, first) &&
         are_rows_of(some.jerk, all.jerk, first) && are_rows_of(some.snap, all.snap, first) &&
         are_rows_of(some.potential, all.potential, first);
}

/// What processes that share bodies find, held against what one finds alone.
struct Together {
  std::size_t same = 0;   ///< processes that have its bits
  std::size_t empty = 0;  ///< processes without bodies
  double most_interactions = 0.0, fewest_interactions = 1e300;

  /// `ask(solver, own)` is what each asks for of its bodies; `alone` has a row for all.
  template <class Number, class Ask>
  static Together of(std::size_t processes, Bodies<typename Number::Stored> const& bodies,
                     forces::Field<typename Number::Stored> const& alone,
                     forces::DirectOptions const& options, Ask const& ask) {
    Together found;
    Rehearsal(processes).play([&](Context const& context) {
      auto const rank = context.communicator->rank();
      if (rank == 0) found = {};
      auto const share = share_of(bodies.total, rank, processes);
      auto const own = share_of_bodies(bodies, share);
      forces::Direct<Number> solver({1.75, epsilon}, options);
      auto const [request, first] = ask(context, solver, own, share);
      solver.evaluate(context, request);
      Kokkos::fence();
      found.same += is_part_of(request.wanted, alone, first) ? 1 : 0;
      found.empty += share.count == 0 ? 1 : 0;
      found.most_interactions = std::max(found.most_interactions, solver.interactions());
      found.fewest_interactions = std::min(found.fewest_interactions, solver.interactions());
    });
    return found;
  }

  /// The same where each asks for all of its bodies.
  template <class Number>
  static Together of_all(std::size_t processes, Bodies<typename Number::Stored> const& bodies,
                         forces::Field<typename Number::Stored> const& alone, unsigned wants,
                         forces::DirectOptions const& options = {}, bool massless = false) {
    using Stored = typename Number::Stored;
    return of<Number>(
        processes, bodies, alone, options,
        [&](Context const& context, auto& solver, auto const& own, Share const& share) {
          if (massless) solver.leave_out_massless(context, own.mass);
          return std::pair(forces::field_of(own, room_for<Stored>(wants, share.count)),
                           share.first);
        });
  }
};

}  // namespace

TEST_CASE_TEMPLATE("processes that share the bodies find the bits that one finds alone", Number,
                   forces::Single, forces::Double, forces::Mixed) {
  using Stored = typename Number::Stored;
  // Few, in parts; and more than enough for each pair to be met once.
  for (std::size_t const n : {300, 5000}) {
    auto const bodies = moving<Stored>(as_stored<Stored>(sample_bodies(n)));
    for (char const* kernel : {"auto", "pairwise_tile", "split", "register_tile"}) {
      for (unsigned wants : {1u, 9u, 3u, 15u, 8u}) {
        if (n > 1000 && kernel != std::string("auto") && wants != 9u) continue;
        CAPTURE(n);
        CAPTURE(kernel);
        CAPTURE(wants);
        auto const whole = room_for<Stored>(wants, n);
        forces::Direct<Number> alone({1.75, epsilon}, forces::DirectOptions{kernel});
        alone.evaluate(ExecutionSpace(), forces::field_of(bodies, whole));
        Kokkos::fence();
        for (std::size_t const processes : {2, 3, 7}) {
          if (n > 1000 && processes == 3) continue;
          auto const found = Together::of_all<Number>(processes, bodies, whole, wants,
                                                      forces::DirectOptions{kernel});
          CHECK(found.same == processes);
          CHECK(found.fewest_interactions == alone.interactions());
          CHECK(found.most_interactions == alone.interactions());
        }
      }
    }
  }
}

TEST_CASE("processes of which some have nothing to find give the others what they need") {
  auto const bodies = moving<double>(sample_bodies(count));
  std::vector<std::size_t> const listed{5, 300, 650, 651};
  auto const whole = room_for<double>(jerk | potential, 4);
  forces::Direct<forces::Double> alone({1.75, epsilon});
  alone.evaluate(ExecutionSpace(), forces::field_at(bodies, list_of(listed), 4, whole));
  Kokkos::fence();
  for (std::size_t const processes : {3, 6}) {  // 256, 256 and 188 bodies, or a block each
    auto const found = Together::of<forces::Double>(
        processes, bodies, whole, {},
        [&](Context const&, auto const&, auto const& own, Share const& share) {
          std::vector<std::size_t> here;
          std::size_t before = 0;
          for (std::size_t const i : listed) {
            if (i < share.first) ++before;
            if (i >= share.first && i < share.first + share.count) here.push_back(i - share.first);
          }
          return std::pair(forces::field_at(own, list_of(here), here.size(),
                                            room_for<double>(jerk | potential, here.size())),
                           before);
        });
    CHECK(found.same == processes);
    CHECK(found.most_interactions == alone.interactions());
  }
}

TEST_CASE("processes leave out bodies without mass as one does, wherever those are") {
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
      auto const whole = room_for<double>(wants, count);
      forces::Direct<forces::Double> alone({1.75, epsilon});
      CHECK(alone.leave_out_massless(Context(), bodies.mass) == 234);
      alone.evaluate(ExecutionSpace(), forces::field_of(bodies, whole));
      Kokkos::fence();
      for (std::size_t const processes : {2, 7}) {
        auto const found =
            Together::of_all<forces::Double>(processes, bodies, whole, wants, {}, true);
        CHECK(found.same == processes);
        CHECK(found.most_interactions == alone.interactions());
      }
    }
  }
}

TEST_CASE("a process without bodies works through its share of the pairs") {
  std::size_t const n = 5000, processes = 41;  // of 40 blocks
  auto const bodies = moving<double>(sample_bodies(n));
  auto const whole = room_for<double>(jerk, n);
  forces::Direct<forces::Double>({1.75, epsilon})
      .evaluate(ExecutionSpace(), forces::field_of(bodies, whole));
  Kokkos::fence();
  auto const found = Together::of_all<forces::Double>(processes, bodies, whole, jerk);
  CHECK(found.empty > 0);
  CHECK(found.same == processes);
}
