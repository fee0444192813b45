// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>
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

/// Sums over the bodies in an order that depends on their number alone. `potential` holds each
/// body's potential (forces::Solver::potential). Fences. Cost O(N).
template <class Real>
Measurement measure(Context const& context, Bodies<Real> const& bodies,
                    Column<double> const& potential);

/// The first body, by index, of which some quantity is not finite; to name it when a measurement is
/// not. Copies everything to the host. The last body if each is finite and only their sum is not.
template <class Real>
std::size_t first_not_finite(ExecutionSpace const& space, Bodies<Real> const& bodies,
                             Column<double> const& potential);

}  // namespace apsis::diagnostics
