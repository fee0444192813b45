// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/composition.hpp>
#include <apsis/integrators/kick_drift.hpp>

namespace apsis::integrators {

template <class Real>
void Composition<Real>::step(ExecutionSpace const& space, Bodies<Real> const& bodies,
                             forces::Solver<Real>& solver, double dt) {
  drift(space, bodies, scheme_.drift[0] * dt);
  for (std::size_t stage = 0; stage < scheme_.kick.size(); ++stage) {
    solver.accelerate(space, bodies);
    kick_and_drift(space, bodies, scheme_.kick[stage] * dt, scheme_.drift[stage + 1] * dt);
  }
}

template class Composition<float>;
template class Composition<double>;

}  // namespace apsis::integrators
