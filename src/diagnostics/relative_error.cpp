// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/diagnostics/relative_error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace apsis::diagnostics {

double relative_error(double difference, double expected) {
  if (difference == 0.0) return 0.0;
  double const error = difference / expected;
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

double percentile(std::vector<double> const& ascending, double fraction) {
  APSIS_EXPECT(!ascending.empty(), "a percentile is one of some numbers");
  auto const rank = std::ceil(fraction * static_cast<double>(ascending.size()));
  return ascending[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

}  // namespace apsis::diagnostics
