// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/vec3.hpp>

namespace apsis {

/// One body's vector of a set of columns, in double.
template <class Real>
KOKKOS_INLINE_FUNCTION Vec3<double> row(VectorColumns<Real> const& columns, std::size_t i) {
  return {static_cast<double>(columns(i, 0)), static_cast<double>(columns(i, 1)),
          static_cast<double>(columns(i, 2))};
}

}  // namespace apsis
