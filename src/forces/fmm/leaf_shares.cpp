// SPDX-License-Identifier: Apache-2.0
#include "leaf_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace apsis::forces::fmm {

namespace {

std::vector<double> even_cuts(std::size_t processes) {
  std::vector<double> cuts;
  for (std::size_t k = 0; k <= processes; ++k) {
    cuts.push_back(static_cast<double>(k) / static_cast<double>(processes));
  }
  return cuts;
}

constexpr std::size_t places = 1024;

/// The part of a place that lies between two cuts.
double overlap(std::size_t place, double begin, double end) {
  double const low = static_cast<double>(place) / places;
  double const high = static_cast<double>(place + 1) / places;
  return std::max(0.0, std::min(end, high) - std::max(begin, low)) * places;
}

/// Scales what is believed so that it adds up to what each took. (Leaves that were cut through: in
/// proportion.)
void believe(std::vector<double> const& cuts, std::vector<double> const& seconds,
             std::vector<double>& work) {
  std::vector<double> factor(places, 0.0);
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    double believed = 0.0;
    for (std::size_t i = 0; i < places; ++i) believed += work[i] * overlap(i, cuts[k], cuts[k + 1]);
    double const more = believed > 0.0 ? seconds[k] / believed : 1.0;
    for (std::size_t i = 0; i < places; ++i) factor[i] += more * overlap(i, cuts[k], cuts[k + 1]);
  }
  for (std::size_t i = 0; i < places; ++i) work[i] *= factor[i];
}

/// Where a part of all work is done.
double place_of(double part, std::vector<double> const& work) {
  double left = part * std::accumulate(work.begin(), work.end(), 0.0);
  std::size_t i = 0;
  while (i + 1 < places && left > work[i]) left -= work[i++];
  return (static_cast<double>(i) + std::min(1.0, left / work[i])) / places;
}

}  // namespace

std::vector<std::size_t> LeafShares::firsts(std::size_t leaves, std::size_t processes) const {
  constexpr std::size_t many = 16;
  std::size_t const groups = (leaves + many - 1) / many;
  auto const cuts = cuts_.size() == processes + 1 ? cuts_ : even_cuts(processes);
  std::vector<std::size_t> firsts;
  for (auto const cut : cuts) {
    auto const group = static_cast<std::size_t>(std::llround(cut * static_cast<double>(groups)));
    firsts.push_back(std::min(leaves, group * many));
  }
  return firsts;
}

void LeafShares::learn(std::vector<double> const& seconds) {
  constexpr double even_enough = 1.03;
  std::size_t const processes = seconds.size();
  if (std::any_of(seconds.begin(), seconds.end(),
                  [](double took) { return !(took > 0.0 && std::isfinite(took)); })) {
    return;
  }
  double const average =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(processes);
  if (*std::max_element(seconds.begin(), seconds.end()) <= even_enough * average) return;
  if (cuts_.size() != processes + 1) {
    cuts_ = even_cuts(processes);
    work_.assign(places, 1.0);
  }
  believe(cuts_, seconds, work_);
  auto const even = even_cuts(processes);
  for (std::size_t k = 1; k < processes; ++k) {
    cuts_[k] = 0.5 * (cuts_[k] + place_of(even[k], work_));
  }
}

}  // namespace apsis::forces::fmm
