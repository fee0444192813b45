// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/fixed_order_sum.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace apsis;

namespace {

/// Terms that cancel and differ in size, so that another order gives other bits.
struct Term {
  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    double const x = static_cast<double>(i * 7919 % 1009) - 504.0;
    return x * x * x / (1.0 + static_cast<double>(i));
  }
};

/// The promised order, written down a second time.
double by_hand(std::size_t count) {
  std::vector<double> sums;
  for (std::size_t begin = 0; begin < count; begin += fixed_sum_block) {
    double sum = 0.0;
    for (std::size_t i = begin; i < std::min(count, begin + fixed_sum_block); ++i) sum += Term{}(i);
    sums.push_back(sum);
  }
  while (sums.size() > 1) {
    std::vector<double> pairs;
    for (std::size_t i = 0; i < sums.size(); i += 2) {
      pairs.push_back(i + 1 < sums.size() ? sums[i] + sums[i + 1] : sums[i]);
    }
    sums = pairs;
  }
  return sums.empty() ? 0.0 : sums[0];
}

}  // namespace

TEST_CASE("the sum has the promised order and the right value") {
  for (std::size_t const count : {0, 1, 2, 127, 128, 129, 257, 1000, 100003}) {
    CAPTURE(count);
    double const sum = fixed_order_sum<double>(ExecutionSpace(), "apsis::test", count, Term{});
    long double exact = 0;
    long double size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      exact += Term{}(i);
      size += std::abs(Term{}(i));
    }
    // A device may contract the terms differently from the host; the order is the same.
    CHECK(std::abs(sum - by_hand(count)) <= 1e-15 * static_cast<double>(size));
    CHECK(std::abs(static_cast<double>(sum - exact)) <= 1e-15 * static_cast<double>(size));
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
    CHECK(sum == by_hand(count));
#endif
  }
}
