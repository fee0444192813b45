// SPDX-License-Identifier: Apache-2.0
#include "support/norms.hpp"
#include "support/reference_force.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/benchmark/compare.hpp>
#include <apsis/benchmark/reference_field.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace apsis;
using benchmark::Percentiles;

TEST_CASE("percentiles are errors of bodies, none left out") {
  std::vector<double> errors;
  for (int i = 200; i >= 1; --i) errors.push_back(i);
  auto const of_many = benchmark::percentiles(errors);
  CHECK(of_many.median == 100.0);
  CHECK(of_many.most == 198.0);
  CHECK(of_many.worst == 200.0);
  auto const of_one = benchmark::percentiles({3.0});
  CHECK(of_one.median == 3.0);
  CHECK(of_one.most == 3.0);
  CHECK(of_one.worst == 3.0);
  CHECK(benchmark::percentiles({}).worst == 0.0);
}

TEST_CASE("a comparison passes if every figure is within its limit") {
  benchmark::AccuracyLimits const limits{{1.0, 2.0, 3.0}, 4.0};
  auto const passed = [&](Percentiles acceleration, double potential) {
    return benchmark::Comparison{
        "", "", forces::Precision::mixed, acceleration, {0.0, 0.0, potential}, limits}
        .passed();
  };
  CHECK(passed({1.0, 2.0, 3.0}, 4.0));
  CHECK(!passed({1.1, 2.0, 3.0}, 4.0));
  CHECK(!passed({1.0, 2.1, 3.0}, 4.0));
  CHECK(!passed({1.0, 2.0, 3.1}, 4.0));
  CHECK(!passed({1.0, 2.0, 3.0}, 4.1));
  double const nothing = std::numeric_limits<double>::quiet_NaN();
  CHECK(!passed({1.0, 2.0, nothing}, 4.0));
  CHECK(!passed({1.0, 2.0, 3.0}, nothing));
}

TEST_CASE("the compensated reference is a long double loop to the last digit but one") {
  for (std::size_t const count : {1, 2, 300}) {
    for (double const softening : {0.0, 0.05}) {
      auto const host = testing::sample_bodies(count);
      testing::ReferenceForce const expected(host, 1.7, softening);
      auto const found = benchmark::reference_field(host, {1.7, softening});
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(norm(found.acceleration[i] - expected.acceleration[i]) <=
              1e-15 * norm(expected.acceleration[i]));
        CHECK(std::abs(found.potential[i] - expected.potential[i]) <=
              5e-16 * std::abs(expected.potential[i]));
      }
    }
  }
}
