// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/integrator.hpp>

namespace apsis::integrators {

/// Leapfrog in its kick-drift-kick form (velocity Verlet; Swope et al. 1982, J. Chem. Phys. 76,
/// 637, equations 6-8), order 2, symplectic and time-reversible; one force evaluation a step. Keeps
/// the acceleration at the end of a step for the start of the next one.
template <class Real>
class LeapfrogKdk final : public Integrator<Real> {
 public:
  void start(Context const& context, Bodies<Real> const& bodies,
             forces::Solver<Real>& solver) override;
  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const& potential) override;
  bool finds_potential() const override { return true; }
};

extern template class LeapfrogKdk<float>;
extern template class LeapfrogKdk<double>;

}  // namespace apsis::integrators
