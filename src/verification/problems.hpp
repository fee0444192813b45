// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/verification/verify.hpp>

/// What the problems of the table do.
namespace apsis::verification {

KnownAnswer::Verify convergence_order;
KnownAnswer::Verify time_reversal;
KnownAnswer::Verify two_body_orbit;
KnownAnswer::Verify figure_eight;
KnownAnswer::Verify lagrange_triangle;
KnownAnswer::Verify pythagorean;
KnownAnswer::Verify block_steps;
KnownAnswer::Verify plummer_equilibrium;
KnownAnswer::Verify cold_collapse;
KnownAnswer::Verify king_tables;
KnownAnswer::Verify solar_system;

}  // namespace apsis::verification
