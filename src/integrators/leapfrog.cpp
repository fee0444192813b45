// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/kick_drift.hpp>
#include <apsis/integrators/leapfrog.hpp>

namespace apsis::integrators {

template <class Real>
void LeapfrogKdk<Real>::start(Context const& context, Bodies<Real> const& bodies,
                              forces::Solver<Real>& solver) {
  solver.evaluate(context, forces::accelerations_of(bodies));
}

template <class Real>
void LeapfrogKdk<Real>::step(Context const& context, Bodies<Real> const& bodies,
                             forces::Solver<Real>& solver, double dt,
                             Column<double> const& potential) {
  kick_and_drift(context, bodies, 0.5 * dt, dt);
  solver.evaluate(context, forces::accelerations_of(bodies, potential));
  kick(context, bodies, 0.5 * dt);
}

template class LeapfrogKdk<float>;
template class LeapfrogKdk<double>;

}  // namespace apsis::integrators
