// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

namespace apsis::diagnostics {

/// Energy by which a change of energy is divided.
enum class EnergyMeasure {
  energy,     ///< |K + W|
  kinetic,    ///< K, if K + W nearly cancels and K > |W|
  potential,  ///< |W|, if K + W nearly cancels and K <= |W|
  none,       ///< both are 0: the error is absolute
};

/// Denominator of a relative energy error.
struct EnergyScale {
  EnergyMeasure measure = EnergyMeasure::none;
  double value = 0.0;  ///< >= 0 [mass length^2 / time^2], or per mass

  /// Returns |change| / scale, or |change| if the scale is 0.
  APSIS_INLINE_FUNCTION constexpr double error(double change) const {
    double const size = change < 0.0 ? -change : change;
    return value > 0.0 ? size / value : size;
  }
};

/// Returns the energy scale of a system with these energies at the start: |K + W|, or the larger of
/// K and |W| if |K + W| is less than a tenth of it. (On a parabola K + W is a rounding error, not a
/// scale.) `kinetic` must be in the centre-of-mass frame; otherwise the scale depends on the frame.
APSIS_INLINE_FUNCTION constexpr EnergyScale energy_scale(double kinetic, double potential) {
  constexpr double cancelled = 0.1;
  double const energy = kinetic + potential;
  double const whole = energy < 0.0 ? -energy : energy;
  double const depth = potential < 0.0 ? -potential : potential;
  double const larger = kinetic > depth ? kinetic : depth;
  if (larger == 0.0) return {};
  if (!(whole < cancelled * larger)) return {EnergyMeasure::energy, whole};
  return {kinetic > depth ? EnergyMeasure::kinetic : EnergyMeasure::potential, larger};
}

}  // namespace apsis::diagnostics
