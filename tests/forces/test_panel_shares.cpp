// SPDX-License-Identifier: Apache-2.0
#include "forces/panel_exchange.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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
struct Run {
  std::size_t bodies, panels, length, processes;
  PanelShares shares{bodies, panels, length, processes};

  bool has(std::size_t process, std::size_t panel, std::size_t body) const {
    std::size_t const of = body / length;
    std::size_t const i = std::min(panel, of), j = std::max(panel, of);
    std::size_t const pair = i < j ? j * (j - 1) / 2 + i : panels * (panels - 1) / 2 + i;
    return pair >= shares.first_pair(process) && pair < shares.first_pair(process + 1);
  }

  /// What one body has got of every panel when all have given: the sums of others in the first
  /// place of what they are of.
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
          got[k] = -0.0f;
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
    for (Run const& run : {Run{1000, 1, 1024, processes}, Run{5000, 10, 512, processes},
                           Run{20000, 79, 256, processes}, Run{70000, 137, 512, processes},
                           Run{33000, 129, 256, processes}, Run{65536, 128, 512, processes}}) {
      CAPTURE(run.panels);
      CAPTURE(processes);
      std::size_t wrong = 0;
      for (std::size_t process = 0; process < processes; ++process) {
        auto const own = share_of(run.bodies, process, processes);
        for (std::size_t body = own.first; body < own.first + own.count; body += 97) {
          std::vector<float> all;
          for (std::size_t k = 0; k < run.panels; ++k) all.push_back(partial(k, body));
          auto const got = run.collected(process, body);
          bool const same = same_bits(forces::sum_of_parts(got.data(), 1, run.panels),
                                      forces::sum_of_parts(all.data(), 1, run.panels));
          wrong += same ? 0u : 1u;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("whole groups and blocks of panels are given as one sum") {
  Run const run{128 * 512, 128, 512, 2};
  // By the work, the first has the pairs of panels up to 91 = 128 / sqrt(2), and the second has the
  // bodies from panel 64 on: 28 panels of bodies that the first has something for. Of the 92 panels
  // that it is from, a block and two groups are whole; the group of the panel itself is not, whose
  // pairs within are the second's, nor is the last.
  std::size_t rows = 0;
  for (auto const& each : run.fragments[1]) {
    CHECK((each.panels == 64 || each.panels == 8 || each.panels == 1));
    CHECK(each.begin / 512 <= 91);
    rows += each.count;
  }
  CHECK(rows <= 28 * 512 * (1 + 2 + 7 + 4));
  CHECK(rows >= 28 * 512 * (1 + 2 + 7));
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
