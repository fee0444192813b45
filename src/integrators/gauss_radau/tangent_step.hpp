// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrators/tangent_flow.hpp"

#include <functional>

namespace apsis::integrators::radau {

/// Advances a tangent vector by a Gauss-Radau step of length dt [time] along the orbit of the
/// bodies: the variational equations are solved by collocation at the same nodes, with the
/// positions that the bodies have there. place(s) sets the bodies to the fraction s of the step.
void advance_tangent(TangentFlow& tangent, ExecutionSpace const& space,
                     Bodies<double> const& bodies, double dt,
                     std::function<void(double)> const& place);

}  // namespace apsis::integrators::radau
