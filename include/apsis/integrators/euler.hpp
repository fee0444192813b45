// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/integrator.hpp>

namespace apsis::integrators {

/// Semi-implicit Euler, order 1: the scheme of the CUDA nbody sample (Nyland, Harris & Prins 2007),
/// with its damping factor on the velocity after each kick (1 leaves the dynamics alone).
template <class Real>
class Euler final : public Integrator<Real> {
 public:
  explicit Euler(Values const& values) : damping_(values.number("damping")) {}

  void step(ExecutionSpace const& space, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt) override;

 private:
  double damping_;
};

extern template class Euler<float>;
extern template class Euler<double>;

}  // namespace apsis::integrators
