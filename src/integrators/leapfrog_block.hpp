// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/stepper.hpp>

#include <memory>

namespace apsis::integrators {

/// leapfrog_kdk with steps of their own for the bodies. `compensated`: positions and velocities are
/// compensated sums.
template <class Real>
std::unique_ptr<Stepper<Real>> make_leapfrog_block(bool compensated, BlockSteps const& steps);

}  // namespace apsis::integrators
