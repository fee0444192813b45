// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>

/// The two moves that symplectic schemes are made of. Each is one launch, whatever the number of
/// columns; none fences; each costs O(N).
namespace apsis::integrators {

/// velocity += dt * acceleration.
template <class Real>
void kick(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt);

/// position += dt * velocity.
template <class Real>
void drift(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt);

/// A kick and then a drift, in one launch: for few bodies a step costs its launches.
template <class Real>
void kick_and_drift(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt_kick,
                    double dt_drift);

/// velocity *= factor.
template <class Real>
void damp(ExecutionSpace const& space, Bodies<Real> const& bodies, double factor);

}  // namespace apsis::integrators
