// SPDX-License-Identifier: Apache-2.0
#include "support/rehearsal.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/reductions.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <vector>

using namespace apsis;

namespace {

/// Terms that cancel and differ in magnitude, so that another order of summation gives other bits.
struct Term {
  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    double const x = static_cast<double>(i * 7919 % 1009) - 504.0;
    return x * x * x / (1.0 + static_cast<double>(i));
  }
};

/// Independent implementation of the documented order of summation.
double reference_sum(std::size_t count) {
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

TEST_CASE("the sum has the documented order and the right value" * testing::thread_counts) {
  for (std::size_t const count : {0, 1, 2, 127, 128, 129, 257, 1000, 100003}) {
    CAPTURE(count);
    double const sum = fixed_order_sum<double>(ExecutionSpace(), "apsis::test", count, Term{});
    long double exact = 0;
    long double size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      exact += Term{}(i);
      size += std::abs(Term{}(i));
    }
    // A device may contract the terms differently from the host, so the bits may differ there.
    CHECK(std::abs(sum - reference_sum(count)) <= 1e-15 * static_cast<double>(size));
    CHECK(std::abs(static_cast<double>(sum - exact)) <= 1e-15 * static_cast<double>(size));
    if (!on_gpu) CHECK(sum == reference_sum(count));
  }
}

namespace {

/// The terms of the bodies from `first` on.
struct TermsOfRank {
  std::size_t first;
  KOKKOS_FUNCTION double operator()(std::size_t i) const { return Term{}(first + i); }
};

/// Results of reduce(context, first, count) on each of `ranks` ranks that share `count` bodies.
template <class Reduce>
std::vector<double> results_of_ranks(std::size_t count, std::size_t ranks, Reduce const& reduce) {
  std::vector<double> results(ranks);
  apsis::testing::SimulatedRanks(ranks).play([&](Context const& context) {
    auto const rank = context.communicator->rank();
    auto const share = share_of(count, rank, ranks);
    results[rank] = reduce(context, share.first, share.count);
  });
  return results;
}

}  // namespace

TEST_CASE("reductions over several ranks give the bits of one rank" * testing::thread_counts) {
  std::size_t const count = 10007;
  double const sum = fixed_order_sum<double>(Context(), "apsis::test", count, Term{});
  double const most = largest<double>(Context(), "apsis::test", count, Term{});
  double const least = smallest<double>(Context(), "apsis::test", count, Term{});
  CHECK(least < 0.0);
  CHECK(most > 0.0);
  for (std::size_t const ranks : {1, 2, 3, 4, 7, 100}) {
    CAPTURE(ranks);
    auto const check = [&](double expected, auto const& reduce) {
      auto const results = results_of_ranks(
          count, ranks, [&](Context const& context, std::size_t first, std::size_t n) {
            return reduce(context, n, TermsOfRank{first});
          });
      for (double const result : results) CHECK(result == expected);
    };
    check(sum, [](Context const& context, std::size_t n, TermsOfRank const& terms) {
      return fixed_order_sum<double>(context, "apsis::test", n, terms);
    });
    check(most, [](Context const& context, std::size_t n, TermsOfRank const& terms) {
      return largest<double>(context, "apsis::test", n, terms);
    });
    check(least, [](Context const& context, std::size_t n, TermsOfRank const& terms) {
      return smallest<double>(context, "apsis::test", n, terms);
    });
  }
}

TEST_CASE(
    "without bodies the largest is the lowest value of the type, and the smallest the greatest" *
    testing::thread_counts) {
  CHECK(largest<int>(Context(), "apsis::test", 0, Term{}) == std::numeric_limits<int>::lowest());
  CHECK(smallest<double>(Context(), "apsis::test", 0, Term{}) >=
        std::numeric_limits<double>::max());
}
