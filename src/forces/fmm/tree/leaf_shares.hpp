// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace apsis::forces::fmm {

/// Shares of the leaves among ranks: even at first, then balanced by measured times, which accounts
/// for the cost of the leaves and the speed of the ranks. All ranks compute the same shares.
/// Results do not depend on them.
class LeafShares {
 public:
  /// Returns the first leaf of each rank, and the total number: multiples of 16 leaves.
  std::vector<std::size_t> first_leaves(std::size_t leaves, std::size_t ranks) const;

  /// Updates the shares with the time of each rank for its present leaves [s]. A time of 0 from any
  /// rank means unknown: nothing is learnt. The cuts move half the way, since one sweep is only a
  /// sample. They stay if the slowest rank is within a few percent of the average.
  void learn(std::vector<double> const& seconds);

 private:
  std::vector<double>
      cuts_;  ///< fraction of the leaves at which each share begins, and 1; empty: even
  /// Estimated cost of equal bins along the curve. The time of a rank says little about one bin,
  /// but as the cuts move, the times cover different bins.
  std::vector<double> work_;
};

}  // namespace apsis::forces::fmm
