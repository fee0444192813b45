// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulation/snapshot_file.hpp"
#include <apsis/run/error_policy.hpp>

#include <array>
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
  ~TaskQueue() {
    for (auto& task : tasks_) {
      if (task.valid()) task.wait();
    }
  }
  TaskQueue(TaskQueue const&) = delete;
  TaskQueue& operator=(TaskQueue const&) = delete;

  /// Waits for the oldest task and returns its slot, 0 to slots - 1, which is free then.
  std::size_t wait_for_slot() {
    collect(tasks_[next_]);
    return next_;
  }
  void start(std::function<void()> task);

  void wait() {
    for (std::size_t k = 0; k < tasks_.size(); ++k) collect(tasks_[(next_ + k) % tasks_.size()]);
  }
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

namespace apsis::deck {
struct SnapshotContent;
}  // namespace apsis::deck

namespace apsis::simulation {
class Instant;
}  // namespace apsis::simulation

namespace apsis::run {

/// Runs tasks on copies of the bodies in a background thread, one at a time. Double-buffered: the
/// run fills one set of copies while a task works on the other. If the tasks keep pace with the
/// run, it waits only for the copying; see TaskQueue.
class Background {
 public:
  using Task = std::function<void(simulation::HostColumns const&)>;

  /// `error_policy` must outlive this object.
  explicit Background(ErrorPolicy& error_policy)
      : tasks_(error_policy, 2, TaskQueue::Order::sequential) {}

  /// Copies the requested columns and queues `task` on the copy.
  void submit(simulation::Instant& now, deck::SnapshotContent const& content, Task task);

  void wait() { tasks_.wait(); }
  /// True while the result of a task is still unknown.
  bool is_busy() const { return tasks_.is_busy(); }

 private:
  std::array<simulation::HostColumns, 2> copies_;
  TaskQueue tasks_;  ///< uses the copies, so it is destroyed first
};

}  // namespace apsis::run
