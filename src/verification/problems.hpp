// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/verification/verify.hpp>

/// One file per problem.
namespace apsis::verification {

KnownAnswer convergence_order();
KnownAnswer time_reversal();
KnownAnswer two_body_orbit();
KnownAnswer figure_eight();
KnownAnswer lagrange_triangle();
KnownAnswer plummer_equilibrium();
KnownAnswer cold_collapse();
KnownAnswer king_tables();
KnownAnswer pythagorean();
KnownAnswer block_steps();
KnownAnswer solar_system();

}  // namespace apsis::verification
