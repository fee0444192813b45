// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/poll.hpp>
#include <apsis/integrators/integrator.hpp>
#include <apsis/integrators/step_watch.hpp>
#include <apsis/integrators/stepping.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace apsis::integrators {

/// Advances the bodies of a run from one synchronised time to the next, `time_step` apart, by as
/// many steps of a method as it sees fit. Outputs, diagnostics and decisions happen at synchronised
/// times only.
template <class Real>
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Called before the first advance, and again whenever somebody else has moved the bodies.
  virtual void start(Context const& context, Bodies<Real> const& bodies,
                     forces::Solver<Real>& solver, double time_step) = 0;

  /// Everything that one advance keeps for the next, besides the bodies: saved between advances, or
  /// restored in the place of start().
  void exchange(ExecutionSpace const& space, Bodies<Real> const& bodies, SavedState& state) {
    if (state.restores()) prepare(space, bodies);
    state.exchange("stepper/steps", steps_);
    do_exchange(space, state);
  }

  /// Advances positions and velocities of all bodies by `time_step` [time]. A stepper that
  /// finds_potential() overwrites `potential`, unless it is empty, with everybody's afterwards.
  virtual void advance(Context const& context, Bodies<Real> const& bodies,
                       forces::Solver<Real>& solver, double time_step,
                       Column<double> const& potential = {}) = 0;

  /// As Integrator::finds_potential().
  virtual bool finds_potential() const { return false; }

  /// From now on takes half the step, or works with half the accuracy parameter.
  virtual void refine() = 0;

  /// Sets the watch that looks at the bodies after every internal step; it must outlive the
  /// stepper. The caller begins its advances. None by default.
  void set_watch(StepWatch<Real>* watch) { watch_ = watch; }

  /// Sets the callback that advance() calls after each step of the method, with the fraction of its
  /// time that is done. If it throws, bodies are at no synchronised time.
  void set_poll(Poll poll) { poll_ = std::move(poll); }

  /// Steps taken so far: of all bodies together, or of one block of them.
  std::uint64_t steps() const { return steps_; }

 protected:
  /// Allocates what start() allocates.
  virtual void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) = 0;
  virtual void do_exchange(ExecutionSpace const& space, SavedState& state) = 0;

  /// A step of the method has ended at this fraction of the advance.
  void pass(double done) {
    if (poll_) poll_(done);
  }

  std::uint64_t steps_ = 0;
  StepWatch<Real>* watch_ = nullptr;

 private:
  Poll poll_;
};

/// The stepper that an integrator's values ask for; see stepping_of().
template <class Real>
std::unique_ptr<Stepper<Real>> make_stepper(IntegratorEntry const& entry, Values const& values);

}  // namespace apsis::integrators
