// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

namespace apsis::driver {

/// Guard of a collective operation. An exception on this rank leaves the other ranks waiting in it.
/// The guard records this in `broken`, unless the exception occurs on all ranks.
class CollectiveGuard {
 public:
  explicit CollectiveGuard(bool& broken) : broken_(broken) {}
  ~CollectiveGuard() {
    broken_ = broken_ || (std::uncaught_exceptions() > exceptions_before_ && !on_all_ranks_);
  }
  CollectiveGuard(CollectiveGuard const&) = delete;
  CollectiveGuard& operator=(CollectiveGuard const&) = delete;

  void set_on_all_ranks() { on_all_ranks_ = true; }

 private:
  bool& broken_;
  bool on_all_ranks_ = false;
  int exceptions_before_ = std::uncaught_exceptions();
};

}  // namespace apsis::driver
