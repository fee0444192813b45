// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/vec3.hpp>

namespace apsis {

/// Vector of body i, in double.
template <class Real>
KOKKOS_INLINE_FUNCTION Vec3<double> row(VectorColumns<Real> const& columns, std::size_t i) {
  return {static_cast<double>(columns(i, 0)), static_cast<double>(columns(i, 1)),
          static_cast<double>(columns(i, 2))};
}

}  // namespace apsis
