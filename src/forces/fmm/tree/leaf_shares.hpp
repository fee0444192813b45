// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace apsis::forces::fmm {

/// Shares of the leaves among ranks: even at first, then balanced by measured times, which depend
/// on the cost of the leaves and on the speed of the ranks. All ranks compute the same shares. The
/// results of a sweep do not depend on them.
class LeafShares {
 public:
  /// Returns the first leaf of each rank, multiples of 16, and the number of leaves.
  std::vector<std::size_t> first_leaves(std::size_t leaves, std::size_t ranks) const;

  /// Updates the shares with the time of each rank for its present leaves [s]. Does nothing if a
  /// time is 0 (unknown), or if the slowest rank is within 3 % of the average. The cuts move only
  /// half the way, because one sweep is a small sample.
  void learn(std::vector<double> const& seconds);

 private:
  /// Fraction of the leaves at which the share of each rank begins, and 1; empty: even shares.
  std::vector<double> cuts_;
  /// Estimated cost of equal bins of leaves. The time of a rank says little about a single bin, but
  /// as the cuts move, the times cover different bins.
  std::vector<double> work_;
};

}  // namespace apsis::forces::fmm
