// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/vec3.hpp>

namespace apsis::render {

/// One body's vector of a set of columns.
template <class Real>
KOKKOS_INLINE_FUNCTION Vec3<double> row(VectorColumns<Real> const& of, std::size_t i) {
  return {static_cast<double>(of(i, 0)), static_cast<double>(of(i, 1)),
          static_cast<double>(of(i, 2))};
}

}  // namespace apsis::render
