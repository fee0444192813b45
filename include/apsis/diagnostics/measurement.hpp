// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>
#include <apsis/diagnostics/conservation.hpp>

namespace apsis::diagnostics {

/// Sums over the bodies in an order that depends on their number alone. `potential` holds each
/// body's potential (forces::Solver::potential). Fences. Cost O(N).
template <class Real>
Measurement measure(Context const& context, Bodies<Real> const& bodies,
                    Column<double> const& potential);

/// The first body, by index, of which some quantity is not finite; to name it when a measurement is
/// not. Copies everything to the host. The last body if each is finite and only their sum is not.
template <class Real>
std::size_t first_not_finite(ExecutionSpace const& space, Bodies<Real> const& bodies,
                             Column<double> const& potential);

}  // namespace apsis::diagnostics
