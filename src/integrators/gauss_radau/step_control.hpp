// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gauss_radau.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/solver.hpp>
#include <apsis/integrators/collision.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

/// Step control of the Gauss-Radau scheme, and the interface of its implementations.
namespace apsis::integrators::radau {

/// Lengths of steps: the part of the state that an advance passes to the next one.
struct StepControl {
  double epsilon = 1e-9;  ///< relative size of the last term of the polynomial
  double longest = std::numeric_limits<double>::infinity();  ///< longest step [time]
  bool judges_massless = false;  ///< whether massless bodies choose the steps too
  double wanted = 0.0;           ///< length of the next step; 0: unknown [time]
  double last = 0.0;             ///< last step, negative backwards; 0: there is none [time]
};

/// Called for each step of an advance.
class StepListener {
 public:
  virtual ~StepListener() = default;
  /// Before the bodies move by dt from `elapsed` [time] after the start of the advance.
  virtual void step_begins(double elapsed, double dt) = 0;
  virtual void step_ended(double elapsed, double dt) = 0;
  /// After a step from `elapsed` that is repeated because it was too long.
  virtual void step_repeats(double elapsed) = 0;
};

/// Bodies and forces of one advance.
struct Motion {
  Context const& context;
  Bodies<double> const& bodies;
  forces::Solver<double>& solver;
};

/// An implementation of the scheme for one kind of memory. It keeps the coefficients b and e, the
/// low parts of positions and velocities; accelerations at the start of a step are
/// bodies.acceleration.
class System {
 public:
  virtual ~System() = default;

  /// Evaluates the forces with which the first step begins.
  virtual void start(Motion const& motion) = 0;
  /// Advances the bodies by time_step [time]. Throws a Collision.
  virtual void advance(Motion const& motion, double time_step, StepControl& control,
                       StepListener& listener) = 0;
  /// Sets the bodies to a fraction of the step, in step_begins(). In step_ended() the fraction 0 is
  /// the end of the step.
  virtual void store(Motion const& motion, double fraction, double dt) = 0;
  /// Appends the paths of all massive bodies during the step, in step_begins(); see SourcePath.
  /// With dt = 0 it may be called after start(). Collective.
  virtual void append_paths(Motion const& motion, double dt, std::vector<double>& paths) = 0;
  virtual void exchange(ExecutionSpace const& space, SavedState& state) = 0;
};

/// Implementation for few bodies in the host's memory, in registers and arrays: no kernel launches.
/// Separations are differences of compensated positions. `only_massive`: massless bodies are left
/// out, `count` is the number of the others.
std::unique_ptr<System> make_few_bodies(std::size_t count, bool only_massive);
/// Largest number of bodies of make_few_bodies().
inline constexpr std::size_t most_few_bodies = 16;
/// The same for more bodies, with packs in the memory of the host and all its threads.
std::unique_ptr<System> make_packed_bodies(std::size_t count, bool only_massive);
/// Largest number of bodies of make_packed_bodies(). A GPU takes more than a few.
inline constexpr std::size_t most_packed_bodies = by_backend<std::size_t>(1024, most_few_bodies);
/// Implementation for any number of bodies and any backend; forces are those of the solver.
std::unique_ptr<System> make_many_bodies(ExecutionSpace const& space, std::size_t count);

/// Iterates until the coefficients no longer change. Returns the last change of b_6 over the
/// largest acceleration; infinite or NaN if the iteration left the range of numbers.
template <class Scheme>
double iterate(Scheme& scheme, double dt) {
  constexpr double converged = 1e-16;
  constexpr int most_sweeps = 12;
  double const scale = scheme.largest_acceleration();
  double change = 0.0, previous = std::numeric_limits<double>::infinity();
  for (int sweep = 1; sweep <= most_sweeps; ++sweep) {
    change = scheme.sweep(dt);
    // From the third sweep on a change that grows is rounding.
    if (change <= converged * scale || (sweep > 2 && change >= previous)) break;
    previous = change;
  }
  return change > 0.0 ? change / scale : 0.0;
}

/// Advances a scheme by time_step. A step is repeated if it was more than 4 times too long, and the
/// next one is at most 4 times as long. If less than two steps are left, they are made equal, so
/// that the last one is not tiny; the wanted length is kept for the next advance.
///
/// `Scheme` has predict(ratio), largest_acceleration(), sweep(dt) -> largest change of b_6,
/// squared_time_scale(sufficient) over dt, and accept(dt). Functions of the listener are called in
/// between. A scale below `sufficient`, which shortens the step, is not that of a body in
/// equilibrium (Cancellation).
template <class Scheme>
void advance_by_steps(Scheme& scheme, double time_step, StepControl& control,
                      StepListener& listener) {
  constexpr double most_growth = 4.0, most_shrinkage = 0.01, longest_ratio = 20.0;
  // Without an earlier step, a polynomial that is far off is only known by its iteration.
  constexpr double first_error = 1e-10, largest_error = 1e-3;
  double const span = std::abs(time_step), direction = time_step < 0.0 ? -1.0 : 1.0;
  double const tolerance = std::pow(5040.0 * control.epsilon, 1.0 / 7.0);
  if (!(control.wanted > 0.0)) control.wanted = span;
  double elapsed = 0.0, elapsed_low = 0.0;
  for (bool is_last = false; !is_last;) {
    double const remaining = (span - elapsed) - elapsed_low;
    double const allowed = std::min(control.wanted, control.longest);
    is_last = remaining <= allowed;
    bool const is_halved = !is_last && remaining < 2.0 * allowed;
    double const length = is_last ? remaining : is_halved ? 0.5 * remaining : allowed;
    bool const is_cut = length < allowed;
    double const dt = direction * length;
    // Time would no longer advance.
    if (!is_last && !(length > std::numeric_limits<double>::epsilon() * span)) {
      throw Collision(length, direction * elapsed);
    }
    bool const is_first = control.last == 0.0;
    double const ratio = is_first ? 0.0 : dt / control.last;
    bool const is_predicted = !is_first && std::abs(ratio) <= longest_ratio;
    scheme.predict(is_predicted ? ratio : 0.0);
    bool const is_converged = iterate(scheme, dt) < (is_first ? first_error : largest_error);
    double const scale = std::sqrt(scheme.squared_time_scale(1.0 / (tolerance * tolerance)));
    bool const is_known = scale < std::numeric_limits<double>::infinity();
    double const next = length * (is_known ? scale * tolerance : most_growth);
    if (!is_converged || next * (is_first ? 1.0 : most_growth) < length) {
      control.wanted = is_converged ? std::max(next, most_shrinkage * length) : 0.1 * length;
      is_last = false;
      listener.step_repeats(direction * elapsed);
      continue;
    }
    listener.step_begins(direction * elapsed, dt);
    scheme.accept(dt, is_predicted);
    add<double>(elapsed, elapsed_low, length);
    control.wanted = std::min(next, is_cut ? control.wanted : most_growth * length);
    control.last = dt;
    listener.step_ended(is_last ? time_step : direction * elapsed, dt);
  }
}

}  // namespace apsis::integrators::radau
