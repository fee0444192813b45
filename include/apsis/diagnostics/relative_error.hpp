// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace apsis::diagnostics {

/// Returns difference / expected, both >= 0. 0 if the difference is 0, infinity if the quotient is
/// NaN.
double relative_error(double difference, double expected);

/// Percentiles of the relative errors of many bodies.
struct ErrorPercentiles {
  double median = 0.0;
  double p90 = 0.0;
  double p99 = 0.0;
  double maximum = 0.0;
};

/// Relative errors of potentials.
struct PotentialErrors {
  ErrorPercentiles bodies;
  double energy;  ///< (measured - expected) / |expected| of the potential energy of the sample
};

/// Returns the percentiles of the errors by the nearest-rank method. All 0 without errors.
ErrorPercentiles percentiles(std::vector<double> errors);

}  // namespace apsis::diagnostics
