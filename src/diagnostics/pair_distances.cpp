// SPDX-License-Identifier: Apache-2.0
#include "all_pairs.hpp"
#include <apsis/core/reductions.hpp>
#include <apsis/diagnostics/pair_distances.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace apsis::diagnostics {

namespace {

/// Distances from one body, or a pack of them, to others. Squared, but for the sum.
template <class Lanes>
struct Distances {
  Lanes least = Lanes{} + infinity;
  Lanes nearest{};  ///< which body is at the least distance
  Lanes most{};
  Lanes sum{};

  KOKKOS_FORCEINLINE_FUNCTION void add(Distances const& others) {
    nearest = others.least < least ? others.nearest : nearest;
    least = others.least < least ? others.least : least;
    most = others.most > most ? others.most : most;
    sum += others.sum;
  }
};

/// Distances as a law of the tile loop; without `all` the least alone.
template <class Stored, bool all>
struct DistanceLaw : PlacesInDouble<Stored> {
  using typename PlacesInDouble<Stored>::Source;
  template <class Lanes>
  using Sum = Distances<Lanes>;
  template <int lanes>
  using Total = Distances<typename simd::Pack<double, lanes>::type>;

  Kokkos::View<Distances<double>*, MemorySpace> rows;

  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t j) const {
    // Doubles count bodies exactly, and a pack of them is chosen from like any other.
    return PlacesInDouble<Stored>::source(j, static_cast<double>(j));
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add(Distances<Lanes>& sum, forces::Point<Lanes> const& target,
                                       Source const& source) const {
    Lanes const squared = forces::separation(target, source, 0.0).squared;
    add_squared(sum, squared, squared, source.m);
  }
  /// To itself a body has no distance, least of all 0; the others do not mind.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_but_self(Distances<Lanes>& sum,
                                                forces::Point<Lanes> const& target,
                                                Source const& source, std::ptrdiff_t self) const {
    Lanes const squared = forces::separation(target, source, 0.0).squared;
    Lanes others = squared;
    this->leave_out(others, self);
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
    if constexpr (all) {
      sum.most = squared > sum.most ? squared : sum.most;
      sum.sum += root(squared);
    }
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static Lanes root(Lanes const& squared) {
    // Through an array: GCC then takes the roots of a whole pack at once.
    double roots[simd::lane_count<double, Lanes>];
    memcpy(roots, &squared, sizeof(Lanes));
    for (double& root : roots) root = Kokkos::sqrt(root);
    Lanes pack;
    memcpy(&pack, roots, sizeof(Lanes));
    return pack;
  }
};

/// Distances over all pairs, each seen from both sides.
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

struct OverallOfBody {
  Kokkos::View<Distances<double>*, MemorySpace> rows;

  KOKKOS_FUNCTION Overall operator()(std::size_t i) const {
    auto const& row = rows(i);
    return {row.least, i, static_cast<std::uint64_t>(row.nearest), row.most, row.sum};
  }
};

template <bool all, class Real>
Overall overall(Context const& context, Bodies<Real> const& bodies) {
  std::size_t const count = bodies.size();
  Kokkos::View<Distances<double>*, MemorySpace> const rows(
      Kokkos::view_alloc(context.space, Kokkos::WithoutInitializing,
                         "apsis::diagnostics::pair_distances"),
      count);
  DistanceLaw<Real, all> const law{{bodies.position}, rows};
  sweep_all_pairs<2>(context, "apsis::diagnostics::pair_distances", law, count);
  return fixed_order_sum<Overall>(context, "apsis::diagnostics::pair_distances", count,
                                  OverallOfBody{rows});
}

ClosestPair closest(Overall const& of) {
  return {std::sqrt(of.least), std::min(of.first, of.second), std::max(of.first, of.second)};
}

}  // namespace

template <class Real>
std::optional<ClosestPair> closest_pair(Context const& context, Bodies<Real> const& bodies) {
  if (bodies.size() < 2) return std::nullopt;
  return closest(overall<false>(context, bodies));
}

template <class Real>
std::optional<PairDistances> pair_distances(Context const& context, Bodies<Real> const& bodies) {
  if (bodies.size() < 2) return std::nullopt;
  auto const found = overall<true>(context, bodies);
  auto const count = static_cast<double>(bodies.size());
  return PairDistances{closest(found), found.sum / (count * (count - 1.0)), std::sqrt(found.most)};
}

template std::optional<ClosestPair> closest_pair(Context const&, Bodies<float> const&);
template std::optional<ClosestPair> closest_pair(Context const&, Bodies<double> const&);
template std::optional<PairDistances> pair_distances(Context const&, Bodies<float> const&);
template std::optional<PairDistances> pair_distances(Context const&, Bodies<double> const&);

}  // namespace apsis::diagnostics
