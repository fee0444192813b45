// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/bodies_in_one_place.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

namespace apsis::driver {

namespace {

using Places = std::vector<Vec3<double>>;

/// An axis cut into cells no longer than `least`. Numbers that follow each other are of cells that
/// touch: what is within `least` of a body is in its cell or in one next to it.
struct Axis {
  std::vector<std::size_t> cell;  ///< of each place
  std::vector<bool> used;         ///< by the cell's number

  Axis(Places const& places, double Vec3<double>::*coordinate, double least)
      : cell(places.size()), used(2 * places.size() + 2) {
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const at = [&](std::size_t i) { return places[i].*coordinate; };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return at(a) < at(b); });
    std::size_t number = 1;
    for (std::size_t k = 0, first = 0; k < order.size(); ++k) {
      if (at(order[k]) - at(order[first]) > least) {
        number += at(order[k]) - at(order[k - 1]) > least ? 2 : 1;
        first = k;
      }
      cell[order[k]] = number;
      used[number] = true;
    }
  }
};

/// The same for places in the order of x, by their number in it.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(Places const& places, double least,
                                                          std::size_t most) {
  Axis const x(places, &Vec3<double>::x, least), y(places, &Vec3<double>::y, least),
      z(places, &Vec3<double>::z, least);
  using Entry = std::array<std::size_t, 4>;  // the cell, and who is in it
  std::vector<Entry> entries;
  for (std::size_t k = 0; k < places.size(); ++k) {
    entries.push_back({x.cell[k], y.cell[k], z.cell[k], k});
  }
  std::sort(entries.begin(), entries.end());
  auto const near = [&](std::size_t a, std::size_t b) {
    auto const apart = places[b] - places[a];
    return !(apart.x > least || std::abs(apart.y) > least || std::abs(apart.z) > least);
  };
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t k = 0; k < places.size() && pairs.size() < most; ++k) {
    std::size_t nearest = places.size();
    for (std::size_t a = x.cell[k]; a <= x.cell[k] + 1; ++a) {
      if (!x.used[a]) continue;
      for (std::size_t b = y.cell[k] - 1; b <= y.cell[k] + 1; ++b) {
        if (!y.used[b]) continue;
        for (std::size_t c = z.cell[k] - 1; c <= z.cell[k] + 1; ++c) {
          if (!z.used[c]) continue;
          // All of a cell are near each other. So where this looks at many of them in vain, there
          // are as many pairs, and `most` of those end the search.
          auto next = std::lower_bound(entries.begin(), entries.end(), Entry{a, b, c, k + 1});
          for (; next != entries.end() && *next < Entry{a, b, c, nearest}; ++next) {
            if (near(k, (*next)[3])) nearest = (*next)[3];
          }
        }
      }
    }
    if (nearest < places.size()) pairs.emplace_back(k, nearest);
  }
  return pairs;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> bodies_in_one_place(Places const& places,
                                                                     double least,
                                                                     std::size_t most) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    auto const &p = places[a], &q = places[b];
    return std::tie(p.x, p.y, p.z, a) < std::tie(q.x, q.y, q.z, b);
  });
  // Hardly any body has another as near as that along x alone.
  auto const follows = [&](std::size_t k) {
    return k > 0 && k < order.size() && !(places[order[k]].x - places[order[k - 1]].x > least);
  };
  std::vector<std::size_t> candidates;
  Places candidate_places;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (!follows(k) && !follows(k + 1)) continue;
    candidates.push_back(order[k]);
    candidate_places.push_back(places[order[k]]);
  }
  auto pairs = pairs_of(candidate_places, least, most);
  for (auto& [first, second] : pairs) {
    first = candidates[first];
    second = candidates[second];
  }
  return pairs;
}

}  // namespace apsis::driver
