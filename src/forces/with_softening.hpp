// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softening.hpp"
#include <apsis/forces/gravity.hpp>

namespace apsis::forces {

/// Calls `function` with the softening law of a gravity, in double precision.
template <class Function>
void with_softening(Gravity const& gravity, Function const& function) {
  double const eps = gravity.softening;
  if (!(eps > 0.0)) return function(NoSoftening<double>::make(eps));
  switch (gravity.softening_kernel) {
    case SofteningKernel::spline:
      return function(SplineSoftening<double>::make(eps));
    case SofteningKernel::wendland_c2:
      return function(WendlandSoftening<double>::make(eps));
    default:
      return function(PlummerSoftening<double>::make(eps));
  }
}

}  // namespace apsis::forces
