// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

namespace apsis::diagnostics {

/// The conserved quantities of the whole system at one time, in double.
struct Measurement {
  double kinetic = 0.0;    ///< K [mass length^2 / time^2]
  double potential = 0.0;  ///< W, the same unit
  double mass = 0.0;
  Vec3<double> momentum;          ///< sum of m v
  Vec3<double> angular_momentum;  ///< sum of m x cross v
  Vec3<double> center_of_mass;    ///< the origin if there is no mass

  double total() const { return kinetic + potential; }
  /// Whether every quantity is a finite number.
  bool finite() const;
  /// K / |W|: 1/2 in equilibrium; 0 without a potential.
  double virial_ratio() const;
};

}  // namespace apsis::diagnostics
