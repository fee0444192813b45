// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/simd.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace apsis;

namespace {

/// Largest relative error of `function` against `exact` in long double, over arguments that are
/// uniform in their exponent.
template <class Real, class Lanes, class Function, class Exact>
double worst_error(double exponent_range, Function const& function, Exact const& exact) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> exponent(-exponent_range, exponent_range);
  constexpr int lanes = simd::lane_count<Real, Lanes>;
  double worst = 0.0;
  for (int trial = 0; trial < 200000 / lanes; ++trial) {
    Lanes x{};
    for (int i = 0; i < lanes; ++i) {
      simd::set_lane<Real>(x, i, static_cast<Real>(std::pow(10.0, exponent(generator))));
    }
    Lanes const found = function(x);
    for (int i = 0; i < lanes; ++i) {
      long double const expected = exact(static_cast<long double>(simd::lane<Real>(x, i)));
      long double const error = (simd::lane<Real>(found, i) - expected) / expected;
      worst = std::max(worst, static_cast<double>(std::abs(error)));
    }
  }
  return worst;
}

template <class Real, class Lanes>
double worst_cube(double exponent_range) {
  Real const m = Real(0.7);
  return worst_error<Real, Lanes>(
      exponent_range, [m](Lanes x) { return simd::over_cubed_root(m, x); },
      [m](long double x) { return m / (x * std::sqrt(x)); });
}

template <class Real, class Lanes>
double worst_root(double exponent_range) {
  return worst_error<Real, Lanes>(
      exponent_range, [](Lanes x) { return simd::inverse_sqrt(x); },
      [](long double x) { return 1 / std::sqrt(x); });
}

}  // namespace

TEST_CASE("scalar reciprocal root and cube are accurate to rounding") {
  CHECK(worst_cube<float, float>(8) < 4.0e-7);
  CHECK(worst_cube<double, double>(60) < 8.0e-16);
  CHECK(worst_root<float, float>(8) < 1.3e-7);
  CHECK(worst_root<double, double>(60) < 2.3e-16);
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
TEST_CASE("vector reciprocal root and cube are as accurate as scalar ones") {
  CHECK(worst_cube<float, simd::NativeFloat>(8) < 4.0e-7);
  CHECK(worst_cube<double, simd::NativeDouble>(60) < 8.0e-16);
  CHECK(worst_root<double, simd::NativeDouble>(60) < 2.3e-16);
}
#endif
