// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/diagnostics/conservation.hpp>

namespace apsis::diagnostics {

/// Measures the conserved quantities. The order of the sums depends on the number of bodies only.
/// `potential` holds the potential of each body (forces::Solver::potential). Fences. O(N).
template <class Real>
Measurement measure(Context const& context, Bodies<Real> const& bodies,
                    Column<double> const& potential);

/// Returns the index of the first body with a quantity that is not finite, for the error message of
/// a measurement that is not finite. Returns the last body if all bodies are finite and only their
/// sum is not. Copies all data to the host.
template <class Real>
std::size_t first_not_finite(ExecutionSpace const& space, Bodies<Real> const& bodies,
                             Column<double> const& potential);

}  // namespace apsis::diagnostics
