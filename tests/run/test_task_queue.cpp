// SPDX-License-Identifier: Apache-2.0
#include "run/observers/background.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

using namespace apsis;
using run::ErrorPolicy;
using run::OnError;
using run::TaskQueue;

TEST_CASE("tasks run concurrently or sequentially, and wait() waits for them") {
  std::vector<std::string> warnings;
  run::WarningHandler const warn = [&](Problem const& problem) {
    warnings.push_back(problem.problem);
  };
  ErrorPolicy error_policy("work", OnError::warn, warn);
  {
    // Each task waits for the others, so they must run at the same time.
    TaskQueue tasks(error_policy, 3, TaskQueue::Order::concurrent);
    std::atomic<int> running = 0;
    for (int k = 0; k < 3; ++k) {
      CHECK(tasks.wait_for_slot() == static_cast<std::size_t>(k));
      tasks.start([&] {
        ++running;
        while (running < 3) std::this_thread::yield();
      });
    }
    CHECK(tasks.is_busy());
    tasks.wait();
    CHECK_FALSE(tasks.is_busy());
  }
  TaskQueue tasks(error_policy, 2, TaskQueue::Order::sequential);
  std::string order;
  for (char const name : std::string("abcdef")) {
    tasks.wait_for_slot();
    tasks.start([&order, name] { order += name; });
  }
  tasks.wait();
  CHECK(order == "abcdef");
  CHECK(warnings.empty());
}

TEST_CASE("errors of tasks are reported in the order in which the tasks were started") {
  std::vector<std::string> warnings;
  run::WarningHandler const warn = [&](Problem const& problem) {
    warnings.push_back(problem.problem);
  };
  ErrorPolicy error_policy("work", OnError::warn, warn);
  TaskQueue tasks(error_policy, 4, TaskQueue::Order::concurrent);
  std::atomic<int> finished = 0;
  for (int k = 0; k < 4; ++k) {
    tasks.wait_for_slot();
    tasks.start([&finished, k] {
      while (finished < 3 - k) std::this_thread::yield();  // the last task finishes first
      ++finished;
      if (k % 2 == 0) throw Error(ExitStatus::input_output, Problem{"", std::to_string(k), "", ""});
    });
  }
  tasks.wait();
  CHECK(warnings == std::vector<std::string>{"work failed: 0", "work failed: 2"});
}
