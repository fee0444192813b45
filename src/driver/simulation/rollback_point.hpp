// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/saved_state.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace apsis::driver {

/// Saved positions and velocities for a roll-back. Memory is allocated by the first save().
template <class Real>
class RollbackPoint {
 public:
  bool is_set() const { return set_; }
  std::uint64_t step() const { return step_; }

  void save(ExecutionSpace const& space, Bodies<Real> const& bodies, std::uint64_t step) {
    if (!set_) allocate(space, bodies.size());
    copy(space, position_, bodies.position);
    copy(space, velocity_, bodies.velocity);
    step_ = step;
  }
  void restore(ExecutionSpace const& space, Bodies<Real> const& bodies) const {
    Kokkos::deep_copy(space, bodies.position, position_);
    Kokkos::deep_copy(space, bodies.velocity, velocity_);
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
  static void copy(ExecutionSpace const& space, VectorColumns<Real> const& to,
                   VectorColumns<Real> const& from) {
    if (!is_loop_faster(to.extent(0))) return Kokkos::deep_copy(space, to, from);
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < to.extent(0); ++i) to(i, axis) = from(i, axis);
    }
  }
  void allocate(ExecutionSpace const& space, std::size_t bodies) {
    auto const make = [&](std::string const& name) {
      return VectorColumns<Real>(Kokkos::view_alloc(space, "apsis::driver::mark::" + name), bodies);
    };
    position_ = make("position");
    velocity_ = make("velocity");
    set_ = true;
  }

  bool set_ = false;
  std::uint64_t step_ = 0;
  VectorColumns<Real> position_, velocity_;
};

}  // namespace apsis::driver
