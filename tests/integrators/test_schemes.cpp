// SPDX-License-Identifier: Apache-2.0
#include "integrators/composition.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

using namespace apsis;
using apsis::testing::approximately;
using integrators::Scheme;

namespace {

/// Special Nystrom tree (Hairer, Norsett & Wanner 1993, Solving Ordinary Differential Equations I,
/// section II.14): an elementary differential of a force that depends on positions only. Its
/// arguments are so many velocities and further forces.
struct Tree {
  int velocities;
  std::vector<Tree> forces;

  int order() const {
    int sum = 1 + velocities;
    for (auto const& force : forces) sum += 1 + force.order();
    return sum;
  }
  /// Coefficient of t^(order - 1) in the exact solution.
  double coefficient() const {
    double product = 1.0;
    for (auto const& force : forces) {
      product *= force.coefficient() / (force.order() * (force.order() + 1));
    }
    return product;
  }
  /// Weight of the tree at each kick of a scheme. A kick moves a position in proportion to the time
  /// since the kick.
  std::vector<double> weights(Scheme const& scheme) const {
    std::size_t const kicks = scheme.kick.size();
    std::vector<double> time(kicks), weight(kicks);
    std::partial_sum(scheme.drift.begin(), scheme.drift.end() - 1, time.begin());
    for (std::size_t i = 0; i < kicks; ++i) weight[i] = std::pow(time[i], velocities);
    for (auto const& force : forces) {
      auto const force_weight = force.weights(scheme);
      for (std::size_t i = 0; i < kicks; ++i) {
        double moved = 0.0;
        for (std::size_t j = 0; j < i; ++j) {
          moved += scheme.kick[j] * (time[i] - time[j]) * force_weight[j];
        }
        weight[i] *= moved;
      }
    }
    return weight;
  }
};

/// Appends all trees that extend `root` by `left` orders: by any of the first `kinds` trees of
/// `known` as further forces, and by velocities for the rest.
void grow(std::vector<Tree>& trees, std::vector<Tree> const& known, std::size_t kinds, int left,
          Tree const& root) {
  auto grown = root;
  grown.velocities = left;
  trees.push_back(grown);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    int const rest = left - 1 - known[kind].order();
    if (rest < 0) continue;
    auto next = root;
    next.forces.push_back(known[kind]);
    grow(trees, known, kind + 1, rest, next);
  }
}

std::vector<Tree> trees_of(int order) {
  std::vector<Tree> smaller;
  for (int lower = 1; lower < order - 1; ++lower) {
    for (auto& tree : trees_of(lower)) smaller.push_back(std::move(tree));
  }
  std::vector<Tree> trees;
  grow(trees, smaller, smaller.size(), order - 1, {});
  return trees;
}

/// Residual of a scheme in the conditions of an order: the root of the sum of squares.
double residual(Scheme const& scheme, int order) {
  double squares = 0.0;
  for (auto const& tree : trees_of(order)) {
    auto const weights = tree.weights(scheme);
    double const sum = std::inner_product(weights.begin(), weights.end(), scheme.kick.begin(), 0.0);
    double const difference = sum - tree.coefficient() / order;
    squares += difference * difference;
  }
  return std::sqrt(squares);
}

Scheme const& scheme_named(std::string const& name) {
  for (auto const& scheme : integrators::schemes()) {
    if (scheme.names.front() == name) return scheme;
  }
  throw std::invalid_argument(name);
}

}  // namespace

TEST_CASE("every scheme is symmetric and its fractions add up to one step") {
  for (auto const& scheme : integrators::schemes()) {
    REQUIRE(!scheme.names.empty());
    CAPTURE(scheme.names.front());
    REQUIRE(scheme.drift.size() == scheme.kick.size() + 1);
    for (auto const* part : {&scheme.drift, &scheme.kick}) {
      CHECK(std::vector<double>(part->rbegin(), part->rend()) == *part);
      CHECK(std::abs(std::accumulate(part->begin(), part->end(), -1.0)) < 1e-15);
    }
  }
}

TEST_CASE("the number of trees equals the number of order conditions of Nystrom methods") {
  int const known[] = {1, 1, 2, 3, 6, 10, 20, 36, 72, 137};
  for (int order = 1; order <= 10; ++order) {
    CHECK(static_cast<int>(trees_of(order).size()) == known[order - 1]);
  }
}

TEST_CASE("every scheme meets the conditions of its order; the next residual is its constant") {
  // Residuals of the next order, computed from the coefficients with 60 digits.
  std::pair<char const*, double> const constants[]{
      {"leapfrog_kdk", 0.186339},    {"leapfrog_dkd", 0.186339},
      {"forest_ruth", 0.154097},     {"pefrl", 0.00807919},
      {"blanes_moan4", 4.39914e-5},  {"yoshida6", 0.0113509},
      {"kahan_li6", 0.00153636},     {"sofroniou_spaletta6", 3.48531e-4},
      {"blanes_moan6", 5.37695e-6},  {"yoshida8", 0.0111349},
      {"kahan_li8", 6.68937e-5},     {"sofroniou_spaletta8", 3.56821e-5},
      {"blanes_casas8", 7.33387e-6}, {"sofroniou_spaletta10", 2.47971e-6},
  };
  CHECK(std::size(constants) == integrators::schemes().size());
  for (auto const& expected : constants) {
    CAPTURE(expected.first);
    auto const& scheme = scheme_named(expected.first);
    for (int order = 1; order <= scheme.order; ++order) {
      CAPTURE(order);
      CHECK(residual(scheme, order) < 2e-15);
    }
    CHECK(residual(scheme, scheme.order + 1) == approximately(expected.second, 1e-5));
  }
}
