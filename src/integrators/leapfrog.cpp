// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/kick_drift.hpp>
#include <apsis/integrators/leapfrog.hpp>

namespace apsis::integrators {

template <class Real>
void LeapfrogKdk<Real>::start(ExecutionSpace const& space, Bodies<Real> const& bodies,
                              forces::Solver<Real>& solver) {
  solver.accelerate(space, bodies);
}

template <class Real>
void LeapfrogKdk<Real>::step(ExecutionSpace const& space, Bodies<Real> const& bodies,
                             forces::Solver<Real>& solver, double dt) {
  kick_and_drift(space, bodies, 0.5 * dt, dt);
  solver.accelerate(space, bodies);
  kick(space, bodies, 0.5 * dt);
}

template class LeapfrogKdk<float>;
template class LeapfrogKdk<double>;

}  // namespace apsis::integrators
