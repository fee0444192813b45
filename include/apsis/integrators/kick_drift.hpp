// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/integrators/levels.hpp>

/// The two moves that symplectic schemes are made of. Each is one launch, whatever the number of
/// columns; none fences; each costs O(N).
namespace apsis::integrators {

/// Rounding errors of the last additions to positions and velocities; the next sum begins with them
/// (Kahan 1965, CACM 8, 40; Moller 1965, BIT 5, 37). A step then rounds the increment, not the sum.
/// Whether sums are compensated is an explicit flag: it comes from the configuration and so is the
/// same on all ranks, also on one that has no bodies and therefore no rows.
template <class Real>
struct Remainders {
  bool compensated = false;
  VectorColumns<Real> position{}, velocity{};

  /// Compensated sums of so many bodies.
  static Remainders zero(ExecutionSpace const& space, std::size_t bodies);
  /// Does nothing if sums are not compensated. Collective where the state is shared.
  void exchange(ExecutionSpace const& space, SavedState& state) const;
};

/// velocity += dt * acceleration.
template <class Real>
void kick(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt,
          Remainders<Real> const& remainders = {});

/// Half of each body's own step.
struct HalfSteps {
  Kokkos::View<int*, MemorySpace> level;
  double half_tick;  ///< [time]

  KOKKOS_FUNCTION double of(std::size_t i) const {
    return static_cast<double>(ticks_of(level(i))) * half_tick;
  }
};

/// Those `count` bodies that are listed (all if the list is empty), by half of their own steps:
/// their accelerations stand in rows of the list.
template <class Real>
void kick_listed(ExecutionSpace const& space, Bodies<Real> const& bodies,
                 forces::BodyList const& listed, std::size_t count, HalfSteps const& steps,
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
