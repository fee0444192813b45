// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/core/views.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace apsis::simulation {

/// Saved positions and velocities for a roll-back. Memory is allocated by the first save().
template <class Real>
class RollbackPoint {
 public:
  bool is_set() const { return set_; }
  std::uint64_t step() const { return step_; }

  void save(ExecutionSpace const& space, Bodies<Real> const& bodies, std::uint64_t step) {
    if (!set_) allocate(space, bodies.size());
    copy_bodies(space, position_, bodies.position);
    copy_bodies(space, velocity_, bodies.velocity);
    step_ = step;
  }
  void restore(ExecutionSpace const& space, Bodies<Real> const& bodies) const {
    copy_bodies(space, bodies.position, position_);
    copy_bodies(space, bodies.velocity, velocity_);
  }

  void exchange(ExecutionSpace const& space, std::size_t bodies, SavedState& state) {
    state.exchange("mark/there", set_);
    if (!set_) return;
    if (state.restores()) allocate(space, bodies);
    state.exchange("mark/step", step_);
    state.exchange(space, "mark/position", position_);
    state.exchange(space, "mark/velocity", velocity_);
  }

 private:
  void allocate(ExecutionSpace const& space, std::size_t bodies) {
    auto const make = [&](std::string const& name) {
      return VectorColumns<Real>(Kokkos::view_alloc(space, "apsis::simulation::mark::" + name),
                                 bodies);
    };
    position_ = make("position");
    velocity_ = make("velocity");
    set_ = true;
  }

  bool set_ = false;
  std::uint64_t step_ = 0;
  VectorColumns<Real> position_, velocity_;
};

}  // namespace apsis::simulation
