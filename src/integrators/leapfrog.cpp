// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/integrators/kick_drift.hpp>

namespace apsis::integrators {

namespace {

/// Leapfrog in its kick-drift-kick form (velocity Verlet; Swope et al. 1982, J. Chem. Phys. 76,
/// 637, equations 6-8), order 2, symplectic and time-reversible; one force evaluation a step. Keeps
/// the acceleration at the end of a step for the start of the next one.
template <class Real>
class LeapfrogKdk final : public Integrator<Real> {
 public:
  void start(Context const& context, Bodies<Real> const& bodies,
             forces::Solver<Real>& solver) override {
    solver.evaluate(context, forces::accelerations_of(bodies));
  }
  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const& potential) override {
    kick_and_drift(context, bodies, 0.5 * dt, dt);
    solver.evaluate(context, forces::accelerations_of(bodies, potential));
    kick(context, bodies, 0.5 * dt);
  }
  bool finds_potential() const override { return true; }
};

}  // namespace

IntegratorEntry leapfrog_kdk_entry() {
  return entry<LeapfrogKdk>("leapfrog_kdk", "leapfrog, kick-drift-kick: order 2, symplectic", 2,
                            Kept::symplectic_form_and_time_reversal, {}, 0);
}

}  // namespace apsis::integrators
