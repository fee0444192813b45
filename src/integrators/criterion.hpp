// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>

#include <Kokkos_Core.hpp>

namespace apsis::integrators {

/// Longest step of a body [time], sqrt(2 eta eps / |a|) (Springel 2005, MNRAS 364, 1105, equation
/// 34; also used by SWIFT). Infinite if the acceleration is 0.
KOKKOS_INLINE_FUNCTION double softened_acceleration_step(double acceleration_squared, double eta,
                                                         double softening) {
  if (!(acceleration_squared > 0.0)) return Kokkos::Experimental::infinity_v<double>;
  return Kokkos::sqrt(2.0 * eta * softening / Kokkos::sqrt(acceleration_squared));
}

/// Returns |a|^2 of row i [length^2 / time^4], in double.
template <class Real>
KOKKOS_INLINE_FUNCTION double acceleration_squared(VectorColumns<Real> const& acceleration,
                                                   std::size_t i) {
  double squared = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<double>(acceleration(i, axis));
    squared += a * a;
  }
  return squared;
}

/// Longest step [time] of the body with the largest acceleration at the last force evaluation.
/// Fences.
template <class Real>
double softened_acceleration_step(Context const& context, Bodies<Real> const& bodies, double eta,
                                  double softening);

}  // namespace apsis::integrators
