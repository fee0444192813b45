// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/euler.hpp>
#include <apsis/integrators/kick_drift.hpp>

namespace apsis::integrators {

template <class Real>
void Euler<Real>::step(Context const& context, Bodies<Real> const& bodies,
                       forces::Solver<Real>& solver, double dt,
                       Column<double> const& /*potential*/) {
  solver.evaluate(context, forces::accelerations_of(bodies));
  kick(context, bodies, dt);
  if (options_.damping != 1.0) damp(context, bodies, options_.damping);
  drift(context, bodies, dt);
}

template class Euler<float>;
template class Euler<double>;

}  // namespace apsis::integrators
