// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/tolerance.hpp>

#include <functional>
#include <future>
#include <vector>

namespace apsis::driver {

/// Queue of background tasks with a limited number of slots: the run waits only if the tasks do not
/// keep pace with it. Errors are passed to the error policy in the order in which the tasks were
/// started, when the slot is reused or in wait().
class Works {
 public:
  enum class Order {
    one_after_the_other,  ///< a task starts after the previous one has finished
    side_by_side
  };

  /// `error_policy` must outlive this object. `most`: number of slots, at least 2.
  Works(Tolerance& tolerance, std::size_t most, Order order)
      : tolerance_(tolerance), order_(order), works_(most) {}
  ~Works();
  Works(Works const&) = delete;
  Works& operator=(Works const&) = delete;

  /// Waits until the oldest task has finished. Returns its slot, 0 to most - 1, which is free then.
  std::size_t free_place();
  /// Starts a task in the free slot.
  void start(std::function<void()> work);

  /// Waits for all tasks.
  void settle();
  /// True while the result of a task is still unknown.
  bool busy() const;

 private:
  void collect(std::shared_future<void>& work);

  Tolerance& tolerance_;
  Order order_;
  std::vector<std::shared_future<void>> works_;
  std::size_t next_ = 0;  ///< slot of the oldest task
};

}  // namespace apsis::driver
