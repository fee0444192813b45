// SPDX-License-Identifier: Apache-2.0
#include "deck/resolve.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>

using namespace apsis;
using deck::bodies_in_one_place;
using Places = std::vector<Vec3<double>>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

namespace {

/// Reference implementation: the documented result, computed over all pairs.
Pairs reference_pairs(Places const& places, double least, std::size_t most,
                      std::vector<double> const& masses = {}) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    auto const &p = places[a], &q = places[b];
    return std::tie(p.x, p.y, p.z, a) < std::tie(q.x, q.y, q.z, b);
  });
  Pairs pairs;
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::size_t l = k + 1; l < order.size() && pairs.size() < most; ++l) {
      auto const offset = places[order[l]] - places[order[k]];
      if (std::max({std::abs(offset.x), std::abs(offset.y), std::abs(offset.z)}) > least) continue;
      if (!masses.empty() && masses[order[k]] == 0.0 && masses[order[l]] == 0.0) continue;
      pairs.emplace_back(order[k], order[l]);
      break;
    }
  }
  return pairs;
}

}  // namespace

TEST_CASE("bodies in one place: the same pairs as a search over all pairs") {
  std::mt19937_64 random(7);
  int pair_count = 0;
  for (int sample = 0; sample < 3000; ++sample) {
    // Few places, several cells wide, in one to three dimensions, with and without near pairs.
    auto const count = random() % 40;
    double const width = static_cast<double>(random() % 12), step = sample % 3 == 0 ? 1.0 : 0.01;
    std::uniform_real_distribution<double> coordinate(-width / 2, width);
    Places places(count);
    for (auto& place : places) {
      place.x = std::round(coordinate(random) / step) * step;
      if (sample % 4 > 0) place.y = std::round(coordinate(random) / step) * step;
      if (sample % 4 != 1) place.z = coordinate(random);
    }
    std::vector<double> mass(count);
    for (auto& each : mass) each = static_cast<double>(random() % 2);
    CAPTURE(sample);
    CHECK(bodies_in_one_place(places, 0.5, 5, mass) == reference_pairs(places, 0.5, 5, mass));
    for (std::size_t const most : {3, 1000}) {
      auto const pairs = bodies_in_one_place(places, 0.5, most);
      CHECK(pairs == reference_pairs(places, 0.5, most));
      pair_count += static_cast<int>(pairs.size());
    }
  }
  CHECK(pair_count > 10000);
}

TEST_CASE("bodies in one place: O(N log N) for every arrangement of many bodies") {
  // A search over all pairs would take minutes for each arrangement.
  constexpr std::size_t count = 300000;
  constexpr double least = 1e-150;
  std::vector<std::size_t> shuffled(count);
  std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(1));
  auto const make_places = [&](auto const& place_of) {
    Places places;
    for (std::size_t i = 0; i < count; ++i) {
      places.push_back(place_of(static_cast<double>(i), static_cast<double>(shuffled[i])));
    }
    return places;
  };
  using Place = Vec3<double>;
  double const side = 600.0, tiny = 0.9 * least;
  Places const spread[] = {
      make_places([](double i, double) {
        return Place{i, 0, 0};
      }),
      make_places([](double i, double) {
        return Place{0, i, 0};
      }),
      make_places([](double i, double) {
        return Place{0, 0, i};
      }),
      make_places([](double, double s) {
        return Place{1, 1, s};
      }),
      make_places([](double i, double s) {
        return Place{0, i, s};
      }),
      make_places([&](double i, double) {
        return Place{std::floor(i / side), std::fmod(i, side), 0};
      }),
      make_places([&](double i, double) {
        return Place{std::floor(i / side), std::floor(i / side), std::fmod(i, side)};
      }),
      // Near along any single axis, but not along two axes.
      make_places([&](double i, double s) {
        return Place{i * tiny, s * tiny, s};
      }),
      make_places([&](double i, double s) {
        return Place{i * 1e-200, s, 0};
      }),
      make_places([&](double i, double s) {
        return Place{i * 1e-200, s * 1e-200, s};
      }),
  };
  for (auto const& places : spread) CHECK(bodies_in_one_place(places, least, 20).empty());
  // Half of the bodies in each of two adjacent cells; the last of one and the first of the other
  // are apart.
  auto oversubscription = make_places([&](double i, double s) {
    return i < count / 2 ? Place{s * 1e-160, 0, 0} : Place{1.5 * least + s * 1e-160, 0, 0};
  });
  CHECK(bodies_in_one_place(oversubscription, least, 20).size() == 20);
  auto const same_place = make_places([](double, double) { return Place{1, 2, 3}; });
  // Massless bodies that start from one point, with and without a massive body there.
  std::vector<double> mass(count, 0.0);
  CHECK(bodies_in_one_place(same_place, least, 20, mass).empty());
  mass.back() = 1.0;
  CHECK(bodies_in_one_place(same_place, least, 20, mass).size() == 20);
  auto const pairs = bodies_in_one_place(same_place, least, 20);
  REQUIRE(pairs.size() == 20);
  CHECK(pairs.front() == std::pair<std::size_t, std::size_t>{0, 1});
  CHECK(pairs.back() == std::pair<std::size_t, std::size_t>{19, 20});
}
