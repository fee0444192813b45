// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/stepper.hpp>

namespace apsis::integrators {

namespace {

/// Equal steps: one for each synchronised time, or a power of two of them once it was refined.
template <class Real>
class FixedStepper final : public Stepper<Real> {
 public:
  FixedStepper(IntegratorEntry const& entry, Values const& values)
      : method_(entry.make<Real>(values)) {}

  void start(ExecutionSpace const& space, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
             double /*time_step*/) override {
    method_->start(space, bodies, solver);
  }

  void advance(ExecutionSpace const& space, Bodies<Real> const& bodies,
               forces::Solver<Real>& solver, double time_step) override {
    double const dt = time_step / divisions_;
    for (int i = 0; i < divisions_; ++i) method_->step(space, bodies, solver, dt);
    this->steps_ += static_cast<std::uint64_t>(divisions_);
  }

  void refine() override { divisions_ *= 2; }

 private:
  std::unique_ptr<Integrator<Real>> method_;
  int divisions_ = 1;
};

}  // namespace

template <class Real>
std::unique_ptr<Stepper<Real>> make_stepper(IntegratorEntry const& entry, Values const& values) {
  return std::make_unique<FixedStepper<Real>>(entry, values);
}

template std::unique_ptr<Stepper<float>> make_stepper(IntegratorEntry const&, Values const&);
template std::unique_ptr<Stepper<double>> make_stepper(IntegratorEntry const&, Values const&);

}  // namespace apsis::integrators
