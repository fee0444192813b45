// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm/tree/key_sort.hpp"
#include "support/suites.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

using namespace apsis;

namespace {

/// Order of the bodies by a comparison sort.
std::vector<std::uint32_t> by_comparing(std::vector<std::uint64_t> const& keys) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  return order;
}

void check_sorted(std::vector<std::uint64_t> const& keys) {
  ExecutionSpace const space;
  forces::fmm::KeyedBodies bodies;
  bodies.resize(space, keys.size());
  auto const host_keys = Kokkos::create_mirror_view(bodies.keys);
  auto const host_order = Kokkos::create_mirror_view(bodies.order);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    host_keys(i) = keys[i];
    host_order(i) = static_cast<std::uint32_t>(i);
  }
  Kokkos::deep_copy(bodies.keys, host_keys);
  Kokkos::deep_copy(bodies.order, host_order);
  bodies.sort(space);
  space.fence();
  auto const sorted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.keys);
  auto const order = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.order);
  auto const expected = by_comparing(keys);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (order(i) != expected[i] || sorted(i) != keys[expected[i]]) ++wrong;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("bodies are sorted by all bits of their keys, and the sort is stable" *
          testing::thread_counts) {
  std::mt19937_64 random(7);
  // Some keys differ in their highest bits only, some in their lowest, and many are equal.
  std::vector<std::uint64_t> mixed;
  for (std::uint64_t i = 0; i < 100003; ++i) {
    std::uint64_t const some = i * 0x9E3779B97F4A7C15u;
    mixed.push_back(i % 3 == 0 ? some : i % 3 == 1 ? some >> 60 << 60 : some >> 58);
  }
  check_sorted(mixed);
  for (std::size_t const count : {0u, 1u, 2u, 3u, 100u, 50021u}) {
    CAPTURE(count);
    // Numbers of values of the higher and the lower bits: no runs, some, and too long ones.
    for (std::uint64_t const higher :
         {std::uint64_t{1}, std::uint64_t{40}, count / 20 + 1, std::uint64_t{1} << 43}) {
      for (std::uint64_t const lower :
           {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 20}) {
        CAPTURE(higher);
        CAPTURE(lower);
        std::vector<std::uint64_t> keys;
        for (std::size_t i = 0; i < count; ++i) {
          keys.push_back(random() % higher << 20 | random() % lower);
        }
        check_sorted(keys);
      }
    }
  }
}
