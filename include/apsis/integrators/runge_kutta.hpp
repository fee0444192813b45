// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/integrator.hpp>

namespace apsis::integrators {

/// Something of all bodies that a method keeps for positions and for velocities.
template <class Real>
struct PhaseColumns {
  VectorColumns<Real> position;
  VectorColumns<Real> velocity;
};

/// The classical Runge-Kutta method of order 4 (Kutta 1901, Z. Math. Phys. 46, 435; Hairer, Norsett
/// & Wanner 1993, Solving Ordinary Differential Equations I, table II.1.2). Not symplectic: the
/// energy of an orbit drifts, which is what it is here to teach. Four force evaluations a step.
template <class Real>
class RungeKutta4 final : public Integrator<Real> {
 public:
  /// Vectors of its own for each body: the start of the step and the sums, for x and for v.
  static constexpr std::size_t workspace_vectors = 4;

  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override;
  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const& potential) override;

 private:
  PhaseColumns<Real> start_;  ///< of the step
  PhaseColumns<Real> sum_;    ///< of the slopes so far, weighted
};

extern template class RungeKutta4<float>;
extern template class RungeKutta4<double>;

}  // namespace apsis::integrators
