// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>

#include <cstdint>
#include <optional>

namespace apsis::diagnostics {

/// Two bodies by their places among the bodies, first < second, and their distance [length].
struct ClosestPair {
  double distance;
  std::uint64_t first, second;
};

/// Distances over all pairs [length].
struct PairDistances {
  ClosestPair closest;
  double mean;
  double maximum;
};

/// The closest pair; of several that are equally close the first. Nothing for fewer than two
/// bodies. In double, and the same bits for any number of threads. Fences. O(N^2): about
/// half the time of a sweep of forces in double.
template <class Real>
std::optional<ClosestPair> closest_pair(Context const& context, Bodies<Real> const& bodies);

/// The same and the mean and the largest distance, for a root per pair: about four times as long.
template <class Real>
std::optional<PairDistances> pair_distances(Context const& context, Bodies<Real> const& bodies);

}  // namespace apsis::diagnostics
