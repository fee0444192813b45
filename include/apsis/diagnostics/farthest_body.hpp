// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/execution.hpp>

#include <cstddef>
#include <optional>

namespace apsis::diagnostics {

/// Index of a body and its distance from the centre of mass [length].
struct FarthestBody {
  double distance;
  std::size_t index;
};

/// Returns the body farthest from the centre of mass (from the origin if there is no mass),
/// including massless bodies; of equally far bodies the first. Empty without bodies. In double; the
/// result is bitwise independent of the number of threads. Fences. O(N).
std::optional<FarthestBody> farthest_body(Context const& context, ReadBodies const& bodies);

}  // namespace apsis::diagnostics
