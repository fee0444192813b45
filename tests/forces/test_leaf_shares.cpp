// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm/tree/leaf_shares.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

using apsis::forces::fmm::LeafShares;
using Counts = std::vector<std::size_t>;

namespace {

constexpr std::size_t leaves = 20000;

/// Time that ranks of these speeds take for their leaves, with the given cost per leaf.
std::vector<double> seconds(Counts const& first_leaves, std::vector<double> const& speeds,
                            std::function<double(double)> const& work) {
  std::vector<double> times;
  for (std::size_t k = 0; k < speeds.size(); ++k) {
    double sum = 0.0;
    for (auto leaf = first_leaves[k]; leaf < first_leaves[k + 1]; ++leaf) {
      sum += work(static_cast<double>(leaf) / leaves);
    }
    times.push_back(sum / speeds[k]);
  }
  return times;
}

double slowest_to_average(std::vector<double> const& times) {
  double const average =
      std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  return *std::max_element(times.begin(), times.end()) / average;
}

double central_cost(double position) {
  return 1.0 + 30.0 * std::exp(-1e3 * (position - 0.3) * (position - 0.3));
}

}  // namespace

TEST_CASE("shares of leaves are even at first, in whole groups") {
  LeafShares const shares;
  CHECK(shares.first_leaves(6400, 4) == Counts{0, 1600, 3200, 4800, 6400});
  CHECK(shares.first_leaves(100, 3) == Counts{0, 32, 80, 100});
  CHECK(shares.first_leaves(10, 3) == Counts{0, 0, 10, 10});
  CHECK(shares.first_leaves(7, 1) == Counts{0, 7});
}

TEST_CASE("all ranks come to take the same time, whatever their leaves and speeds") {
  for (auto const& speeds : {std::vector{1.0, 1.0}, {1.0, 3.0, 1.0}, {1, 1, 1, 1, 1, 1, 0.5}}) {
    CAPTURE(speeds.size());
    LeafShares shares;
    auto const at_first = seconds(shares.first_leaves(leaves, speeds.size()), speeds, central_cost);
    CHECK(slowest_to_average(at_first) > 1.3);
    for (int sweep = 0; sweep < 20; ++sweep) {
      shares.learn(seconds(shares.first_leaves(leaves, speeds.size()), speeds, central_cost));
    }
    auto const first_leaves = shares.first_leaves(leaves, speeds.size());
    CHECK(std::is_sorted(first_leaves.begin(), first_leaves.end()));
    CHECK(first_leaves.front() == 0);
    CHECK(first_leaves.back() == leaves);
    CHECK(slowest_to_average(seconds(first_leaves, speeds, central_cost)) < 1.04);
  }
}

TEST_CASE("shares stay if all ranks take nearly the same time, or a time is unknown") {
  LeafShares shares;
  auto const even = shares.first_leaves(leaves, 2);
  for (double const times : {1.0, 1.05, 0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    shares.learn({times, 1.0});
    CHECK(shares.first_leaves(leaves, 2) == even);
  }
  // Half the way to 5/8, where half of the time was spent, rounded to the next group.
  shares.learn({0.5, 1.0});
  CHECK(shares.first_leaves(leaves, 2) == Counts{0, 703 * 16, leaves});
  CHECK(shares.first_leaves(leaves, 3) == LeafShares().first_leaves(leaves, 3));
}
