// SPDX-License-Identifier: Apache-2.0
#include "support/rehearsal.hpp"
#include <apsis/bodies/share.hpp>
#include <apsis/core/reductions.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <vector>

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

namespace {

/// The terms of some of the bodies.
struct PartOfTerms {
  std::size_t first;
  KOKKOS_FUNCTION double operator()(std::size_t i) const { return Term{}(first + i); }
};

/// What every process finds when `find(context, first, count)` is asked of each with its share.
template <class Find>
std::vector<double> shared(std::size_t count, std::size_t processes, Find const& find) {
  std::vector<double> found(processes);
  apsis::testing::Rehearsal(processes).play([&](Context const& context) {
    auto const rank = context.communicator->rank();
    auto const share = share_of(count, rank, processes);
    found[rank] = find(context, share.first, share.count);
  });
  return found;
}

}  // namespace

TEST_CASE("processes that share the bodies find the bits that one finds alone") {
  std::size_t const count = 10007;
  double const sum = fixed_order_sum<double>(Context(), "apsis::test", count, Term{});
  double const most = largest<double>(Context(), "apsis::test", count, Term{});
  double const least = smallest<double>(Context(), "apsis::test", count, Term{});
  CHECK(least < 0.0);
  CHECK(most > 0.0);
  for (std::size_t const processes : {1, 2, 3, 4, 7, 100}) {
    CAPTURE(processes);
    auto const check = [&](double expected, auto const& reduce) {
      auto const found =
          shared(count, processes, [&](Context const& context, std::size_t first, std::size_t n) {
            return reduce(context, n, PartOfTerms{first});
          });
      for (double const each : found) CHECK(each == expected);
    };
    check(sum, [](Context const& context, std::size_t n, PartOfTerms const& terms) {
      return fixed_order_sum<double>(context, "apsis::test", n, terms);
    });
    check(most, [](Context const& context, std::size_t n, PartOfTerms const& terms) {
      return largest<double>(context, "apsis::test", n, terms);
    });
    check(least, [](Context const& context, std::size_t n, PartOfTerms const& terms) {
      return smallest<double>(context, "apsis::test", n, terms);
    });
  }
}

TEST_CASE("of nothing the largest is the lowest, and the smallest the greatest") {
  CHECK(largest<int>(Context(), "apsis::test", 0, Term{}) == std::numeric_limits<int>::lowest());
  CHECK(smallest<double>(Context(), "apsis::test", 0, Term{}) >=
        std::numeric_limits<double>::max());
}
