// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/integrators/step_watch.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace apsis::simulation {

/// The quantities that a run tracks within its internal steps: approaches if the deck asks for
/// them, and passages of massless bodies. Without any of them there is no watch.
template <class Real>
class TrackedSteps {
 public:
  using Watch = integrators::StepWatch;

  explicit TrackedSteps(deck::Configuration const& run)
      : resolves_passages_(run.integrator.entry->needs_dominant_body),
        coarsest_measure_(integrators::coarsest_measure(run.integrator.entry->order,
                                                        run.integrator.entry->symplectic)) {
    request_.approaches_in_step = run.stop.encounter_distance.has_value();
    if (request_.approaches_in_step) request_.approach_limit = *run.stop.encounter_distance;
    auto const& events = run.events;
    request_.contacts = events.collisions.has_value();
    if (events.encounters) request_.encounter_limit = events.encounters->distance;
    request_.approaches_since_row = std::any_of(
        run.diagnostics.begin(), run.diagnostics.end(),
        [](deck::PlannedDiagnostic const& plan) { return plan.entry->watches_approaches; });
  }

  /// Begins to track. Passages are left out if the steps resolve all of them; Kepler orbits about a
  /// dominant body are exact.
  /// `radius`: of each body, or none; see StepWatch. Findings so far are kept.
  void begin(Context const& context, Bodies<Real> const& bodies, forces::Gravity const& gravity,
             double time_step, bool passages, Column<double> const& radius) {
    request_.passages = passages && !resolves_passages_;
    auto earlier = std::move(watch_);
    watch_.reset();
    if (!request_.any()) return;
    watch_.emplace(context, bodies, gravity, request_, radius);
    if (earlier) watch_->inherit(context, *earlier);
    if (request_.passages && watch_->largest_measure(time_step) <= coarsest_measure_) {
      request_.passages = false;
      watch_->drop_passages();
    }
    if (!request_.any()) watch_.reset();
  }

  /// Null if nothing is tracked.
  Watch* watch() { return watch_ ? &*watch_ : nullptr; }
  /// Whether approaches within the last step are known.
  bool has_approaches_in_step() const { return request_.approaches_in_step && !watch_->is_fresh(); }
  bool has_approaches_since_row() const { return request_.approaches_since_row; }
  bool has_passages() const { return request_.passages; }
  /// Largest measure of a passage that the integrator resolves.
  double coarsest_measure() const { return coarsest_measure_; }

  void exchange(Context const& context, Bodies<Real> const& bodies, forces::Gravity const& gravity,
                SavedState& state) {
    bool saved = watch_.has_value();
    state.exchange("simulation/watches_steps", saved);
    if (!saved) return;
    // The deck of a resumed run may track other quantities: then the saved state is read and
    // dropped.
    if (watch_) return watch_->exchange(context, state);
    Watch(context, bodies, gravity, {}).exchange(context, state);
  }

 private:
  bool resolves_passages_;
  double coarsest_measure_;
  Watch::Request request_;
  std::optional<Watch> watch_;
};

}  // namespace apsis::simulation
