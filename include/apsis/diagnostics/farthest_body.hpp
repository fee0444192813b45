// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>

#include <cstddef>
#include <optional>

namespace apsis::diagnostics {

/// A body by its place among the bodies, and how far it is from their centre of mass [length].
struct FarthestBody {
  double distance;
  std::size_t index;
};

/// The body farthest from the centre of mass (from the origin if there is no mass), massless ones
/// included; of several that are equally far the first. Nothing without bodies. In double, and the
/// same bits for any number of threads. Fences. Cost O(N).
template <class Real>
std::optional<FarthestBody> farthest_body(Context const& context, Bodies<Real> const& bodies);

}  // namespace apsis::diagnostics
