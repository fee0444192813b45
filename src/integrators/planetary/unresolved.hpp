// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kepler_step.hpp"
#include <apsis/integrators/passages.hpp>

#include <numbers>

/// What the Wisdom-Holman splitting does not resolve: two bodies within three Hill radii, and a
/// pericentre with fewer than twelve steps in 2 pi over the angular velocity there. The measure of
/// such a passage is the limit over the distance, or twelve over the number of steps: above 1.
namespace apsis::integrators {

inline constexpr double encounter_hill_radii = 3.0;
inline constexpr double least_steps_per_passage = 12.0;
/// Squared angle in a step at that number of steps.
inline constexpr double largest_angle_squared =
    4.0 * std::numbers::pi * std::numbers::pi / (least_steps_per_passage * least_steps_per_passage);
/// Upper limit of measures, which are finite.
inline constexpr double largest_measure = 1e9;

/// Returns the measure and the distance of the pericentre of a lane with the position `x`; unknown
/// if it is resolved, or if free fall from there takes more than some hundred steps, as it does for
/// bodies that are gone.
KOKKOS_INLINE_FUNCTION Passage unresolved_pericentre(OrbitStep const& step,
                                                     OrbitLanes const (&x)[3], int lane, double mu,
                                                     double dt_squared) {
  double squared = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    double const component = simd::lane<double>(x[axis], lane);
    squared += component * component;
  }
  constexpr double many_steps_squared = 1e5;
  if (squared * Kokkos::sqrt(squared) > many_steps_squared * mu * dt_squared) return {};
  double const e = simd::lane<double>(step.eccentricity, lane);
  double const h2 = simd::lane<double>(step.h_squared, lane);
  double const speed_squared = mu * mu * (1.0 + e) * (1.0 + e);
  double const angle_squared = dt_squared * speed_squared * speed_squared;
  double const resolved = largest_angle_squared * (h2 * h2 * h2);
  Passage passage;
  if (!(angle_squared > resolved)) return passage;
  double const measure = Kokkos::sqrt(angle_squared / resolved);
  passage.measure = measure < largest_measure ? measure : largest_measure;
  passage.distance = h2 / (mu * (1.0 + e));
  return passage;
}

}  // namespace apsis::integrators
