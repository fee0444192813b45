// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/works.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

using namespace apsis;
using driver::OnError;
using driver::Tolerance;
using driver::Works;

TEST_CASE("works are done side by side, or one after the other, and settled") {
  std::vector<std::string> warned;
  driver::Warn const warn = [&](Problem const& problem) { warned.push_back(problem.problem); };
  Tolerance tolerance("work", OnError::warn, warn);
  {
    // Each task waits for the others, so they must run at the same time.
    // 46 s|what fails among works is told in the order in which they were started|errors of tasks
    // are reported in the order in which the tasks were started
    Works works(tolerance, 3, Works::Order::side_by_side);
    std::atomic<int> there = 0;
    for (int k = 0; k < 3; ++k) {
      CHECK(works.free_place() == static_cast<std::size_t>(k));
      works.start([&] {
        ++there;
        while (there < 3) std::this_thread::yield();
      });
    }
    CHECK(works.busy());
    works.settle();
    CHECK_FALSE(works.busy());
  }
  Works works(tolerance, 2, Works::Order::one_after_the_other);
  std::string order;
  for (char const name : std::string("abcdef")) {
    works.free_place();
    works.start([&order, name] { order += name; });
  }
  works.settle();
  CHECK(order == "abcdef");
  CHECK(warned.empty());
}

TEST_CASE("what fails among works is told in the order in which they were started") {
  std::vector<std::string> warned;
  driver::Warn const warn = [&](Problem const& problem) { warned.push_back(problem.problem); };
  Tolerance tolerance("work", OnError::warn, warn);
  Works works(tolerance, 4, Works::Order::side_by_side);
  std::atomic<int> done = 0;
  for (int k = 0; k < 4; ++k) {
    works.free_place();
    works.start([&done, k] {
      while (done < 3 - k) std::this_thread::yield();  // the last task finishes first
      ++done;
      if (k % 2 == 0) throw Error(ExitStatus::input_output, Problem{"", std::to_string(k), "", ""});
    });
  }
  works.settle();
  CHECK(warned == std::vector<std::string>{"work failed: 0", "work failed: 2"});
}
