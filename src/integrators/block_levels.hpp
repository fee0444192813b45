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

/// Steps of their own for the bodies, in blocks of powers of two. A body is due at the ticks that
/// its step divides, and every body at synchronised times.
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

  /// From now on no step is longer than half of the longest before.
  void refine() { ++highest_; }

  /// Bodies of one level are always due together: the deepest level has the next time.
  std::uint64_t next_due(std::uint64_t now) const { return now + ticks_of(deepest_); }
  Kokkos::View<int*, MemorySpace> const& levels() const { return level_; }

  /// Lists the bodies that are due at tick `now`, by rising number, and returns how many there are.
  std::size_t list_due(ExecutionSpace const& space, std::uint64_t now);
  /// So many of the list; nothing where all bodies are due.
  forces::BodyList listed(std::size_t due) const {
    return due == level_.extent(0) ? forces::BodyList() : due_;
  }

  /// The bodies of the list, whose steps end now, for a watch.
  MovedBodies moved(forces::BodyList const& listed, std::size_t due, double time_step) const {
    return {listed, due, time_step, false, true, level_};
  }

  /// Levels of all bodies before the first step: longest(i) is how long body i's may be [time].
  template <class Longest>
  void assign(Context const& context, double time_step, Longest const& longest) {
    auto const level = level_;
    int const highest = highest_;
    int const deepest = largest<int>(
        context, owner_ + "::assign_levels", level.extent(0), KOKKOS_LAMBDA(std::size_t i) {
          int const wanted = level_of(longest(i, i), time_step);
          return level(i) = wanted > highest ? wanted : highest;
        });
    deepest_ = std::max(deepest, highest);  // there may be no bodies
    expect_reachable(deepest_, time_step, 0.0);
  }

  /// New levels of the bodies that are due: longest(row, i), where row is i's in the list. All
  /// others are higher than what was due, or as high.
  template <class Longest>
  void choose(Context const& context, std::size_t due, std::uint64_t now, double time_step,
              Longest const& longest) {
    auto const level = level_;
    auto const list = listed(due);
    int const highest = highest_;
    int const deepest = largest<int>(
        context, owner_ + "::choose_levels", due, KOKKOS_LAMBDA(std::size_t row) {
          std::size_t const i = list.extent(0) == 0 ? row : list(row);
          int const wanted = level_of(longest(row, i), time_step);
          return level(i) = next_level(level(i), wanted > highest ? wanted : highest, now);
        });
    deepest_ = std::max(deepest, highest);  // none may have been due
    expect_reachable(deepest_, time_step,
                     static_cast<double>(now) * (time_step / static_cast<double>(ticks)));
  }

 private:
  std::string owner_;                      ///< of the kernels and memory, in their labels
  int highest_ = 0;                        ///< no level above this
  int deepest_ = 0;                        ///< of any body
  Kokkos::View<int*, MemorySpace> level_;  ///< of each body
  forces::BodyList due_;
};

}  // namespace apsis::integrators
