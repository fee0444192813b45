// SPDX-License-Identifier: Apache-2.0
#include "benchmark/bench.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

using namespace apsis;
using benchmark::ArithmeticRates;
using benchmark::Operations;
using forces::Precision;
using testing::approximately;

TEST_CASE("additions beside multiply-adds cost time only where they share units") {
  ArithmeticRates const shared{2.0, 2.0}, separate{2.0, 4.0};
  CHECK(benchmark::highest_rate(shared, {10.0, 2.0}) == approximately(2.0 / 12.0));
  CHECK(benchmark::highest_rate(separate, {10.0, 2.0}) == approximately(2.0 / 10.0));
  // More additions than multiply-adds: the rate of all instructions is the limit.
  CHECK(benchmark::highest_rate(separate, {2.0, 10.0}) == approximately(4.0 / 12.0));
}

TEST_CASE("an interaction subtracts three coordinates, nine of the numbers of mixed") {
  auto const count = [](Precision precision, bool pairwise, int derivatives) {
    return benchmark::operations_per_interaction(precision, pairwise, derivatives);
  };
  CHECK(count(Precision::single_precision, false, 0).additions == 3.0);
  CHECK(count(Precision::mixed, false, 0).additions == 9.0);
  CHECK(count(Precision::double_precision, true, 0).additions == 1.5);
  CHECK(count(Precision::double_precision, false, 1).additions == 6.0);
  // The low parts of coordinates change additions alone.
  CHECK(count(Precision::mixed, false, 0).multiply_adds ==
        count(Precision::single_precision, false, 0).multiply_adds);
}

TEST_CASE("measured limits only rise") {
  auto limits = benchmark::measure_arithmetic_limits();
  auto const first = limits.single_precision;
  CHECK(first.multiply_adds > 0.0);
  CHECK(first.mixed >= first.multiply_adds);
  limits.single_precision = {first.multiply_adds * 1e3, first.mixed * 1e3};
  limits.measure(Precision::mixed);
  CHECK(limits.single_precision.multiply_adds == first.multiply_adds * 1e3);
  CHECK(limits.single_precision.mixed == first.mixed * 1e3);
}
