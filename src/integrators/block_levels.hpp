// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/reductions.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/integrators/levels.hpp>
#include <apsis/integrators/step_watch.hpp>

#include <algorithm>
#include <string>

namespace apsis::integrators {

/// Individual time steps of the bodies, in blocks of powers of two. A body of level k has the step
/// time_step / 2^k = ticks_of(k) ticks. It is due at each tick that is a multiple of its step, so
/// all bodies of one level are due together, and all bodies are due at synchronised times.
///
/// Block-step schedule of one advance; `x`: a body of this level is due (its step ends, it is
/// evaluated, and it chooses the level of its next step):
///
///     level 0  x-------------------------------x    step = time_step
///     level 1  x---------------x---------------x    step = time_step / 2
///     level 2  x-------x-------x-------x-------x    step = time_step / 4
///     level 3  x---x---x---x---x---x---x---x---x    step = time_step / 8
///              0                               ticks
///       synchronised                      synchronised
///
/// A body may move to a deeper level whenever it is due, but to the next higher level only at a
/// tick where that level is due as well (next_level()).
class BlockLevels {
 public:
  explicit BlockLevels(std::string const& owner) : owner_(owner) {}

  void allocate(ExecutionSpace const& space, std::size_t count) {
    level_ = Kokkos::View<int*, MemorySpace>(Kokkos::view_alloc(space, owner_ + "::level"), count);
    due_ = forces::BodyList(Kokkos::view_alloc(space, owner_ + "::due"), count);
  }

  void exchange(ExecutionSpace const& space, SavedState& state) {
    state.exchange("stepper/highest", highest_);
    state.exchange("stepper/deepest", deepest_);
    state.exchange(space, "stepper/level", level_);
  }

  /// Halves the longest allowed step.
  void refine() { ++highest_; }

  /// Returns the next tick at which bodies are due: the end of the current step of the deepest
  /// level, since the bodies of one level are always due together.
  std::uint64_t next_due(std::uint64_t now) const { return now + ticks_of(deepest_); }
  Kokkos::View<int*, MemorySpace> const& levels() const { return level_; }

  /// Returns the bodies that are due at tick `now`: all, or those of a list, which is valid until
  /// the next call.
  forces::BodyRows list_due(ExecutionSpace const& space, std::uint64_t now);

  /// Returns the description of the due bodies for a StepWatch.
  MovedBodies moved(forces::BodyRows const& due, double time_step) const {
    return {due, time_step, false, true, level_};
  }

  /// Sets the levels of all bodies before the first step. longest(i, i) is the longest step that
  /// body i may take [time]. Throws a Collision if a level is beyond the deepest.
  template <class Longest>
  void assign(Context const& context, double time_step, Longest const& longest) {
    auto const level = level_;
    int const highest = highest_;
    int const deepest = largest<int>(
        context, owner_ + "::assign_levels", level.extent(0), KOKKOS_LAMBDA(std::size_t i) {
          int const required = level_of(longest(i, i), time_step);
          return level(i) = required > highest ? required : highest;
        });
    deepest_ = std::max(deepest, highest);  // `deepest` is not valid without bodies
    expect_reachable(deepest_, time_step, 0.0);
  }

  /// Sets new levels of the due bodies. longest(row, i) is the longest step of body i, which is
  /// due[row] [time]. The deepest new level is the deepest of all
  /// bodies, because the deepest level was due and no other body is deeper. Throws a Collision if
  /// a level is beyond the deepest.
  template <class Longest>
  void choose(Context const& context, forces::BodyRows const& due, std::uint64_t now,
              double time_step, Longest const& longest) {
    auto const level = level_;
    int const highest = highest_;
    int const deepest = largest<int>(
        context, owner_ + "::choose_levels", due.size(), KOKKOS_LAMBDA(std::size_t row) {
          std::size_t const i = due[row];
          int const required = level_of(longest(row, i), time_step);
          return level(i) = next_level(level(i), required > highest ? required : highest, now);
        });
    deepest_ = std::max(deepest, highest);  // `deepest` is not valid if no body was due
    expect_reachable(deepest_, time_step,
                     static_cast<double>(now) * (time_step / static_cast<double>(ticks)));
  }

 private:
  /// The first `count` rows of the list; all rows if the list has them all.
  forces::BodyRows due_rows(std::size_t count) const;

  std::string owner_;                      ///< prefix of the labels of kernels and allocations
  int highest_ = 0;                        ///< level of the longest allowed step
  int deepest_ = 0;                        ///< largest level of any body
  Kokkos::View<int*, MemorySpace> level_;  ///< level of each body
  forces::BodyList due_;                   ///< due bodies, at the start of the view
};

}  // namespace apsis::integrators
