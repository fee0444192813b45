// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/integrators/hermite_columns.hpp>
#include <apsis/integrators/stepper.hpp>

namespace apsis::integrators {

struct HermiteOptions {
  int corrections = 1;  ///< the n of P(EC)^n
};

/// Hermite predictor-corrector schemes with one step for all bodies, P(EC)^n: of order 4 from
/// accelerations and jerks (Makino & Aarseth 1992, PASJ 44, 141), of order 6 from snaps too
/// (Nitadori & Makino 2008, New Astron. 13, 498). Not symplectic; more corrections come nearer to a
/// time-symmetric scheme. Keeps the derivatives at the end of a step for the start of the next one.
template <class Real, int order>
class Hermite final : public Integrator<Real> {
 public:
  explicit Hermite(HermiteOptions const& options = {}) : options_(options) {}

  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override;
  void start(Context const& context, Bodies<Real> const& bodies,
             forces::Solver<Real>& solver) override;
  void exchange(ExecutionSpace const& space, SavedState& state) override;
  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const& potential) override;
  double longest_step(Context const& context, Bodies<Real> const& bodies,
                      double eta) const override;
  double longest_first_step(Context const& context, Bodies<Real> const& bodies,
                            forces::Solver<Real>& solver, double eta, double most) override;

  /// What a scheme with individual steps works on.
  HermiteColumns<Real, order> const& columns() const { return columns_; }

 private:
  HermiteOptions options_;
  HermiteColumns<Real, order> columns_;
};

extern template class Hermite<float, 4>;
extern template class Hermite<double, 4>;
extern template class Hermite<float, 6>;
extern template class Hermite<double, 6>;

/// Order 4 with steps of their own for the bodies.
template <class Real>
std::unique_ptr<Stepper<Real>> make_hermite_block(HermiteOptions const& method,
                                                  BlockSteps const& steps);

}  // namespace apsis::integrators
