// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/euler.hpp>
#include <apsis/integrators/kick_drift.hpp>

namespace apsis::integrators {

template <class Real>
void Euler<Real>::step(ExecutionSpace const& space, Bodies<Real> const& bodies,
                       forces::Solver<Real>& solver, double dt) {
  solver.accelerate(space, bodies);
  kick(space, bodies, dt);
  if (damping_ != 1.0) damp(space, bodies, damping_);
  drift(space, bodies, dt);
}

template class Euler<float>;
template class Euler<double>;

}  // namespace apsis::integrators
