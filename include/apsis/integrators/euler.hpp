// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/integrator.hpp>

namespace apsis::integrators {

struct EulerOptions {
  double damping = 1.0;  ///< factor on the velocities after each kick
};

/// Semi-implicit Euler, order 1: the scheme of the CUDA nbody sample (Nyland, Harris & Prins 2007),
/// with its damping factor on the velocity after each kick (1 leaves the dynamics alone).
template <class Real>
class Euler final : public Integrator<Real> {
 public:
  explicit Euler(EulerOptions const& options) : options_(options) {}

  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const& potential) override;

 private:
  EulerOptions options_;
};

extern template class Euler<float>;
extern template class Euler<double>;

}  // namespace apsis::integrators
