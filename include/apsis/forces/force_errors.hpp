// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis::forces {

/// Relative errors of accelerations that a solver looks after.
struct ForceErrors {
  double asked;  ///< that 99 % of the bodies are to stay within
  double found;  ///< that 99 % of a sample did when it looked last
};

}  // namespace apsis::forces
