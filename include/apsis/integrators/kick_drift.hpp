// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>

/// The two moves that symplectic schemes are made of. Each is one launch, whatever the number of
/// columns; none fences; each costs O(N).
namespace apsis::integrators {

/// What was lost to rounding when positions and velocities were last added to: the next sum begins
/// with it (Kahan 1965, CACM 8, 40; Moller 1965, BIT 5, 37). A step then rounds what it adds, and
/// not what it adds to. Empty where sums are not compensated.
template <class Real>
struct Remainders {
  VectorColumns<Real> position, velocity;

  bool kept() const { return position.extent(0) != 0; }
};

/// velocity += dt * acceleration.
template <class Real>
void kick(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt,
          Remainders<Real> const& remainders = {});

/// position += dt * velocity.
template <class Real>
void drift(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt,
           Remainders<Real> const& remainders = {});

/// A kick and then a drift, in one launch: for few bodies a step costs its launches.
template <class Real>
void kick_and_drift(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt_kick,
                    double dt_drift, Remainders<Real> const& remainders = {});

/// velocity *= factor.
template <class Real>
void damp(ExecutionSpace const& space, Bodies<Real> const& bodies, double factor);

}  // namespace apsis::integrators
