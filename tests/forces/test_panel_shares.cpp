// SPDX-License-Identifier: Apache-2.0
#include "forces/panel_exchange.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace apsis;
using forces::PanelShares;

namespace {

/// A number that rounds in every sum.
float partial(std::size_t panel, std::size_t body) {
  auto const mixed = static_cast<std::uint32_t>((panel * 7919 + body) * 2654435761u);
  return static_cast<float>(mixed) * 1e-3f - 2e6f;
}

bool same_bits(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Bodies in panels, each pair of which belongs to one process.
struct Split {
  std::size_t bodies, panels, length, processes;
  PanelShares shares{bodies, panels, length, processes};

  bool has(std::size_t process, std::size_t panel, std::size_t body) const {
    std::size_t const of = body / length;
    std::size_t const i = std::min(panel, of), j = std::max(panel, of);
    std::size_t const pair = forces::number_of({i, j}, panels);
    return pair >= shares.first_pair(process) && pair < shares.first_pair(process + 1);
  }

  /// What one body has got of every panel when all have given: the sums of others in the first
  /// place of what they are of; what is in those sums has not come.
  std::vector<float> collected(std::size_t process, std::size_t body) const {
    std::vector<float> got(panels, 1e30f);
    for (std::size_t panel = 0; panel < panels; ++panel) {
      if (has(process, panel, body)) got[panel] = partial(panel, body);
    }
    for (std::size_t from = 0; from < processes; ++from) {
      if (from == process) continue;
      for (auto const& each : fragments[from * processes + process]) {
        if (body < each.begin || body >= each.begin + each.count) continue;
        std::vector<float> given;
        for (std::size_t k = each.panel; k < each.panel + each.panels; ++k) {
          // Only who has it can give it.
          given.push_back(has(from, k, body) ? partial(k, body) : 1e30f);
        }
        got[each.panel] = forces::sum_of_parts(given.data(), 1, given.size());
      }
    }
    return got;
  }

  std::vector<std::vector<forces::Fragment>> fragments = [this] {
    std::vector<std::vector<forces::Fragment>> all;
    for (std::size_t k = 0; k < processes * processes; ++k) {
      all.push_back(shares.fragments(k / processes, k % processes));
    }
    return all;
  }();
};

}  // namespace

TEST_CASE("what processes give each other adds up to the bits of one that has all") {
  for (std::size_t const processes : {1, 2, 3, 4, 7}) {
    for (Split const& run :
         {Split{1000, 1, 1024, processes}, Split{5000, 10, 512, processes},
          Split{20000, 79, 256, processes}, Split{70000, 137, 512, processes},
          Split{33000, 129, 256, processes}, Split{65536, 128, 512, processes}}) {
      CAPTURE(run.panels);
      CAPTURE(processes);
      std::size_t wrong = 0;
      for (std::size_t process = 0; process < processes; ++process) {
        auto const own = share_of(run.bodies, process, processes);
        auto const held = run.shares.held(process);
        for (std::size_t body = own.first; body < own.first + own.count; body += 97) {
          std::vector<float> all;
          for (std::size_t k = 0; k < run.panels; ++k) all.push_back(partial(k, body));
          auto const got = run.collected(process, body);
          forces::HeldParts const of{&held[body / run.length * held.size() / run.panels]};
          bool const same = same_bits(forces::sum_of_parts(got.data(), 1, run.panels, of),
                                      forces::sum_of_parts(all.data(), 1, run.panels));
          wrong += same ? 0u : 1u;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("whole groups and blocks of panels are given as one sum") {
  Split const run{128 * 512, 128, 512, 2};
  // By the work, the first has eleven columns of squares of groups and part of the next, and the
  // second has the bodies from panel 64 on: 32 panels of bodies that the first has something for, a
  // block of 64 and the three groups up to its last whole column, or a part of the next.
  std::size_t rows = 0;
  for (auto const& each : run.fragments[1]) {
    CHECK((each.panels == 64 || each.panels == 8 || each.panels == 1));
    CHECK(each.begin / 512 < 96);
    rows += each.count;
  }
  CHECK(rows <= 24 * 512 * (1 + 3 + 8) + 8 * 512 * (8 + 8));
  CHECK(rows >= 24 * 512 * (1 + 3));
}

TEST_CASE("pairs of panels have numbers, and processes as much work each") {
  for (std::size_t const panels : {1, 2, 7, 8, 9, 16, 43, 64, 129}) {
    CAPTURE(panels);
    std::vector<int> seen(forces::panel_pairs(panels), 0);
    std::size_t wrong = 0;
    for (std::size_t b = 0; b < panels; ++b) {
      for (std::size_t a = 0; a <= b; ++a) {
        auto const number = forces::number_of({a, b}, panels);
        if (number < seen.size()) ++seen[number];
        auto const pair = forces::pair_numbered(number, panels);
        wrong += pair.a == a && pair.b == b ? 0u : 1u;
      }
    }
    CHECK(wrong == 0);
    CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(seen.size()));
    for (std::size_t const processes : {1, 2, 3, 64}) {
      PanelShares const shares(panels * 512, panels, 512, processes);
      CHECK(shares.first_pair(0) == 0);
      CHECK(shares.first_pair(processes) == seen.size());
      double const all = 4.0 * static_cast<double>(seen.size()) - static_cast<double>(panels);
      for (std::size_t process = 0; process < processes; ++process) {
        double work = 0.0;
        for (auto k = shares.first_pair(process); k < shares.first_pair(process + 1); ++k) {
          auto const pair = forces::pair_numbered(k, panels);
          work += pair.a == pair.b ? 3.0 : 4.0;
        }
        CHECK(std::abs(work - all / static_cast<double>(processes)) <= 4.0);
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
