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

/// Stepping: advances the bodies of a run from one synchronised time to the next, `time_step`
/// later, by one or more internal steps of an integrator. Outputs, diagnostics and decisions happen
/// at synchronised times only.
template <class Real>
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Prepares the first advance. Call it again after other code has moved the bodies.
  virtual void start(Context const& context, Bodies<Real> const& bodies,
                     forces::Solver<Real>& solver, double time_step) = 0;

  /// Saves or restores the state that an advance passes to the next one, besides the bodies. Call
  /// it between advances; restoring replaces start().
  void exchange(ExecutionSpace const& space, Bodies<Real> const& bodies, SavedState& state) {
    if (state.restores()) prepare(space, bodies);
    state.exchange("stepper/steps", steps_);
    do_exchange(space, state);
  }

  /// Advances positions and velocities of all bodies by `time_step` [time]. If provides_potential()
  /// and `potential` is not null, it is set to the potential of each body at the end. Throws a
  /// Collision if the step would become too short.
  virtual void advance(Context const& context, Bodies<Real> const& bodies,
                       forces::Solver<Real>& solver, double time_step,
                       Column<double> const* potential = nullptr) = 0;

  /// Makes up to `advances` advances of few bodies on the calling thread, without launching a
  /// kernel; the bits are those of advance(). Stops after an advance with a position or velocity
  /// that is not finite or beyond `largest_square` [length^2]. Returns the number of advances
  /// made: 0 if this is not possible for the scheme, the solver or so many bodies, or if a watch
  /// observes the steps.
  virtual std::uint64_t advance_few(Context const& /*context*/, Bodies<Real> const& /*bodies*/,
                                    forces::Solver<Real>& /*solver*/, double /*time_step*/,
                                    std::uint64_t /*advances*/, double /*largest_square*/) {
    return 0;
  }

  /// Whether advance() can set the potential; see Integrator::provides_potential().
  virtual bool provides_potential() const { return false; }

  /// See Integrator.
  virtual std::optional<UnresolvedPassage> unresolved_passage(Context const& /*context*/) const {
    return std::nullopt;
  }

  /// Halves the longest step; an adaptive or block stepper also halves the accuracy parameter eta.
  virtual void refine() = 0;

  /// Sets the watch that observes every internal step; it must outlive the stepper. The caller
  /// calls StepWatch::begin() before each advance. None by default.
  void set_watch(StepWatch* watch) { watch_ = watch; }

  /// Sets the tangent vector that advance() moves along with the bodies, for schemes that can; it
  /// must outlive the stepper. None by default. With one the caller does not use advance_few().
  virtual void set_tangent(TangentFlow* /*tangent*/) {
    APSIS_EXPECT(false, "the stepper moves no tangent vector");
  }

  /// Sets the callback that advance() calls after each internal step with the completed fraction of
  /// the advance. If it throws, the bodies are not at a synchronised time.
  void set_poll(Poll poll) { poll_ = std::move(poll); }

  /// Number of internal steps so far; a block step of some of the bodies counts as one.
  std::uint64_t steps() const { return steps_; }

 protected:
  /// Allocates the workspace, as start() does.
  virtual void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) = 0;
  virtual void do_exchange(ExecutionSpace const& space, SavedState& state) = 0;

  /// Calls the callback with the completed fraction of the advance.
  void report_progress(double fraction) {
    if (poll_) poll_(fraction);
  }

  std::uint64_t steps_ = 0;
  StepWatch* watch_ = nullptr;

 private:
  Poll poll_;
};

/// Creates the stepper that the values of an integrator select; see stepping_of().
template <class Real>
std::unique_ptr<Stepper<Real>> make_stepper(IntegratorEntry const& entry, Values const& values);

}  // namespace apsis::integrators
