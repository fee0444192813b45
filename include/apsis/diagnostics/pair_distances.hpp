// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/diagnostics/density_centre.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace apsis::diagnostics {

/// Indices of two bodies, first < second, and their distance [length].
struct ClosestPair {
  double distance;
  std::uint64_t first, second;
};

/// Distances over all pairs with at least one massive body [length].
struct PairDistances {
  ClosestPair closest;
  double mean;
  double maximum;
};

/// Returns the closest pair with a massive body; of equally close pairs the first. Empty if there
/// is no such pair. In double; the bits depend neither on `search` nor on the number of threads.
/// Fences. O(N log N) from neighbour_cells_from massive bodies on, O(massive x N) below.
std::optional<ClosestPair> closest_pair(Context const& context, ReadBodies const& bodies,
                                        NeighbourSearch search = NeighbourSearch::by_size);

/// The nearest other body of a body.
struct NearestBody {
  std::size_t index;  ///< 0 if there is none at a finite distance
  double distance;    ///< [length]; infinite if there is none
};

/// Returns the nearest other body of each body, massless or not; of equally near bodies the first.
/// In double; the bits do not depend on the number of threads. Fences. O(N log N) from
/// neighbour_cells_from bodies on, O(N^2) below.
std::vector<NearestBody> nearest_bodies(Context const& context, ReadBodies const& bodies,
                                        Poll const& poll = {});

/// Returns the pair with the shortest dynamical time, that is with the largest (m1 + m2) / r^3; of
/// equal pairs the first. Empty if no pair has mass. Fences. O(N^2) and not optimised; intended for
/// the end of a run.
std::optional<ClosestPair> tightest_pair(Context const& context, ReadBodies const& bodies);

/// Returns the closest pair, the mean and the largest distance. Empty if there is no pair with a
/// massive body. The mean needs every distance: O(massive x N), with a square root per pair.
std::optional<PairDistances> pair_distances(Context const& context, ReadBodies const& bodies,
                                            Poll const& poll = {});

}  // namespace apsis::diagnostics
