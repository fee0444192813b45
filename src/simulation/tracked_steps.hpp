// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method.hpp"

#include <optional>

namespace apsis::simulation {

/// The quantities that a run tracks within its internal steps: approaches and meetings that the
/// deck asks for and passages of massless bodies, by a StepWatch, and a tangent vector if a
/// diagnostic needs one. Without any of them there is no watch and no vector.
class TrackedSteps {
 public:
  explicit TrackedSteps(deck::Configuration const& run);

  /// Begins to track, after the sources of the method are known. Passages are left out if the steps
  /// resolve all of them; Kepler orbits about a dominant body are exact. `radius`: of each body, or
  /// none; see StepWatch. Its findings so far are kept; the tangent vector starts in the direction
  /// of its seed.
  void begin(Method& method, double time_step, bool passages, Column<double> const& radius);

  /// Null if nothing is watched.
  integrators::StepWatch* watch() { return watch_ ? &*watch_ : nullptr; }
  /// Whether approaches within the last step are known.
  bool has_approaches_in_step() const { return request_.approaches_in_step && !watch_->is_fresh(); }
  bool has_approaches_since_row() const { return request_.approaches_since_row; }
  bool has_passages() const { return request_.passages; }
  /// Largest measure of a passage that the integrator resolves.
  double coarsest_measure() const { return coarsest_measure_; }

  bool has_tangent() const { return tangent_.has_value(); }
  std::optional<integrators::Megno> megno() const;

  /// Saves the state for roll_back(). Collective.
  void mark(Context const& context);
  void roll_back(ExecutionSpace const& space);
  /// The tangent vector at the beginning of a step, to which undo_step() returns.
  void save_step_start();
  void undo_step();

  void exchange(Method const& method, SavedState& state);

 private:
  void exchange_watch(Method const& method, SavedState& state);
  void exchange_tangent(Method const& method, SavedState& state);

  bool resolves_passages_;
  double coarsest_measure_;
  integrators::StepWatch::Request request_;
  std::optional<integrators::StepWatch> watch_;
  std::optional<std::uint64_t> tangent_seed_;
  std::optional<integrators::TangentFlow> tangent_;
  std::optional<integrators::TangentFlow::State> tangent_mark_, tangent_start_;
};

}  // namespace apsis::simulation
