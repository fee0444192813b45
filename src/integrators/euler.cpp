// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include "few_body_state.hpp"
#include "kick_drift.hpp"

namespace apsis::integrators {

namespace {

/// Semi-implicit Euler (kick, drift), order 1: the scheme of the CUDA nbody sample (Nyland, Harris
/// & Prins 2007). The velocity is multiplied by the damping factor after each kick; a factor of 1
/// does not change the dynamics.
template <class Real>
class Euler final : public Integrator<Real> {
 public:
  explicit Euler(double damping) : damping_(damping) {}

  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const* /*potential*/) override {
    solver.evaluate(context, forces::accelerations_of(bodies));
    kick(context, bodies, dt);
    if (damping_ != 1.0) damp(context, bodies, damping_);
    drift(context, bodies, dt);
  }

  std::uint64_t step_few(forces::FewBodySums<Real>& sums, Bodies<Real> const& bodies, double dt,
                         std::uint64_t steps, double largest_square) override {
    if constexpr (!bodies_on_host) return 0;
    FewBodies<Real> few(sums, bodies);
    auto const step_count = few.repeat(steps, largest_square, [&] {
      few.evaluate();
      few.kick(dt);
      if (damping_ != 1.0) few.damp(damping_);
      few.drift(dt);
    });
    few.store_in(bodies);
    return step_count;
  }

 private:
  double damping_;
};

double damping_of(Values const& values) {
  return values.number("damping");
}

}  // namespace

IntegratorEntry euler_entry() {
  return cited(
      entry<Euler>("euler", "semi-implicit Euler as in the CUDA nbody sample: order 1, symplectic",
                   1, Structure::symplectic,
                   {number("damping", "factor on the velocities after each kick; 1: no damping")
                        .above(0.0)
                        .at_most(1.0)
                        .with_default(1.0)},
                   0, damping_of),
      {"Nyland2007"});
}

}  // namespace apsis::integrators
