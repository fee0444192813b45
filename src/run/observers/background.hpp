// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulation/host_columns.hpp"
#include "task_queue.hpp"

#include <array>
#include <functional>

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

  /// Waits for all queued tasks.
  void wait() { tasks_.wait(); }
  /// True while the result of a task is still unknown.
  bool is_busy() const { return tasks_.is_busy(); }

 private:
  std::array<simulation::HostColumns, 2> copies_;
  TaskQueue tasks_;  ///< uses the copies, so it is destroyed first
};

}  // namespace apsis::run
