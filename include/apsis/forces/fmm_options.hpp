// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace apsis::forces {

struct FmmOptions {
  /// Relative errors of accelerations that 99 % of the bodies stay within.
  double accuracy = 1e-3;
  /// Below so many bodies all pairs are summed.
  std::size_t fewest = 0;
};

}  // namespace apsis::forces
