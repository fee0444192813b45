// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace apsis::forces::fmm {

/// Which leaves each of several processes sweeps over: even parts of the curve at first, then such
/// that each takes as long, whatever is there and however fast it is. All of them learn the same,
/// so they agree; what is found does not depend on it.
class LeafShares {
 public:
  /// The first leaf of each process, and the one behind them all: whole registers of leaves.
  std::vector<std::size_t> firsts(std::size_t leaves, std::size_t processes) const;

  /// What each took for the leaves that it had [s]. A process that cannot tell gives 0: then
  /// nothing is learnt. Cuts move half the way, since one sweep is no more than a sample, and stay
  /// where the slowest takes a few percent longer than all do on average.
  void learn(std::vector<double> const& seconds);

 private:
  std::vector<double> cuts_;  ///< parts of all leaves at which each begins, and 1; empty: even
  /// What is believed to take how long, in as many parts along the curve: sums over the leaves of
  /// each process say little of one place, but as cuts move they are those of other places.
  std::vector<double> work_;
};

}  // namespace apsis::forces::fmm
