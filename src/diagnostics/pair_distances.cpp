// SPDX-License-Identifier: Apache-2.0
#include "apsis/diagnostics/pair_distances.hpp"

#include "all_pairs.hpp"
#include "neighbours.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/core/vec3.hpp>
#include <apsis/core/views.hpp>
#include <apsis/forces/body_rows.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace apsis::diagnostics {

namespace {

/// Distances of one body, or of a pack of bodies, to the sources. `least` and `most` are squared
/// distances; `sum` is the sum of the distances.
template <class Lanes>
struct Distances {
  Lanes least = Lanes{} + infinity;
  Lanes nearest{};  ///< row of the source at the least distance
  Lanes most{};
  Lanes sum{};

  KOKKOS_FORCEINLINE_FUNCTION void add(Distances const& others) {
    nearest = others.least < least ? others.nearest : nearest;
    least = others.least < least ? others.least : least;
    most = others.most > most ? others.most : most;
    sum += others.sum;
  }
};

/// Pair law of the tile loop for distances.
struct DistanceLaw : DoublePositions {
  using DoublePositions::Source;
  template <class Lanes>
  using Sum = Distances<Lanes>;
  template <int lanes>
  using Total = Distances<typename simd::Pack<double, lanes>::type>;

  Kokkos::View<Distances<double>*, MemorySpace> rows;

  DistanceLaw starting_at(std::size_t first) const {
    auto law = *this;
    law.rows = rows_from(rows, first);
    return law;
  }
  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t j) const {
    // A double represents the number of a body exactly and can be selected by lane.
    return DoublePositions::source(j, static_cast<double>(j));
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add(Distances<Lanes>& sum, forces::Point<Lanes> const& target,
                                       Source const& source) const {
    Lanes const squared = forces::separation(target, source, 0.0).squared;
    add_squared(sum, squared, squared, source.m);
  }
  /// Excludes the body itself from the least distance. Its distance 0 changes neither the largest
  /// distance nor the sum.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_excluding_self(Distances<Lanes>& sum,
                                                      forces::Point<Lanes> const& target,
                                                      Source const& source,
                                                      std::ptrdiff_t self) const {
    Lanes const squared = forces::separation(target, source, 0.0).squared;
    Lanes others = squared;
    this->exclude_self(others, self);
    add_squared(sum, squared, others, source.m);
  }
  template <class Total>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t row, Total const& total, int lane) const {
    rows(row) = {simd::lane<double>(total.least, lane), simd::lane<double>(total.nearest, lane),
                 simd::lane<double>(total.most, lane), simd::lane<double>(total.sum, lane)};
  }

 private:
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void add_squared(Distances<Lanes>& sum, Lanes const& squared,
                                                      Lanes const& others, double number) {
    sum.nearest = others < sum.least ? Lanes{} + number : sum.nearest;
    sum.least = others < sum.least ? others : sum.least;
    sum.most = squared > sum.most ? squared : sum.most;
    sum.sum += root(squared);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static Lanes root(Lanes const& squared) {
    // An array, because GCC then vectorizes the square roots of a pack.
    double roots[simd::lane_count<double, Lanes>];
    memcpy(roots, &squared, sizeof(Lanes));
    for (double& root : roots) root = Kokkos::sqrt(root);
    Lanes pack;
    memcpy(&pack, roots, sizeof(Lanes));
    return pack;
  }
};

/// Distances over all pairs, with each pair counted twice.
struct Overall {
  double least = infinity;
  std::uint64_t first = 0, second = 0;
  double most = 0.0;
  double sum = 0.0;

  KOKKOS_FUNCTION Overall& operator+=(Overall const& b) {
    if (b.least < least) {
      least = b.least;
      first = b.first;
      second = b.second;
    }
    most = b.most > most ? b.most : most;
    sum += b.sum;
    return *this;
  }
};

/// Distances of one row. The sum of a massless body is doubled: the massive bodies do not have the
/// massless bodies as sources, so these pairs occur in one row only.
struct OverallOfBody {
  Kokkos::View<Distances<double>*, MemorySpace> rows;
  std::size_t massive;
  forces::BodyRows number;  ///< body of each row

  KOKKOS_FUNCTION Overall operator()(std::size_t i) const {
    auto const& row = rows(i);
    bool const known = row.least < infinity;
    std::uint64_t const first = number[i];
    std::uint64_t const second = known ? number[static_cast<std::size_t>(row.nearest)] : first;
    return {row.least, first, second, row.most, i < massive ? row.sum : 2.0 * row.sum};
  }
};

/// Indices of the bodies, massive bodies first.
struct MassiveFirst {
  std::size_t massive = 0;
  std::vector<std::size_t> order;
};

MassiveFirst massive_first(ExecutionSpace const& space, ReadColumns const& mass) {
  auto const host = values_on_host(space, mass);
  MassiveFirst bodies;
  std::vector<std::size_t> massless;
  for (std::size_t i = 0; i < host.size(); ++i) {
    (host[i] != 0.0 ? bodies.order : massless).push_back(i);
  }
  bodies.massive = bodies.order.size();
  bodies.order.insert(bodies.order.end(), massless.begin(), massless.end());
  return bodies;
}

VectorColumns<double> reordered(ExecutionSpace const& space, ReadColumns const& input,
                                forces::BodyList const& order) {
  auto const output = uninitialised<VectorColumns<double>>(
      space, "apsis::diagnostics::pair_distances", order.extent(0));
  for_each(
      space, "apsis::diagnostics::pair_distances::in_order", order.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) output(i, axis) = input(order(i), axis);
      });
  return output;
}

/// All pairs with a massive body: positions with the massive bodies first, and twice the number of
/// pairs.
struct MassivePairs {
  std::size_t massive;
  ReadColumns position;
  forces::BodyRows number;  ///< body of each row
  double twice_count;
  VectorColumns<double> memory{};  ///< of `position`, unless it is that of the bodies
};

MassivePairs massive_pairs(ExecutionSpace const& space, ReadBodies const& bodies) {
  std::size_t const count = bodies.size();
  auto const ordered = massive_first(space, bodies.mass);
  std::size_t const massive = ordered.massive;
  auto const m = static_cast<double>(massive), others = static_cast<double>(count - massive);
  MassivePairs pairs{massive, bodies.position, forces::BodyRows::all(count),
                     m * (m - 1.0) + 2.0 * m * others};
  if (pairs.twice_count > 0.0 && massive < count) {
    auto const order =
        copy_to_device(space, ordered.order, "apsis::diagnostics::pair_distances::number");
    pairs.memory = reordered(space, bodies.position, order);
    pairs.position = pairs.memory;
    pairs.number = forces::BodyRows::listed(order, count);
    space.fence("apsis::diagnostics::pair_distances: the copied order is freed");
  }
  return pairs;
}

/// Nearest source of one row.
struct ClosestOfBody {
  NearestSources<1> nearest;
  forces::BodyRows number;  ///< body of each row

  KOKKOS_FUNCTION Overall operator()(std::size_t i) const {
    double const least = nearest.squared(i, 0);
    std::uint64_t const first = number[i];
    std::uint64_t const second = least < infinity ? number[nearest.index(i, 0)] : first;
    return {least, first, second, 0.0, 0.0};
  }
};

/// Pair of a body with the largest (m1 + m2) / r^3.
struct Tightest {
  double density = -1.0;  ///< (m1 + m2) / r^3
  double squared = 0.0;
  std::uint64_t first = 0, second = 0;

  KOKKOS_FUNCTION Tightest& operator+=(Tightest const& b) {
    if (b.density > density) *this = b;
    return *this;
  }
};

struct TightestOfBody {
  ReadBodies bodies;

  KOKKOS_FUNCTION Tightest operator()(std::size_t i) const {
    Tightest best;
    for (std::size_t j = 0; j < bodies.mass.size(); ++j) {
      double const m = bodies.mass(i) + bodies.mass(j);
      if (j == i || m == 0.0) continue;
      auto const r = row(bodies.position, j) - row(bodies.position, i);
      double const squared = dot(r, r);
      double const density = m / (squared * Kokkos::sqrt(squared));
      if (density > best.density) best = {density, squared, i < j ? i : j, i < j ? j : i};
    }
    return best;
  }
};

ClosestPair closest(Overall const& distances) {
  return {std::sqrt(distances.least), std::min(distances.first, distances.second),
          std::max(distances.first, distances.second)};
}

}  // namespace

std::optional<ClosestPair> closest_pair(Context const& context, ReadBodies const& bodies,
                                        NeighbourSearch search) {
  auto const pairs = massive_pairs(context.space, bodies);
  if (!(pairs.twice_count > 0.0)) return std::nullopt;
  auto const nearest = nearest_sources<1>(context.space, "apsis::diagnostics::closest_pair",
                                          pairs.position, pairs.massive, {}, search);
  return closest(fixed_order_sum<Overall>(context, "apsis::diagnostics::closest_pair::overall",
                                          bodies.size(), ClosestOfBody{nearest, pairs.number}));
}

std::optional<PairDistances> pair_distances(Context const& context, ReadBodies const& bodies,
                                            Poll const& poll) {
  std::size_t const count = bodies.size();
  auto const pairs = massive_pairs(context.space, bodies);
  if (!(pairs.twice_count > 0.0)) return std::nullopt;
  auto const rows = uninitialised<Kokkos::View<Distances<double>*, MemorySpace>>(
      context.space, "apsis::diagnostics::pair_distances", count);
  sweep_pairs<2>(context.space, "apsis::diagnostics::pair_distances",
                 DistanceLaw{{pairs.position}, rows}, pairs.massive, count, poll);
  auto const distances =
      fixed_order_sum<Overall>(context, "apsis::diagnostics::pair_distances::overall", count,
                               OverallOfBody{rows, pairs.massive, pairs.number});
  return PairDistances{closest(distances), distances.sum / pairs.twice_count,
                       std::sqrt(distances.most)};
}

std::vector<NearestBody> nearest_bodies(Context const& context, ReadBodies const& bodies,
                                        Poll const& poll) {
  auto const nearest = nearest_sources<1>(context.space, "apsis::diagnostics::nearest_bodies",
                                          bodies.position, bodies.size(), poll);
  return tabulate<NearestBody>(
      context, "apsis::diagnostics::nearest_bodies::distances", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) {
        return NearestBody{nearest.index(i, 0), Kokkos::sqrt(nearest.squared(i, 0))};
      });
}

std::optional<ClosestPair> tightest_pair(Context const& context, ReadBodies const& bodies) {
  auto const tightest = fixed_order_sum<Tightest>(context, "apsis::diagnostics::tightest_pair",
                                                  bodies.size(), TightestOfBody{bodies});
  if (tightest.density < 0.0) return std::nullopt;
  return ClosestPair{std::sqrt(tightest.squared), tightest.first, tightest.second};
}

}  // namespace apsis::diagnostics
