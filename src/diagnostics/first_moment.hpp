// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

#include <Kokkos_Macros.hpp>

namespace apsis::diagnostics {

/// What the centre of mass of bodies on the device is the quotient of: a part of a sum.
struct FirstMoment {
  double mass{};
  Vec3<double> position{};

  KOKKOS_FUNCTION FirstMoment& operator+=(FirstMoment const& b) {
    mass += b.mass;
    position += b.position;
    return *this;
  }
  /// The centre of mass; the origin if there is no mass.
  Vec3<double> centre() const { return mass > 0.0 ? (1.0 / mass) * position : Vec3<double>{}; }
};

}  // namespace apsis::diagnostics
