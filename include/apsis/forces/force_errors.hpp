// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis::forces {

/// Relative errors of accelerations that a solver controls.
struct ForceErrors {
  double requested;  ///< requested 99th percentile
  double measured;   ///< 99th percentile of the last sample; 0: the last sweep summed all pairs
  double worst;      ///< largest value of all samples
};

}  // namespace apsis::forces
