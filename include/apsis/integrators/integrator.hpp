// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/solver.hpp>
#include <apsis/integrators/integrator_entry.hpp>
#include <apsis/integrators/passages.hpp>

#include <optional>

namespace apsis::integrators {

class StepWatch;
class TangentFlow;

/// Passage that a scheme does not resolve by its nature, whatever the measure of a StepWatch says:
/// the measure is above 1.
struct UnresolvedPassage {
  Passage passage;
  bool is_encounter = false;  ///< of two orbiting bodies; otherwise a pericentre
  bool is_massless = false;   ///< whether `body` is massless
};

/// Integration scheme: advances all bodies by one step at a time. The Stepper chooses the steps.
template <class Real>
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Allocates the workspace of the scheme.
  virtual void prepare(ExecutionSpace const& /*space*/, Bodies<Real> const& /*bodies*/) {}

  /// Calls prepare() and evaluates the derivatives that the first step begins with. Called once
  /// before the first step, with the bodies at the start of the run.
  virtual void start(Context const& context, Bodies<Real> const& bodies,
                     forces::Solver<Real>& /*solver*/) {
    prepare(context, bodies);
  }

  /// Saves or restores the state that a step passes to the next one, besides the bodies. Saved
  /// after a step; restored after prepare(), instead of start().
  virtual void exchange(ExecutionSpace const& /*space*/, SavedState& /*state*/) {}

  /// Advances positions and velocities by dt [time]; both are at the same time after synchronise().
  /// If provides_potential() and `potential` is not null, it is set to the potential of each body
  /// at the end of the step.
  virtual void step(Context const& context, Bodies<Real> const& bodies,
                    forces::Solver<Real>& solver, double dt,
                    Column<double> const* potential = nullptr) = 0;

  /// Makes up to `steps` steps of dt [time] of few bodies on the calling thread, without launching
  /// a kernel; the bits are those of step(). Stops after a step with a position or velocity that
  /// is not finite or beyond `largest_square` [length^2]. Returns the number of steps made: 0 if
  /// the scheme has no such path. As after step(), the bodies are valid after synchronise().
  virtual std::uint64_t step_few(forces::FewBodySums<Real>& /*sums*/,
                                 Bodies<Real> const& /*bodies*/, double /*dt*/,
                                 std::uint64_t /*steps*/, double /*largest_square*/) {
    return 0;
  }

  /// Makes one step and shows its path to the watch in several parts, because a cubic through its
  /// ends is not accurate enough; the bits of the step do not change. `elapsed`: of the advance, at
  /// the end of the step. Returns false, and does nothing, if one part is enough.
  virtual bool step_in_parts(Context const& /*context*/, Bodies<Real> const& /*bodies*/,
                             forces::Solver<Real>& /*solver*/, double /*dt*/, StepWatch& /*watch*/,
                             double /*elapsed*/) {
    return false;
  }

  /// The first passage that the scheme does not resolve, if it looks for any. Collective; fences.
  virtual std::optional<UnresolvedPassage> unresolved_passage(Context const& /*context*/) const {
    return std::nullopt;
  }

  /// Sets the tangent vector that step() moves along with the bodies, if has_tangent_flow of the
  /// entry is set; it must outlive the scheme. None by default, and always in step_few().
  void set_tangent(TangentFlow* tangent) { tangent_ = tangent; }
  bool has_tangent() const { return tangent_ != nullptr; }

  /// Writes the bodies at the end of the last step, if the scheme steps in other coordinates.
  /// Called before they are read; does not affect later steps.
  virtual void synchronise(Context const& /*context*/, Bodies<Real> const& /*bodies*/) {}

  /// Whether the last force evaluation of a step is at the final positions. The potential then
  /// costs only a few percent of a sweep in addition.
  virtual bool provides_potential() const { return false; }

  /// Longest next step [time] that the scheme's own criterion allows for all bodies after a step of
  /// dt [time]. Bodies in equilibrium do not shorten it: their accelerations are rounding
  /// errors. Precondition: the scheme has a criterion, since it has enough derivatives.
  /// Fences.
  virtual double longest_step(Context const& /*context*/, Bodies<Real> const& /*bodies*/,
                              forces::Gravity const& /*gravity*/, double /*eta*/,
                              double /*dt*/) const {
    APSIS_EXPECT(false, "the scheme has no criterion of its own");
  }
  /// Longest first step after start() [time] that the scheme's own criterion allows for all bodies.
  /// Makes trial steps of max_step and shorter and restores the bodies. Throws a Collision if no
  /// step is short enough.
  virtual double longest_first_step(Context const& /*context*/, Bodies<Real> const& /*bodies*/,
                                    forces::Solver<Real>& /*solver*/, double /*eta*/,
                                    double /*max_step*/) {
    APSIS_EXPECT(false, "the scheme has no criterion of its own");
  }

 protected:
  TangentFlow* tangent_ = nullptr;
};

}  // namespace apsis::integrators
