// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/simd.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <type_traits>

using namespace apsis;

namespace {

template <class Real, class Lanes>
void check_accuracy(double exponent_range, double cube_bound, double root_bound) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> exponent(-exponent_range, exponent_range);
  constexpr int lanes = simd::lane_count<Real, Lanes>;
  double worst_cube = 0.0, worst_root = 0.0;
  for (int trial = 0; trial < 200000 / lanes; ++trial) {
    Lanes x{};
    for (int i = 0; i < lanes; ++i) {
      simd::set_lane<Real>(x, i, static_cast<Real>(std::pow(10.0, exponent(generator))));
    }
    Real const m = static_cast<Real>(0.7);
    Lanes const cube = simd::over_cubed_root(m, x);
    Lanes const root = [&] {
      if constexpr (std::is_same_v<Real, double> || lanes == 1) {
        return simd::inverse_sqrt(x);
      } else {
        return Lanes{};
      }
    }();
    for (int i = 0; i < lanes; ++i) {
      long double const at = simd::lane<Real>(x, i);
      long double const expected = m / (at * std::sqrt(at));
      worst_cube =
          std::max(worst_cube, double(std::abs((simd::lane<Real>(cube, i) - expected) / expected)));
      long double const expected_root = 1 / std::sqrt(at);
      double const error =
          double(std::abs((simd::lane<Real>(root, i) - expected_root) / expected_root));
      if (std::is_same_v<Real, double> || lanes == 1) worst_root = std::max(worst_root, error);
    }
  }
  MESSAGE(lanes, " lanes: worst relative error of m / x^(3/2) ", worst_cube, ", of x^(-1/2) ",
          worst_root);
  CHECK(worst_cube < cube_bound);
  CHECK(worst_root < root_bound);
}

}  // namespace

TEST_CASE("scalar reciprocal root and cube are accurate to rounding") {
  check_accuracy<float, float>(8, 4.0e-7, 1.3e-7);
  check_accuracy<double, double>(60, 8.0e-16, 2.3e-16);
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
TEST_CASE("vector reciprocal root and cube are as accurate as scalar ones") {
  check_accuracy<float, simd::NativeFloat>(8, 4.0e-7, 1.3e-7);
  check_accuracy<double, simd::NativeDouble>(60, 8.0e-16, 4.0e-16);
}
#endif
