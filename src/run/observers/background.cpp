// SPDX-License-Identifier: Apache-2.0
#include "background.hpp"

#include "core/thread_binding.hpp"
#include <apsis/simulation/measurements.hpp>

#include <algorithm>
#include <utility>

namespace apsis::run {

TaskQueue::~TaskQueue() {
  for (auto& task : tasks_) {
    if (task.valid()) task.wait();
  }
}

std::size_t TaskQueue::wait_for_slot() {
  collect(tasks_[next_]);
  return next_;
}

void TaskQueue::start(std::function<void()> task) {
  std::shared_future<void> previous;
  if (order_ == Order::sequential) {
    previous = tasks_[(next_ + tasks_.size() - 1) % tasks_.size()];
  }
  tasks_[next_] = std::async(
      std::launch::async, [previous = std::move(previous), task = std::move(task)]() mutable {
        unbind_this_thread();
        if (previous.valid()) previous.wait();
        previous = {};  // otherwise each task would keep all previous ones alive
        task();
      });
  next_ = (next_ + 1) % tasks_.size();
}

void TaskQueue::wait() {
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    collect(tasks_[(next_ + k) % tasks_.size()]);
  }
}

bool TaskQueue::is_busy() const {
  return std::any_of(tasks_.begin(), tasks_.end(), [](auto const& task) { return task.valid(); });
}

void TaskQueue::collect(std::shared_future<void>& task) {
  auto const finished = std::exchange(task, {});
  if (finished.valid() && error_policy_.attempt([&] { finished.get(); }))
    error_policy_.reset_failures();
}

void Background::submit(simulation::Instant& now, deck::SnapshotContent const& content, Task task) {
  auto& copies = copies_[tasks_.wait_for_slot()];
  copy_columns(now, copies, content);
  tasks_.start([task = std::move(task), &copies] { task(copies); });
}

}  // namespace apsis::run
