// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrators/tangent_flow.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/integrators/stepper.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

namespace apsis::simulation {

/// The tangent vector of a run, if a diagnostic of the deck needs one, with its states at a mark
/// and at the beginning of a step, to which the bodies may return.
class TangentOfRun {
 public:
  explicit TangentOfRun(deck::Configuration const& run) {
    for (auto const& plan : run.diagnostics) {
      if (plan.entry->tangent_seed != nullptr) seed_ = plan.entry->tangent_seed(plan.values);
    }
  }

  /// Starts in the direction of the seed.
  template <class Real>
  void begin(Bodies<Real> const& bodies, forces::Gravity const& gravity,
             integrators::Stepper<Real>& stepper) {
    if (!seed_) return;
    APSIS_EXPECT(bodies.size() == bodies.total, "a tangent vector is of all bodies of a run");
    flow_.emplace(bodies.size(), gravity, *seed_);
    mark_ = step_start_ = flow_->state();
    stepper.set_tangent(&*flow_);
  }

  bool is_active() const { return flow_.has_value(); }
  std::optional<integrators::Megno> megno() const {
    if (!flow_) return std::nullopt;
    return flow_->megno();
  }

  void mark() {
    if (flow_) mark_ = flow_->state();
  }
  void roll_back() {
    if (flow_) flow_->state() = *mark_;
  }
  void save_step_start() {
    if (flow_) step_start_ = flow_->state();
  }
  void undo_step() {
    if (flow_) flow_->state() = *step_start_;
  }

  void exchange(ExecutionSpace const& space, std::size_t bodies, SavedState& state) {
    bool saved = flow_.has_value();
    state.exchange("simulation/tangent", saved);
    if (!saved) return;
    // The deck of a resumed run may have no tangent vector: then the saved one is read and dropped.
    auto dropped = integrators::TangentFlow(flow_ ? 0 : bodies, {}, 0).state();
    (flow_ ? flow_->state() : dropped).exchange(space, state, "tangent");
    (flow_ ? *mark_ : dropped).exchange(space, state, "tangent_mark");
  }

 private:
  std::optional<std::uint64_t> seed_;
  std::optional<integrators::TangentFlow> flow_;
  std::optional<integrators::TangentFlow::State> mark_, step_start_;
};

}  // namespace apsis::simulation
