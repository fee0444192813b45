// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/run/error_policy.hpp>

#include <functional>
#include <future>
#include <vector>

namespace apsis::run {

/// Queue of background tasks with a limited number of slots: the run waits only if the tasks do not
/// keep pace with it. Errors are passed to the error policy in the order in which the tasks were
/// started, when the slot is reused or in wait().
class TaskQueue {
 public:
  enum class Order {
    sequential,  ///< a task starts after the previous one has finished
    concurrent
  };

  /// `error_policy` must outlive this object. `slots`: number of slots, at least 2.
  TaskQueue(ErrorPolicy& error_policy, std::size_t slots, Order order)
      : error_policy_(error_policy), order_(order), tasks_(slots) {}
  ~TaskQueue();
  TaskQueue(TaskQueue const&) = delete;
  TaskQueue& operator=(TaskQueue const&) = delete;

  /// Waits until the oldest task has finished. Returns its slot, 0 to slots - 1, which is free
  /// then.
  std::size_t wait_for_slot();
  /// Starts a task in the free slot.
  void start(std::function<void()> task);

  /// Waits for all tasks.
  void wait();
  /// True while the result of a task is still unknown.
  bool is_busy() const;

 private:
  void collect(std::shared_future<void>& task);

  ErrorPolicy& error_policy_;
  Order order_;
  std::vector<std::shared_future<void>> tasks_;
  std::size_t next_ = 0;  ///< slot of the oldest task
};

}  // namespace apsis::run
