// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/forces/gravity.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace apsis::integrators {

/// Largest |a| of a body, over the root of the sum of the squares of its terms G m / r^2, at which
/// the terms cancel: of 16 digits (7 in single precision) so few are left that interpolated
/// derivatives of a are differences of its rounding errors. They would ask for a fraction of each
/// step, whatever its length.
template <class Real>
inline constexpr double cancelled_part =
    (sizeof(Real) == sizeof(double) ? 1e6 : 1e3) * std::numeric_limits<Real>::epsilon();

/// Square of one of the terms, or of a sum of them over sources of one strength [(length /
/// time^2)^2].
KOKKOS_INLINE_FUNCTION double squared_term(double strength, double distance_squared) {
  double const term = strength / distance_squared;
  return distance_squared > 0.0 ? term * term : 0.0;
}

/// Test for bodies in equilibrium, as in the centre of a ring: their terms cancel, and they do not
/// choose the step. Others that pull them do.
///
///     m ---------> * <--------- m      |a| of the body in the middle is rounding
///
/// Only bodies with |a| below a tiny part of the largest |a| can be such bodies, because the
/// outermost ones have no terms that cancel. Without any of them the test costs nothing.
struct Cancellation {
  /// A massive body.
  struct Source {
    double strength;  ///< G m [length^3 / time^2]
    double x, y, z;   ///< [length]
    std::uint64_t body;
  };

  Kokkos::View<Source*, MemorySpace> sources;  ///< none: no body is in equilibrium
  double suspicious_squared = 0.0;             ///< least |a|^2 of bodies that are not tested
  double part_squared = 0.0;                   ///< square of cancelled_part
  double softening_squared = 0.0;              ///< [length^2]
  std::uint64_t first = 0;                     ///< index of the first body of this rank

  bool is_possible() const { return sources.extent(0) > 0; }

  /// Whether body i of this rank is in equilibrium. O(massive bodies) for a suspicious body.
  KOKKOS_FUNCTION bool operator()(std::size_t i, Vec3<double> const& position,
                                  double acceleration_squared) const {
    if (sources.extent(0) == 0 || !(acceleration_squared < suspicious_squared)) return false;
    double squares = 0.0;
    for (std::size_t k = 0; k < sources.extent(0); ++k) {
      auto const& source = sources(k);
      auto const r = Vec3<double>{source.x, source.y, source.z} - position;
      if (source.body == first + i) continue;
      squares += squared_term(source.strength, dot(r, r) + softening_squared);
    }
    return acceleration_squared <= part_squared * squares;
  }
};

/// Makes the test for the present positions and accelerations. `part`: cancelled_part. Collective;
/// fences. O(N).
Cancellation find_cancellation(Context const& context, ReadBodies const& bodies,
                               forces::Gravity const& gravity, double part);

}  // namespace apsis::integrators
