// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace apsis::diagnostics {

/// difference / expected, both >= 0; 0 where there is no difference, and infinitely wrong where
/// there is no number.
double relative_error(double difference, double expected);

/// The smallest of these numbers, in ascending order, that a fraction of them in (0, 1] does not
/// exceed (the nearest rank). There must be one.
double percentile(std::vector<double> const& ascending, double fraction);

}  // namespace apsis::diagnostics
