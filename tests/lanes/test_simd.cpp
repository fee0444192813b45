// SPDX-License-Identifier: Apache-2.0
#include "lanes/over_cubed_root.hpp"
#include <apsis/core/backend.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace apsis;

namespace {

/// Out of line: otherwise the compiler may compute single lanes with scalar instructions, and
/// contract multiply-adds in some of the lanes only.
template <class Real, class Lanes>
[[gnu::noinline]] Lanes over_cubed_root(Real m, Lanes x) {
  return simd::over_cubed_root(m, x);
}

/// Largest relative error of m / x^(3/2) compared with long double, for m uniform in [1/2, 2] and x
/// with a uniform decimal exponent in [-exponent_range, exponent_range].
template <class Real, class Lanes>
double worst_error(double exponent_range) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> mass(0.5, 2.0);
  std::uniform_real_distribution<double> exponent(-exponent_range, exponent_range);
  constexpr int lanes = simd::lane_count<Real, Lanes>;
  long double worst = 0;
  for (int trial = 0; trial < 200000 / lanes; ++trial) {
    Real const m = static_cast<Real>(mass(generator));
    Lanes x{};
    for (int i = 0; i < lanes; ++i) {
      simd::set_lane<Real>(x, i, static_cast<Real>(std::pow(10.0, exponent(generator))));
    }
    Lanes const computed = ::over_cubed_root(m, x);
    for (int i = 0; i < lanes; ++i) {
      long double const argument = simd::lane<Real>(x, i);
      long double const expected = m / (argument * std::sqrt(argument));
      long double const error = (simd::lane<Real>(computed, i) - expected) / expected;
      worst = std::max(worst, std::abs(error));
    }
  }
  return static_cast<double>(worst);
}

constexpr double float_range = 8;
constexpr double double_range = 60;
constexpr double double_extremes = 190;  // x^(3/2) is still representable

}  // namespace

TEST_CASE("m / x^(3/2) of a number is accurate to rounding") {
  CHECK(worst_error<float, float>(float_range) < 2.6e-7);
  CHECK(worst_error<double, double>(double_range) < 5.1e-16);
  CHECK(worst_error<double, double>(double_extremes) < 5.1e-16);
}

#if !APSIS_ON_GPU
namespace {

/// Whether this build refines a seed with fused multiply-add: then 1 - (1 + d) (1 - d) is d^2, but
/// 0 if the product is rounded. Without fusing, the error of the seed is itself computed with an
/// error.
bool refines_with_fused_operations() {
#if defined(APSIS_INVERSE_ROOT_SEED)
  double const volatile d = 0x1p-30;
  simd::NativeDouble const x = 1.0 + (simd::NativeDouble{} + d);
  simd::NativeDouble const y = 1.0 - (simd::NativeDouble{} + d);
  return (1.0 - x * y)[0] != 0.0;
#else
  return false;
#endif
}

/// Number of cases in which the result for x depends on its lane or on the values in other lanes.
template <class Real, class Lanes>
int count_lane_differences(Real m) {
  constexpr int lanes = simd::lane_count<Real, Lanes>;
  Real const others[] = {Real(0), Real(1e-30), Real(1e30), std::numeric_limits<Real>::infinity(),
                         std::numeric_limits<Real>::quiet_NaN()};
  int differences = 0;
  for (Real x = Real(0.3); x < Real(5); x *= Real(1.01)) {
    Lanes equal{};
    for (int i = 0; i < lanes; ++i) simd::set_lane<Real>(equal, i, x);
    Real const expected = simd::lane<Real>(::over_cubed_root(m, equal), 0);
    if (!(expected > 0)) ++differences;
    for (Real const other : others) {
      for (int i = 0; i < lanes; ++i) {
        Lanes pack{};
        for (int k = 0; k < lanes; ++k) simd::set_lane<Real>(pack, k, k == i ? x : other);
        if (simd::lane<Real>(::over_cubed_root(m, pack), i) != expected) ++differences;
      }
    }
  }
  return differences;
}

}  // namespace

TEST_CASE("m / x^(3/2) of a pack is as accurate as that of a number") {
  bool const fused = refines_with_fused_operations();
  double const float_bound = fused ? 2.1e-7 : 3.0e-7;
  double const double_bound = fused ? 4.3e-16 : 6.0e-16;
  CHECK(worst_error<float, simd::NativeFloat>(float_range) < float_bound);
  CHECK(worst_error<double, simd::NativeDouble>(double_range) < double_bound);
  CHECK(worst_error<double, simd::NativeDouble>(double_extremes) < double_bound);
}

TEST_CASE("the result in a lane does not depend on the lane or on the other lanes") {
  CHECK(count_lane_differences<float, simd::NativeFloat>(0.7f) == 0);
  CHECK(count_lane_differences<double, simd::NativeDouble>(0.7) == 0);
}
#endif
