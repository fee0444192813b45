// SPDX-License-Identifier: Apache-2.0
#include "leaf_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace apsis::forces::fmm {

namespace {

std::vector<double> even_cuts(std::size_t ranks) {
  std::vector<double> cuts;
  for (std::size_t k = 0; k <= ranks; ++k) {
    cuts.push_back(static_cast<double>(k) / static_cast<double>(ranks));
  }
  return cuts;
}

constexpr std::size_t bin_count = 1024;

/// Fraction of a bin that lies between two cuts.
double overlap(std::size_t bin, double begin, double end) {
  double const low = static_cast<double>(bin) / bin_count;
  double const high = static_cast<double>(bin + 1) / bin_count;
  return std::max(0.0, std::min(end, high) - std::max(begin, low)) * bin_count;
}

/// Scales the estimated cost so that the sum over the share of each rank is its measured time. A
/// bin that is cut contributes to two ranks, in proportion.
void rescale_work(std::vector<double> const& cuts, std::vector<double> const& seconds,
                  std::vector<double>& work) {
  std::vector<double> factor(bin_count, 0.0);
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    double estimated = 0.0;
    for (std::size_t i = 0; i < bin_count; ++i)
      estimated += work[i] * overlap(i, cuts[k], cuts[k + 1]);
    double const ratio = estimated > 0.0 ? seconds[k] / estimated : 1.0;
    for (std::size_t i = 0; i < bin_count; ++i)
      factor[i] += ratio * overlap(i, cuts[k], cuts[k + 1]);
  }
  for (std::size_t i = 0; i < bin_count; ++i) work[i] *= factor[i];
}

/// Position along the curve at which a fraction of the total cost is reached.
double position_of_work(double fraction, std::vector<double> const& work) {
  double remaining = fraction * std::accumulate(work.begin(), work.end(), 0.0);
  std::size_t i = 0;
  while (i + 1 < bin_count && remaining > work[i]) remaining -= work[i++];
  return (static_cast<double>(i) + std::min(1.0, remaining / work[i])) / bin_count;
}

}  // namespace

std::vector<std::size_t> LeafShares::first_leaves(std::size_t leaves, std::size_t ranks) const {
  constexpr std::size_t unit = 16;  // leaves
  std::size_t const units = (leaves + unit - 1) / unit;
  auto const cuts = cuts_.size() == ranks + 1 ? cuts_ : even_cuts(ranks);
  std::vector<std::size_t> first_leaves;
  for (auto const cut : cuts) {
    auto const first = static_cast<std::size_t>(std::llround(cut * static_cast<double>(units)));
    first_leaves.push_back(std::min(leaves, first * unit));
  }
  return first_leaves;
}

void LeafShares::learn(std::vector<double> const& seconds) {
  constexpr double max_imbalance = 1.03;
  std::size_t const ranks = seconds.size();
  if (std::any_of(seconds.begin(), seconds.end(),
                  [](double time) { return !(time > 0.0 && std::isfinite(time)); })) {
    return;
  }
  double const average =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(ranks);
  if (*std::max_element(seconds.begin(), seconds.end()) <= max_imbalance * average) return;
  if (cuts_.size() != ranks + 1) {
    cuts_ = even_cuts(ranks);
    work_.assign(bin_count, 1.0);
  }
  rescale_work(cuts_, seconds, work_);
  auto const even_shares = even_cuts(ranks);
  for (std::size_t k = 1; k < ranks; ++k) {
    cuts_[k] = 0.5 * (cuts_[k] + position_of_work(even_shares[k], work_));
  }
}

}  // namespace apsis::forces::fmm
