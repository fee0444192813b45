// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm/leaf_shares.hpp"

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

/// What processes of these speeds take for their leaves, the work on each of which is given.
std::vector<double> seconds(Counts const& firsts, std::vector<double> const& speeds,
                            std::function<double(double)> const& work) {
  std::vector<double> took;
  for (std::size_t k = 0; k < speeds.size(); ++k) {
    double sum = 0.0;
    for (auto leaf = firsts[k]; leaf < firsts[k + 1]; ++leaf) {
      sum += work(static_cast<double>(leaf) / leaves);
    }
    took.push_back(sum / speeds[k]);
  }
  return took;
}

double slowest_to_average(std::vector<double> const& of) {
  double const average =
      std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
  return *std::max_element(of.begin(), of.end()) / average;
}

double centre(double along) {
  return 1.0 + 30.0 * std::exp(-1e3 * (along - 0.3) * (along - 0.3));
}

}  // namespace

TEST_CASE("shares of leaves are even until something is learnt, in whole registers") {
  LeafShares const shares;
  CHECK(shares.firsts(6400, 4) == Counts{0, 1600, 3200, 4800, 6400});
  CHECK(shares.firsts(100, 3) == Counts{0, 32, 80, 100});
  CHECK(shares.firsts(10, 3) == Counts{0, 0, 10, 10});
  CHECK(shares.firsts(7, 1) == Counts{0, 7});
}

TEST_CASE("each process comes to take as long as the others, whatever its leaves and its speed") {
  for (auto const& speeds : {std::vector{1.0, 1.0}, {1.0, 3.0, 1.0}, {1, 1, 1, 1, 1, 1, 0.5}}) {
    CAPTURE(speeds.size());
    LeafShares shares;
    auto const at_first = seconds(shares.firsts(leaves, speeds.size()), speeds, centre);
    CHECK(slowest_to_average(at_first) > 1.3);
    for (int sweep = 0; sweep < 20; ++sweep) {
      shares.learn(seconds(shares.firsts(leaves, speeds.size()), speeds, centre));
    }
    auto const firsts = shares.firsts(leaves, speeds.size());
    CHECK(std::is_sorted(firsts.begin(), firsts.end()));
    CHECK(firsts.front() == 0);
    CHECK(firsts.back() == leaves);
    CHECK(slowest_to_average(seconds(firsts, speeds, centre)) < 1.04);
  }
}

TEST_CASE("shares stay where all take nearly as long, or where one cannot tell") {
  LeafShares shares;
  auto const even = shares.firsts(leaves, 2);
  for (double const took : {1.0, 1.05, 0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    shares.learn({took, 1.0});
    CHECK(shares.firsts(leaves, 2) == even);
  }
  // Half the way to 5/8, where half of the time was spent, and then to the next register.
  shares.learn({0.5, 1.0});
  CHECK(shares.firsts(leaves, 2) == Counts{0, 703 * 16, leaves});
  CHECK(shares.firsts(leaves, 3) == LeafShares().firsts(leaves, 3));
}
