// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace apsis::deck {

namespace {

using Places = std::vector<Vec3<double>>;

/// Returns the pairs of bodies_in_one_place() for places that are already sorted by x, y and z.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(Places const& places,
                                                          std::vector<bool> const& massless,
                                                          double least, std::size_t most) {
  // Grid cells are twice as wide as `least`, so that in spite of rounding every body within `least`
  // is in the same cell or in a neighbouring one. If the cell number of a coordinate overflows, the
  // coordinate is used instead.
  auto const cell = [least](double x) {
    double const number = std::floor(x / (2.0 * least));
    return std::isfinite(number) ? number : x;
  };
  using Entry = std::tuple<double, double, double, std::size_t>;  // cell and index of the body
  std::vector<Entry> all_entries, massive;
  for (std::size_t k = 0; k < places.size(); ++k) {
    all_entries.emplace_back(cell(places[k].x), cell(places[k].y), cell(places[k].z), k);
    if (!massless[k]) massive.push_back(all_entries.back());
  }
  std::sort(all_entries.begin(), all_entries.end());
  std::sort(massive.begin(), massive.end());
  auto const near = [&](std::size_t a, std::size_t b) {
    auto const offset = places[b] - places[a];
    return !(offset.x > least || std::abs(offset.y) > least || std::abs(offset.z) > least);
  };
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t k = 0; k < places.size() && pairs.size() < most; ++k) {
    std::size_t nearest = places.size();
    // Massless bodies do not interact with each other.
    auto const& entries = massless[k] ? massive : all_entries;
    double const x = cell(places[k].x), y = cell(places[k].y), z = cell(places[k].z);
    for (double const a : {x, x + 1.0}) {
      for (double const b : {y - 1.0, y, y + 1.0}) {
        for (double const c : {z - 1.0, z, z + 1.0}) {
          // All bodies in one eighth of a cell are within `least` of each other. A cell with many
          // candidates therefore has many pairs, and the search ends after `most` of them.
          auto next = std::lower_bound(entries.begin(), entries.end(), Entry(a, b, c, k + 1));
          for (; next != entries.end() && *next < Entry(a, b, c, nearest); ++next) {
            if (near(k, std::get<3>(*next))) nearest = std::get<3>(*next);
          }
        }
      }
    }
    if (nearest < places.size()) pairs.emplace_back(k, nearest);
  }
  return pairs;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> bodies_in_one_place(
    Places const& places, double least, std::size_t most, std::vector<double> const& mass) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    auto const &p = places[a], &q = places[b];
    return std::tie(p.x, p.y, p.z, a) < std::tie(q.x, q.y, q.z, b);
  });
  // Few bodies have a neighbour within `least` in x alone.
  auto const follows = [&](std::size_t k) {
    return k > 0 && k < order.size() && !(places[order[k]].x - places[order[k - 1]].x > least);
  };
  std::vector<std::size_t> candidates;
  Places candidate_places;
  std::vector<bool> massless;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (!follows(k) && !follows(k + 1)) continue;
    candidates.push_back(order[k]);
    candidate_places.push_back(places[order[k]]);
    massless.push_back(!mass.empty() && mass[order[k]] == 0.0);
  }
  auto pairs = pairs_of(candidate_places, massless, least, most);
  for (auto& [first, second] : pairs) {
    first = candidates[first];
    second = candidates[second];
  }
  return pairs;
}

}  // namespace apsis::deck
