// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/integrators/levels.hpp>

/// Kick and drift, the two operations that symplectic schemes are composed of. Each function is one
/// kernel launch for all columns, costs O(N) and does not fence.
namespace apsis::integrators {

/// Remainders of compensated (Kahan) sums: the rounding errors of the last additions to positions
/// and velocities, which are added to the next increment (Kahan 1965, CACM 8, 40; Moller 1965, BIT
/// 5, 37). A step then rounds the increment instead of the sum. `compensated` is an explicit flag:
/// it comes from the configuration, so it is the same on all ranks, including a rank without bodies
/// and therefore without rows.
template <class Real>
struct Remainders {
  bool compensated = false;
  VectorColumns<Real> position{}, velocity{};

  /// Returns zero remainders for so many bodies, with `compensated` set.
  static Remainders zero(ExecutionSpace const& space, std::size_t bodies);
  /// Saves or restores the remainders; does nothing if sums are not compensated. Collective if the
  /// bodies are shared among ranks.
  void exchange(ExecutionSpace const& space, SavedState& state) const;
};

/// Kick: velocity += dt * acceleration.
template <class Real>
void kick(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt,
          Remainders<Real> const& remainders = {});

/// Half of each body's individual step.
struct HalfSteps {
  Kokkos::View<int*, MemorySpace> level;
  double half_tick;  ///< [time]

  /// Half of the step of body i [time].
  KOKKOS_FUNCTION double half_step(std::size_t i) const {
    return static_cast<double>(ticks_of(level(i))) * half_tick;
  }
};

/// Kicks the bodies in `rows` by half of their individual steps. Row k of the accelerations belongs
/// to body rows[k].
template <class Real>
void kick_rows(ExecutionSpace const& space, Bodies<Real> const& bodies,
               forces::BodyRows const& rows, HalfSteps const& steps,
               Remainders<Real> const& remainders = {});

/// Drift: position += dt * velocity.
template <class Real>
void drift(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt,
           Remainders<Real> const& remainders = {});

/// A kick and then a drift, in one kernel launch: for few bodies launches dominate the time of a
/// step.
template <class Real>
void kick_and_drift(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt_kick,
                    double dt_drift, Remainders<Real> const& remainders = {});

/// Damping: velocity *= factor.
template <class Real>
void damp(ExecutionSpace const& space, Bodies<Real> const& bodies, double factor);

}  // namespace apsis::integrators
