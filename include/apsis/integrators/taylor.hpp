// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/integrator.hpp>

namespace apsis::integrators {

/// x += v dt + a dt^2 / 2, v += a dt, both from the start of the step: the scheme of the early
/// OpenCL and CUDA tutorials, kept for comparison. Order 1 like explicit Euler, whose growth of
/// energy it shares; one force evaluation a step. Neither symplectic nor time-reversible.
template <class Real>
class Taylor2 final : public Integrator<Real> {
 public:
  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const& potential) override;
};

extern template class Taylor2<float>;
extern template class Taylor2<double>;

}  // namespace apsis::integrators
