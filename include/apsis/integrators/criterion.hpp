// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>

namespace apsis::integrators {

/// sqrt(2 eta eps / |a|) of the body with the largest acceleration at the last force evaluation
/// (Springel 2005, MNRAS 364, 1105, equation 34; SWIFT has the same) [time]. Infinite if nothing
/// pulls. Fences.
template <class Real>
double softened_acceleration_step(Context const& context, Bodies<Real> const& bodies, double eta,
                                  double softening);

}  // namespace apsis::integrators
