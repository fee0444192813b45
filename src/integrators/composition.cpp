// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/composition.hpp>
#include <apsis/integrators/kick_drift.hpp>

namespace apsis::integrators {

template <class Real>
void Composition<Real>::step(Context const& context, Bodies<Real> const& bodies,
                             forces::Solver<Real>& solver, double dt,
                             Column<double> const& /*potential*/) {
  drift(context, bodies, scheme_.drift[0] * dt);
  for (std::size_t stage = 0; stage < scheme_.kick.size(); ++stage) {
    solver.evaluate(context, forces::accelerations_of(bodies));
    kick_and_drift(context, bodies, scheme_.kick[stage] * dt, scheme_.drift[stage + 1] * dt);
  }
}

template class Composition<float>;
template class Composition<double>;

}  // namespace apsis::integrators
