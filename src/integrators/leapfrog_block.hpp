// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/stepper.hpp>

#include <memory>

namespace apsis::integrators {

/// Creates the stepper of leapfrog_kdk with individual block steps. With `compensated`, positions
/// and velocities are compensated (Kahan) sums.
template <class Real>
std::unique_ptr<Stepper<Real>> make_leapfrog_block(bool compensated, BlockSteps const& steps);

}  // namespace apsis::integrators
