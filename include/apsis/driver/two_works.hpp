// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/tolerance.hpp>

#include <array>
#include <functional>
#include <future>

namespace apsis::driver {

/// Works in threads while the run goes on: two at most, of which the second waits for the first, so
/// that the run waits only if the works do not keep pace with it. An error in one is told to the
/// tolerance when its place is wanted again, or by settle().
class TwoWorks {
 public:
  /// `tolerance` must outlive it.
  explicit TwoWorks(Tolerance& tolerance) : tolerance_(tolerance) {}
  ~TwoWorks();
  TwoWorks(TwoWorks const&) = delete;
  TwoWorks& operator=(TwoWorks const&) = delete;

  /// Waits until the older work is done, whose place, 0 or 1, becomes free.
  std::size_t free_place();
  /// Starts a work in the place that is free.
  void start(std::function<void()> work);

  /// Waits until both are done.
  void settle();
  /// Whether it is not known yet how all works went.
  bool busy() const { return works_[0].valid() || works_[1].valid(); }

 private:
  void collect(std::shared_future<void>& work);

  Tolerance& tolerance_;
  std::array<std::shared_future<void>, 2> works_;
  std::size_t next_ = 0;  ///< that of the older work
};

}  // namespace apsis::driver
