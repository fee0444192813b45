// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/lane_mask.hpp>
#include <apsis/core/transpose.hpp>

#include <doctest/doctest.h>

using namespace apsis;

namespace {

template <class Real, int lanes>
struct Case {
  using Number = Real;
  static constexpr int count = lanes;
};

template <class Real>
struct KeepSum {
  Real* sums;
  KOKKOS_FUNCTION void operator()(int k, Real sum) const { sums[k] = sum; }
};

}  // namespace

// Wide registers have instructions of their own, others are taken lane by lane. A thread of a GPU
// is one lane.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#define APSIS_TEST_LANES Case<float, 1>, Case<double, 1>
#else
#define APSIS_TEST_LANES                                                            \
  Case<float, 1>, Case<float, 4>, Case<float, 8>, Case<float, 16>, Case<double, 2>, \
      Case<double, 4>, Case<double, 8>
#endif

TEST_CASE_TEMPLATE("masks of lanes", Of, APSIS_TEST_LANES) {
  using Real = typename Of::Number;
  constexpr int lanes = Of::count;
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
  auto const kept = simd::only<Real, lanes>(small, pack);
  LaneMask ones = 0;
  for (int k = 0; k < lanes; ++k) {
    CHECK(simd::lane<Real>(kept, k) == ((small >> k & 1) != 0 ? numbers[k] : Real(0)));
    if (7 * k % 5 == 1) ones |= LaneMask{1} << k;
  }
  CHECK(simd::lanes_equal<lanes>(integers, 0xFFu, 1) == ones);
}

TEST_CASE("some of the lanes") {
  CHECK(first_lanes(0) == 0);
  CHECK(first_lanes(5) == 0x1F);
  CHECK(first_lanes(32) == ~LaneMask{0});
  CHECK(first_of(0b110101, 2) == 0b000101);
  CHECK(first_of(0b110101, 9) == 0b110101);
  std::uint32_t from[16], to[16] = {};
  for (std::uint32_t k = 0; k < 16; ++k) from[k] = 100 + k;
  CHECK(pick(from, 0b1000000000100110, to) == 4);
  CHECK(to[0] == 101);
  CHECK(to[1] == 102);
  CHECK(to[2] == 105);
  CHECK(to[3] == 115);
  CHECK(to[4] == 0);
}

TEST_CASE_TEMPLATE(
    "numbers are loaded and compared lane by lane, the first where there are no more", Of,
    APSIS_TEST_LANES) {
  constexpr int lanes = Of::count, count = lanes < 5 ? lanes : 5;
  std::uint32_t const from[5] = {7, 9, 4000000000u, 8, 11};
  std::uint32_t to[lanes] = {};
  simd::load_first<lanes>(from, count, to);
  for (int lane = 0; lane < lanes; ++lane) CHECK(to[lane] == from[lane < count ? lane : 0]);
  CHECK(simd::lanes_above<lanes>(to, 7) == (0b11110 & first_lanes(lanes)));
  CHECK(simd::lanes_above<lanes>(to, 4000000000u) == 0);
}

TEST_CASE_TEMPLATE("rows that a thread has for itself", Real, float, double) {
  constexpr int numbers = 35, room = numbers + simd::row_block<Real>;
  Real from[numbers], to[numbers] = {};
  alignas(64) Real row[room];
  for (int k = 0; k < numbers; ++k) from[k] = Real(k + 1);
  simd::store_row<numbers>(from, row);
  simd::load_row<numbers>(row, to);
  for (int k = 0; k < numbers; ++k) {
    CHECK(row[k] == from[k]);
    CHECK(to[k] == from[k]);
  }
}

TEST_CASE_TEMPLATE("rows become packs", Of, APSIS_TEST_LANES) {
  using Real = typename Of::Number;
  constexpr int lanes = Of::count, numbers = 35;
  using Lanes = typename simd::Pack<Real, lanes>::type;
  Real rows[lanes][numbers + simd::row_block<Real>] = {};
  Real const* of[lanes];
  for (int lane = 0; lane < lanes; ++lane) {
    of[lane] = rows[lane];
    for (int k = 0; k < numbers; ++k) rows[lane][k] = Real(100 * lane + k);
  }
  Lanes to[numbers];
  simd::load_rows<numbers>(of, to);
  Lanes few[3];
  simd::load_rows<3>(of, few);
  Lanes seven[7];
  simd::load_rows<7>(of, seven);
  for (int lane = 0; lane < lanes; ++lane) {
    for (int k = 0; k < numbers; ++k) CHECK(simd::lane<Real>(to[k], lane) == rows[lane][k]);
    for (int k = 0; k < 3; ++k) CHECK(simd::lane<Real>(few[k], lane) == rows[lane][k]);
    for (int k = 0; k < 7; ++k) CHECK(simd::lane<Real>(seven[k], lane) == rows[lane][k]);
  }
  Real sums[numbers] = {};
  simd::sum_lanes<Real, numbers>(to, KeepSum<Real>{sums});
  for (int k = 0; k < numbers; ++k) CHECK(sums[k] == Real(50 * lanes * (lanes - 1) + lanes * k));
}
