// SPDX-License-Identifier: Apache-2.0
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

ErrorPercentiles percentiles(std::vector<double> errors) {
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  auto const of = [&](double fraction) {
    auto const rank = std::ceil(fraction * static_cast<double>(errors.size()));
    return errors[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
  };
  return {of(0.5), of(0.9), of(0.99), errors.back()};
}

}  // namespace apsis::diagnostics
