// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_mask.hpp"
#include "lanes/transpose.hpp"
#include <apsis/core/backend.hpp>

#include <doctest/doctest.h>

using namespace apsis;

namespace {

template <class Real, int lanes>
struct Case {
  using Number = Real;
  static constexpr int count = lanes;
};

template <class Real>
struct StoreSum {
  Real* sums;
  KOKKOS_FUNCTION void operator()(int k, Real sum) const { sums[k] = sum; }
};

}  // namespace

// Wide registers have dedicated instructions; for others the code loops over the lanes. A thread of
// a GPU is one lane.
#if APSIS_ON_GPU
#define APSIS_TEST_LANES Case<float, 1>, Case<double, 1>
#else
#define APSIS_TEST_LANES                                                            \
  Case<float, 1>, Case<float, 4>, Case<float, 8>, Case<float, 16>, Case<double, 2>, \
      Case<double, 4>, Case<double, 8>
#endif

TEST_CASE_TEMPLATE("comparisons give masks of lanes", Lane, APSIS_TEST_LANES) {
  using Real = typename Lane::Number;
  constexpr int lanes = Lane::count;
  using Lanes = typename simd::Pack<Real, lanes>::type;
  Real numbers[lanes];
  std::uint32_t integers[lanes];
  LaneMask small = 0;
  for (int k = 0; k < lanes; ++k) {
    numbers[k] = Real(7 * k % 5);
    integers[k] = static_cast<std::uint32_t>(7 * k % 5) | 0x80000000u;
    if (7 * k % 5 < 2) small |= LaneMask{1} << k;
  }
  Lanes pack{};
  simd::fill(pack, numbers);
  CHECK(simd::mask_of<Real, lanes>(pack < Real(2)) == small);
  auto const masked = simd::only<Real, lanes>(small, pack);
  LaneMask ones = 0;
  for (int k = 0; k < lanes; ++k) {
    CHECK(simd::lane<Real>(masked, k) == ((small >> k & 1) != 0 ? numbers[k] : Real(0)));
    if (7 * k % 5 == 1) ones |= LaneMask{1} << k;
  }
  CHECK(simd::lanes_equal<lanes>(integers, 0xFFu, 1) == ones);
}

TEST_CASE("lanes are selected by count and by mask") {
  CHECK(first_lanes(0) == 0);
  CHECK(first_lanes(5) == 0x1F);
  CHECK(first_lanes(32) == ~LaneMask{0});
  CHECK(first_of(0b110101, 2) == 0b000101);
  CHECK(first_of(0b110101, 9) == 0b110101);
  std::uint32_t numbers[16], picked[16] = {};
  for (std::uint32_t k = 0; k < 16; ++k) numbers[k] = 100 + k;
  CHECK(pick(numbers, 0b1000000000100110, picked) == 4);
  CHECK(picked[0] == 101);
  CHECK(picked[1] == 102);
  CHECK(picked[2] == 105);
  CHECK(picked[3] == 115);
  CHECK(picked[4] == 0);
}

TEST_CASE_TEMPLATE(
    "numbers are loaded and compared lane by lane; lanes beyond the count hold the first number",
    Lane, APSIS_TEST_LANES) {
  constexpr int lanes = Lane::count, count = lanes < 5 ? lanes : 5;
  std::uint32_t const numbers[5] = {7, 9, 4000000000u, 8, 11};
  std::uint32_t loaded[lanes] = {};
  simd::load_first<lanes>(numbers, count, loaded);
  for (int lane = 0; lane < lanes; ++lane) {
    CHECK(loaded[lane] == numbers[lane < count ? lane : 0]);
  }
  CHECK(simd::lanes_above<lanes>(loaded, 7) == (0b11110 & first_lanes(lanes)));
  CHECK(simd::lanes_above<lanes>(loaded, 4000000000u) == 0);
}

TEST_CASE_TEMPLATE("a row of one thread is stored and loaded unchanged", Real, float, double) {
  constexpr int numbers = 35, padded = numbers + simd::row_block<Real>;
  Real written[numbers], read[numbers] = {};
  alignas(64) Real row[padded];
  for (int k = 0; k < numbers; ++k) written[k] = Real(k + 1);
  simd::store_row<numbers>(written, row);
  simd::load_row<numbers>(row, read);
  for (int k = 0; k < numbers; ++k) {
    CHECK(row[k] == written[k]);
    CHECK(read[k] == written[k]);
  }
}

TEST_CASE_TEMPLATE("rows are transposed into packs and summed over the lanes", Lane,
                   APSIS_TEST_LANES) {
  using Real = typename Lane::Number;
  constexpr int lanes = Lane::count, numbers = 35;
  using Lanes = typename simd::Pack<Real, lanes>::type;
  Real rows[lanes][numbers + simd::row_block<Real>] = {};
  Real const* row_pointers[lanes];
  for (int lane = 0; lane < lanes; ++lane) {
    row_pointers[lane] = rows[lane];
    for (int k = 0; k < numbers; ++k) rows[lane][k] = Real(100 * lane + k);
  }
  Lanes packs[numbers];
  simd::load_rows<numbers>(row_pointers, packs);
  Lanes three[3];
  simd::load_rows<3>(row_pointers, three);
  Lanes seven[7];
  simd::load_rows<7>(row_pointers, seven);
  for (int lane = 0; lane < lanes; ++lane) {
    for (int k = 0; k < numbers; ++k) CHECK(simd::lane<Real>(packs[k], lane) == rows[lane][k]);
    for (int k = 0; k < 3; ++k) CHECK(simd::lane<Real>(three[k], lane) == rows[lane][k]);
    for (int k = 0; k < 7; ++k) CHECK(simd::lane<Real>(seven[k], lane) == rows[lane][k]);
  }
  Real sums[numbers] = {};
  simd::sum_lanes<Real, numbers>(packs, StoreSum<Real>{sums});
  for (int k = 0; k < numbers; ++k) CHECK(sums[k] == Real(50 * lanes * (lanes - 1) + lanes * k));
}
