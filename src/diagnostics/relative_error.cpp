// SPDX-License-Identifier: Apache-2.0
#include "apsis/diagnostics/relative_error.hpp"

#include "core/percentile.hpp"

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
  return {percentile(errors, 0.5), percentile(errors, 0.9), percentile(errors, 0.99),
          errors.back()};
}

}  // namespace apsis::diagnostics
