// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>
#include <apsis/core/poll.hpp>

#include <cstdint>
#include <optional>

namespace apsis::diagnostics {

/// Two bodies by their places among the bodies, first < second, and their distance [length].
struct ClosestPair {
  double distance;
  std::uint64_t first, second;
};

/// Distances over all pairs but those of two massless bodies [length].
struct PairDistances {
  ClosestPair closest;
  double mean;
  double maximum;
};

/// The closest pair with a massive body; of several that are equally close the first. Nothing if
/// there is none. In double, and the same bits for any number of threads. Fences. O(massive x N):
/// about half the time of a sweep of forces in double.
template <class Real>
std::optional<ClosestPair> closest_pair(Context const& context, Bodies<Real> const& bodies);

/// The pair with the shortest dynamical time, the largest (m1 + m2) / r^3, and its distance; of
/// several the first. Nothing if no pair has mass. Fences. O(massive x N), and slow: for the end of
/// a run.
template <class Real>
std::optional<ClosestPair> tightest_pair(Context const& context, Bodies<Real> const& bodies);

/// The closest pair, and the mean and the largest distance, for a root per pair: about four times
/// as long.
template <class Real>
std::optional<PairDistances> pair_distances(Context const& context, Bodies<Real> const& bodies,
                                            Poll const& poll = {});

}  // namespace apsis::diagnostics
