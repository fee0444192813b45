// SPDX-License-Identifier: Apache-2.0
#include "tracked_steps.hpp"

#include <utility>

namespace apsis::simulation {

TrackedSteps::TrackedSteps(deck::Configuration const& run)
    : resolves_passages_(run.integrator.entry->needs_dominant_body ||
                         run.integrator.entry->has_own_steps()),
      coarsest_measure_(integrators::coarsest_measure(run.integrator.entry->order,
                                                      run.integrator.entry->symplectic)) {
  request_.approaches_in_step = run.stop.encounter_distance.has_value();
  if (request_.approaches_in_step) request_.approach_limit = *run.stop.encounter_distance;
  auto const& events = run.events;
  request_.contacts = events.collisions.has_value();
  if (events.encounters) request_.encounter_limit = events.encounters->distance;
  for (auto const& plan : run.diagnostics) {
    if (plan.entry->watches_approaches) request_.approaches_since_row = true;
    if (plan.entry->tangent_seed != nullptr) {
      tangent_seed_ = plan.entry->tangent_seed(plan.values);
    }
  }
}

void TrackedSteps::begin(Method& method, double time_step, bool passages,
                         Column<double> const& radius) {
  auto const& context = method.context();
  auto const& bodies = method.bodies();
  request_.passages = passages && !resolves_passages_;
  auto earlier = std::move(watch_);
  watch_.reset();
  if (request_.any()) {
    watch_.emplace(context, bodies, method.gravity(), request_, radius);
    if (earlier) watch_->inherit(context, *earlier);
    if (request_.passages && watch_->largest_measure(time_step) <= coarsest_measure_) {
      request_.passages = false;
      watch_->drop_passages();
    }
    if (!request_.any()) watch_.reset();
  }
  if (tangent_seed_) {
    APSIS_EXPECT(bodies.size() == bodies.total, "a tangent vector is of all bodies of a run");
    tangent_.emplace(bodies.size(), method.gravity(), *tangent_seed_);
    tangent_mark_ = tangent_start_ = tangent_->state();
  }
  method.observe(watch(), tangent_ ? &*tangent_ : nullptr);
}

std::optional<integrators::Megno> TrackedSteps::megno() const {
  if (!tangent_) return std::nullopt;
  return tangent_->megno();
}

void TrackedSteps::mark(Context const& context) {
  if (watch_) watch_->mark(context);
  if (tangent_) tangent_mark_ = tangent_->state();
}

void TrackedSteps::roll_back(ExecutionSpace const& space) {
  if (watch_) watch_->roll_back(space);
  if (tangent_) tangent_->state() = *tangent_mark_;
}

void TrackedSteps::save_step_start() {
  if (tangent_) tangent_start_ = tangent_->state();
}

void TrackedSteps::undo_step() {
  if (tangent_) tangent_->state() = *tangent_start_;
}

// The deck of a resumed run may track other quantities: then a saved state is read and dropped.

void TrackedSteps::exchange(Method const& method, SavedState& state) {
  exchange_watch(method, state);
  exchange_tangent(method, state);
}

void TrackedSteps::exchange_watch(Method const& method, SavedState& state) {
  bool saved = watch_.has_value();
  state.exchange("simulation/watches_steps", saved);
  if (!saved) return;
  auto const& context = method.context();
  if (watch_) return watch_->exchange(context, state);
  integrators::StepWatch(context, method.bodies(), method.gravity(), {}).exchange(context, state);
}

void TrackedSteps::exchange_tangent(Method const& method, SavedState& state) {
  bool saved = tangent_.has_value();
  state.exchange("simulation/tangent", saved);
  if (!saved) return;
  auto const& space = method.context().space;
  auto dropped = integrators::TangentFlow(tangent_ ? 0 : method.bodies().size(), {}, 0).state();
  (tangent_ ? tangent_->state() : dropped).exchange(space, state, "tangent");
  (tangent_ ? *tangent_mark_ : dropped).exchange(space, state, "tangent_mark");
}

}  // namespace apsis::simulation
