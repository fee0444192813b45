// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>

namespace apsis::testing {

/// Returns |value / expected - 1|.
inline double relative_error(double value, double expected) {
  return std::abs(value / expected - 1.0);
}

/// Compares equal to each value a with |a - expected| < tolerance max(|a|, |expected|). doctest's
/// own Approx adds 1 to that maximum, so that it accepts almost any small number; the style step of
/// .ci/run refuses it everywhere else. No value is equal to an expected 0: limit the size instead.
inline doctest::Approx approximately(double expected, double tolerance = 1e-5) {
  return doctest::Approx(expected).epsilon(tolerance).scale(0.0);
}

}  // namespace apsis::testing
