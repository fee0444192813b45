// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace apsis::testing {

/// |value / expected - 1|. doctest's Approx adds 1 to the size of what it compares, and so lets
/// anything small pass.
inline double relative_error(double value, double expected) {
  return std::abs(value / expected - 1.0);
}

}  // namespace apsis::testing
