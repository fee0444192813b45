// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_group.hpp"
#include <apsis/core/backend.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace apsis;

namespace {

template <int lanes>
struct LaneCase {
  static constexpr int count = lanes;
};

/// Integers, one row for each group.
using LaneRows = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, MemorySpace>;

constexpr int sums_of_lanes = 35;

/// Exercises every operation of a lane group on the first numbers of a row.
template <int lanes>
struct ExerciseLanes {
  using Group = LaneGroup<lanes>;
  struct Scratch {
    std::uint32_t numbers[lanes];
    std::uint32_t picked[lanes < 16 ? 16 : lanes];
    float tile[lanes];
  };
  LaneRows rows, masks, picked, shared;
  using Sums = Kokkos::View<float**, Kokkos::LayoutRight, MemorySpace>;
  Sums sums;
  LaneRows joined;  ///< reduction results, one for each lane

  KOKKOS_FUNCTION static int count_of(std::size_t j) { return static_cast<int>(j % lanes) + 1; }

  KOKKOS_FUNCTION void operator()(Group const& group, Scratch& scratch, std::size_t j) const {
    using Lanes = typename simd::Pack<float, Group::packed>::type;
    int const count = count_of(j);
    group.each(count, [&](int k) { scratch.numbers[k] = rows(j, k); });
    group.sync();
    auto const numbers = group.load(scratch.numbers, count);
    auto const more = group.changed(numbers, [](std::uint32_t x) { return x + 3; });
    LaneMask const large =
        group.where(more, [](std::uint32_t n) { return n > 8; }) & first_lanes(count);
    int const taken = group.pick(numbers, large, scratch.picked);
    group.sync();
    auto const last = group.number_in_lane(numbers, count - 1);
    LaneMask const results[] = {
        group.equal(numbers, 1, 1), large, static_cast<LaneMask>(taken), last,
        group.broadcast(static_cast<std::uint32_t>(group.leads() ? 1000 + j : 0))};
    if (group.leads()) {
      for (int k = 0; k < 5; ++k) masks(j, k) = results[k];
      for (int k = 0; k < taken; ++k) picked(j, k) = scratch.picked[k];
    }
    Lanes terms[sums_of_lanes], total{};
    for (int term = 0; term < sums_of_lanes; ++term) {
      for (int k = 0; k < Group::packed; ++k) {
        simd::set_lane<float>(terms[term], k,
                              static_cast<float>(group.local_number(numbers, k) * (term + 1)));
      }
    }
    terms[1] = group.template only<float>(large, terms[1]);
    group.template sums<float>(terms, [&](int k, float sum) { sums(j, k) = sum; });
    group.share(
        scratch.tile, count, [&](int k) { return static_cast<float>(scratch.numbers[k]); },
        [&](float x, int k) { total += x * static_cast<float>(k + 1); });
    double sum = 0.0;
    std::uint32_t most = 0;
    group.each_between(j, j + static_cast<std::size_t>(3 * count), [&](std::size_t i) {
      std::uint32_t const x = rows(i % rows.extent(0), i % 32);
      sum += x;
      most = x > most ? x : most;
    });
    sum = group.joined(sum, [](double a, double b) { return a + b; });
    most = group.joined(most, [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; });
    for (int k = 0; k < Group::packed; ++k) {
      joined(j, group.lane(k)) = static_cast<std::uint32_t>(sum) * 100 + most;
    }
    for (int k = 0; k < Group::packed; ++k) {
      shared(j, group.lane(k)) = static_cast<std::uint32_t>(simd::lane<float>(total, k));
    }
  }
};

#if APSIS_ON_GPU
#define APSIS_TEST_GROUPS LaneCase<8>, LaneCase<16>, LaneCase<32>
#else
#define APSIS_TEST_GROUPS LaneCase<1>, LaneCase<4>, LaneCase<8>, LaneCase<16>
#endif

}  // namespace

TEST_CASE_TEMPLATE("the operations of a lane group", Case, APSIS_TEST_GROUPS) {
  constexpr int lanes = Case::count;
  constexpr std::size_t groups = 77;
  ExecutionSpace const space;
  LaneRows const rows("rows", groups, 32);
  auto const host = Kokkos::create_mirror_view(rows);
  for (std::size_t j = 0; j < groups; ++j) {
    for (std::size_t k = 0; k < 32; ++k) {
      host(j, k) = static_cast<std::uint32_t>((7 * j + 5 * k) % 11);
    }
  }
  Kokkos::deep_copy(rows, host);
  using Exercise = ExerciseLanes<lanes>;
  Exercise const work{rows,
                      LaneRows("masks", groups, 5),
                      LaneRows("picked", groups, 32),
                      LaneRows("shared", groups, 32),
                      typename Exercise::Sums("sums", groups, sums_of_lanes),
                      LaneRows("joined", groups, 32)};
  for_groups(space, "apsis::testing::lanes", groups, work);
  space.fence();
  auto const read = [](auto const& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  auto const masks = read(work.masks), picked = read(work.picked), shared = read(work.shared);
  auto const sums = read(work.sums);
  auto const joined = read(work.joined);
  for (std::size_t j = 0; j < groups; ++j) {
    auto const count = static_cast<std::size_t>(Exercise::count_of(j));
    LaneMask odd = 0, large = 0;
    std::vector<std::uint32_t> large_numbers;
    std::uint32_t total = 0, large_total = 0, weighted = 0;
    for (std::size_t k = 0; k < lanes; ++k) {
      // Lanes beyond `count` hold the first number.
      std::uint32_t const x = host(j, k < count ? k : 0);
      if (x % 2 == 1) odd |= LaneMask{1} << k;
      total += x;
      if (k >= count) continue;
      weighted += x * static_cast<std::uint32_t>(k + 1);
      if (x + 3 <= 8) continue;
      large |= LaneMask{1} << k;
      large_numbers.push_back(x);
      large_total += x;
    }
    CHECK(masks(j, 0) == odd);
    CHECK(masks(j, 1) == large);
    CHECK(masks(j, 2) == large_numbers.size());
    CHECK(masks(j, 3) == host(j, count - 1));
    CHECK(masks(j, 4) == 1000 + j);
    for (std::size_t k = 0; k < large_numbers.size(); ++k) CHECK(picked(j, k) == large_numbers[k]);
    for (std::size_t k = 0; k < sums_of_lanes; ++k) {
      CHECK(sums(j, k) ==
            static_cast<float>((k == 1 ? large_total : total) * static_cast<std::uint32_t>(k + 1)));
    }
    for (std::size_t k = 0; k < lanes; ++k) CHECK(shared(j, k) == weighted);
    std::uint32_t sum = 0, most = 0;
    for (std::size_t i = j; i < j + 3 * count; ++i) {
      sum += host(i % groups, i % 32);
      most = std::max(most, host(i % groups, i % 32));
    }
    for (std::size_t k = 0; k < lanes; ++k) CHECK(joined(j, k) == sum * 100 + most);
  }
}
