// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis::forces {

/// Relative errors of accelerations that a solver looks after.
struct ForceErrors {
  double asked;  ///< that 99 % of the bodies are to stay within
  double found;  ///< that 99 % of a sample did at the last look; 0 where all pairs were summed
  double worst;  ///< the largest of all looks
};

}  // namespace apsis::forces
