// SPDX-License-Identifier: Apache-2.0
#include "benchmark/compare.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace apsis;
using diagnostics::ErrorPercentiles;

TEST_CASE("percentiles include the errors of all bodies") {
  std::vector<double> errors;
  for (int i = 200; i >= 1; --i) errors.push_back(i);
  auto const many_errors = diagnostics::percentiles(errors);
  CHECK(many_errors.median == 100.0);
  CHECK(many_errors.p90 == 180.0);
  CHECK(many_errors.p99 == 198.0);
  CHECK(many_errors.maximum == 200.0);
  auto const one_error = diagnostics::percentiles({3.0});
  CHECK(one_error.median == 3.0);
  CHECK(one_error.p99 == 3.0);
  CHECK(one_error.maximum == 3.0);
  CHECK(diagnostics::percentiles({}).maximum == 0.0);
}

TEST_CASE("a comparison passes if every figure is within its limit") {
  benchmark::AccuracyLimits const limits{{1.0, 1.5, 2.0, 3.0}, 4.0};
  auto const passed = [&](ErrorPercentiles acceleration, double potential) {
    return benchmark::Comparison{
        "", "", forces::Precision::mixed, acceleration, {0.0, 0.0, 0.0, potential}, limits}
        .passed();
  };
  CHECK(passed({1.0, 0.0, 2.0, 3.0}, 4.0));
  CHECK(!passed({1.1, 0.0, 2.0, 3.0}, 4.0));
  CHECK(!passed({1.0, 0.0, 2.1, 3.0}, 4.0));
  CHECK(!passed({1.0, 0.0, 2.0, 3.1}, 4.0));
  CHECK(!passed({1.0, 0.0, 2.0, 3.0}, 4.1));
  double const not_a_number = std::numeric_limits<double>::quiet_NaN();
  CHECK(!passed({1.0, 0.0, 2.0, not_a_number}, 4.0));
  CHECK(!passed({1.0, 0.0, 2.0, 3.0}, not_a_number));
}
