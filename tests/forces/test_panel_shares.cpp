// SPDX-License-Identifier: Apache-2.0
#include "forces/direct/panel_exchange.hpp"
#include "support/suites.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace apsis;
using forces::PanelShares;

namespace {

/// A value with many digits, so that sums are rounded.
float partial(std::size_t panel, std::size_t body) {
  auto const mixed = static_cast<std::uint32_t>((panel * 7919 + body) * 2654435761u);
  return static_cast<float>(mixed) * 1e-3f - 2e6f;
}

bool same_bits(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Bodies in panels, with each pair of panels assigned to one rank.
struct SharedPanels {
  std::size_t bodies, panels, length, ranks;
  PanelShares shares{bodies, panels, length, ranks};

  bool has(std::size_t rank, std::size_t panel, std::size_t body) const {
    std::size_t const body_panel = body / length;
    std::size_t const i = std::min(panel, body_panel), j = std::max(panel, body_panel);
    std::size_t const pair = forces::pair_index({i, j}, panels);
    return pair >= shares.first_pair(rank) && pair < shares.first_pair(rank + 1);
  }

  /// Partial sums of one body after the exchange: a sum of several panels is stored in its first
  /// panel, and the other panels of that sum are not sent.
  std::vector<float> collected(std::size_t rank, std::size_t body) const {
    std::vector<float> rows(panels, 1e30f);
    for (std::size_t panel = 0; panel < panels; ++panel) {
      if (has(rank, panel, body)) rows[panel] = partial(panel, body);
    }
    for (std::size_t sender = 0; sender < ranks; ++sender) {
      if (sender == rank) continue;
      for (auto const& fragment : fragments[sender * ranks + rank]) {
        if (body < fragment.begin || body >= fragment.begin + fragment.count) continue;
        std::vector<float> sent;
        for (std::size_t k = fragment.panel; k < fragment.panel + fragment.panels; ++k) {
          // Only a rank that holds a row can send it.
          sent.push_back(has(sender, k, body) ? partial(k, body) : 1e30f);
        }
        rows[fragment.panel] = forces::sum_of_parts(sent.data(), 1, sent.size());
      }
    }
    return rows;
  }

  std::vector<std::vector<forces::Fragment>> fragments = [this] {
    std::vector<std::vector<forces::Fragment>> result;
    for (std::size_t k = 0; k < ranks * ranks; ++k) {
      result.push_back(shares.fragments(k / ranks, k % ranks));
    }
    return result;
  }();
};

}  // namespace

TEST_CASE("sums of exchanged fragments have the bits of a single rank" * testing::thread_counts) {
  for (std::size_t const ranks : {1, 2, 3, 4, 7}) {
    for (SharedPanels const& run :
         {SharedPanels{1000, 1, 1024, ranks}, SharedPanels{5000, 10, 512, ranks},
          SharedPanels{20000, 79, 256, ranks}, SharedPanels{70000, 137, 512, ranks},
          SharedPanels{33000, 129, 256, ranks}, SharedPanels{65536, 128, 512, ranks}}) {
      CAPTURE(run.panels);
      CAPTURE(ranks);
      std::size_t wrong = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        auto const rank_bodies = share_of(run.bodies, rank, ranks);
        auto const held = run.shares.held(rank);
        for (std::size_t body = rank_bodies.first; body < rank_bodies.first + rank_bodies.count;
             body += 97) {
          std::vector<float> rows_of_panels;
          for (std::size_t k = 0; k < run.panels; ++k) rows_of_panels.push_back(partial(k, body));
          auto const collected = run.collected(rank, body);
          forces::HeldParts const held_parts{&held[body / run.length * held.size() / run.panels]};
          bool const same =
              same_bits(forces::sum_of_parts(collected.data(), 1, run.panels, held_parts),
                        forces::sum_of_parts(rows_of_panels.data(), 1, run.panels));
          wrong += same ? 0u : 1u;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("complete groups and blocks of panels are sent as one sum") {
  SharedPanels const run{128 * 512, 128, 512, 2};
  // By the work, the first rank has eleven columns of squares of groups and part of the next, and
  // the second has the bodies from panel 64 on: the first rank has results for 32 panels of these,
  // a block of 64 and the three groups up to its last complete column, or a part of the next.
  std::size_t rows = 0;
  for (auto const& each : run.fragments[1]) {
    CHECK((each.panels == 64 || each.panels == 8 || each.panels == 1));
    CHECK(each.begin / 512 < 96);
    rows += each.count;
  }
  CHECK(rows <= 24 * 512 * (1 + 3 + 8) + 8 * 512 * (8 + 8));
  CHECK(rows >= 24 * 512 * (1 + 3));
}

TEST_CASE("pairs of panels have unique indices, and ranks equal work") {
  for (std::size_t const panels : {1, 2, 7, 8, 9, 16, 43, 64, 129}) {
    CAPTURE(panels);
    std::vector<int> counts(forces::panel_pairs(panels), 0);
    std::size_t wrong = 0;
    for (std::size_t b = 0; b < panels; ++b) {
      for (std::size_t a = 0; a <= b; ++a) {
        auto const number = forces::pair_index({a, b}, panels);
        if (number < counts.size()) ++counts[number];
        auto const pair = forces::pair_from_index(number, panels);
        wrong += pair.a == a && pair.b == b ? 0u : 1u;
      }
    }
    CHECK(wrong == 0);
    CHECK(std::count(counts.begin(), counts.end(), 1) ==
          static_cast<std::ptrdiff_t>(counts.size()));
    for (std::size_t const ranks : {1, 2, 3, 64}) {
      PanelShares const shares(panels * 512, panels, 512, ranks);
      CHECK(shares.first_pair(0) == 0);
      CHECK(shares.first_pair(ranks) == counts.size());
      double const total = 4.0 * static_cast<double>(counts.size()) - static_cast<double>(panels);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        double work = 0.0;
        for (auto k = shares.first_pair(rank); k < shares.first_pair(rank + 1); ++k) {
          auto const pair = forces::pair_from_index(k, panels);
          work += pair.a == pair.b ? 3.0 : 4.0;
        }
        CHECK(std::abs(work - total / static_cast<double>(ranks)) <= 4.0);
      }
    }
  }
}

TEST_CASE("parts are added up in groups and blocks, in their order") {
  for (std::size_t const parts : {1, 7, 8, 9, 64, 65, 200}) {
    std::vector<float> values;
    for (std::size_t k = 0; k < parts; ++k) values.push_back(partial(k, 3));
    float sum = 0.0f;
    for (std::size_t block = 0; block < parts; block += 64) {
      float of_block = 0.0f;
      for (std::size_t group = block; group < std::min(block + 64, parts); group += 8) {
        float of_group = 0.0f;
        for (std::size_t k = group; k < std::min(group + 8, parts); ++k) of_group += values[k];
        of_block += of_group;
      }
      sum += of_block;
    }
    CHECK(same_bits(forces::sum_of_parts(values.data(), 1, parts), sum));
  }
}
