// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/tolerance.hpp>

#include <functional>
#include <future>
#include <vector>

namespace apsis::driver {

/// Works in threads while the run goes on, a few at most, so that the run waits only if they do not
/// keep pace with it. An error in one is told to the tolerance, in the order in which they were
/// started, when its place is wanted again, or by settle().
class Works {
 public:
  enum class Order {
    one_after_the_other,  ///< each waits for the one before
    side_by_side
  };

  /// `tolerance` must outlive it. `most` at a time, 2 or more.
  Works(Tolerance& tolerance, std::size_t most, Order order)
      : tolerance_(tolerance), order_(order), works_(most) {}
  ~Works();
  Works(Works const&) = delete;
  Works& operator=(Works const&) = delete;

  /// Waits until the oldest work is done, whose place, 0 to most - 1, becomes free.
  std::size_t free_place();
  /// Starts a work in the place that is free.
  void start(std::function<void()> work);

  /// Waits until all are done.
  void settle();
  /// Whether it is not known yet how all works went.
  bool busy() const;

 private:
  void collect(std::shared_future<void>& work);

  Tolerance& tolerance_;
  Order order_;
  std::vector<std::shared_future<void>> works_;
  std::size_t next_ = 0;  ///< that of the oldest work
};

}  // namespace apsis::driver
