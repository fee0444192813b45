// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis::forces {

struct FmmOptions {
  /// Relative errors of accelerations that 99 % of the bodies stay within.
  double accuracy = 1e-3;
};

}  // namespace apsis::forces
