// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/solver.hpp>
#include <apsis/integrators/integrator_entry.hpp>

namespace apsis::integrators {

/// Advances the bodies by fixed steps.
template <class Real>
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Allocates what the scheme works on.
  virtual void prepare(ExecutionSpace const& /*space*/, Bodies<Real> const& /*bodies*/) {}

  /// Called once before the first step, with bodies at the start of the run: prepares, and
  /// evaluates what the first step begins with.
  virtual void start(Context const& context, Bodies<Real> const& bodies,
                     forces::Solver<Real>& /*solver*/) {
    prepare(context, bodies);
  }

  /// What one step keeps for the next, besides the bodies: saved after a step, or restored after
  /// prepare(), which is then in the place of start().
  virtual void exchange(ExecutionSpace const& /*space*/, SavedState& /*state*/) {}

  /// Advances positions and velocities by dt [time]; both are at the same time afterwards. A scheme
  /// that finds_potential() overwrites `potential`, unless it is empty, with everybody's at the end
  /// of the step.
  virtual void step(Context const& context, Bodies<Real> const& bodies,
                    forces::Solver<Real>& solver, double dt,
                    Column<double> const& potential = {}) = 0;

  /// Whether the last forces of a step are those where the bodies are afterwards, so that their
  /// potential comes along for a few percent of a sweep.
  virtual bool finds_potential() const { return false; }

  /// The longest step [time] that the scheme's own criterion allows any body after the last step;
  /// of schemes that know enough derivatives. Fences.
  virtual double longest_step(Context const& /*context*/, Bodies<Real> const& /*bodies*/,
                              double /*eta*/) const {
    APSIS_EXPECT(false, "the scheme has no criterion of its own");
  }
  /// The same for the first step after start(): tries steps, of `most` and shorter, and leaves the
  /// bodies where they were.
  virtual double longest_first_step(Context const& /*context*/, Bodies<Real> const& /*bodies*/,
                                    forces::Solver<Real>& /*solver*/, double /*eta*/,
                                    double /*most*/) {
    APSIS_EXPECT(false, "the scheme has no criterion of its own");
  }
};

}  // namespace apsis::integrators
