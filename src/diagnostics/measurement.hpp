// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/diagnostics/conservation.hpp>

namespace apsis::diagnostics {

/// Measures the conserved quantities. The order of the sums depends on the number of bodies only.
/// `potential` holds the potential of each body (forces::Solver::potential). Fences. O(N).
Measurement measure(Context const& context, ReadBodies const& bodies,
                    Column<double> const& potential);

/// Returns the index of the first body with a quantity that is not finite, for the error message of
/// a measurement that is not finite. Returns the last body if all bodies are finite and only their
/// sum is not. Copies all data to the host.
std::size_t first_not_finite(ExecutionSpace const& space, ReadBodies const& bodies,
                             Column<double> const& potential);

}  // namespace apsis::diagnostics
