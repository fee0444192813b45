// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace apsis::diagnostics {

/// difference / expected, both >= 0; 0 where there is no difference, and infinitely wrong where
/// there is no number.
double relative_error(double difference, double expected);

/// Relative errors of many bodies: half, 90 % and 99 % of them are no worse than the first three.
struct ErrorPercentiles {
  double median = 0.0;
  double p90 = 0.0;
  double p99 = 0.0;
  double maximum = 0.0;
};

/// Of potentials.
struct PotentialErrors {
  ErrorPercentiles bodies;
  double energy;  ///< (found - expected) / |expected| of the potential energy, as a sample tells
};

/// Each is the smallest error that the fraction of all does not exceed (the nearest rank). All 0
/// for no bodies.
ErrorPercentiles percentiles(std::vector<double> errors);

}  // namespace apsis::diagnostics
