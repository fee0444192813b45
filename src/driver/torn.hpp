// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

namespace apsis::driver {

/// Guard of a collective operation. An exception on this rank leaves the other ranks waiting in it.
/// The guard records this in `broken`, unless the exception occurs on all ranks.
class TornByException {
 public:
  explicit TornByException(bool& torn) : torn_(torn) {}
  ~TornByException() { torn_ = torn_ || (std::uncaught_exceptions() > before_ && !alike_); }
  TornByException(TornByException const&) = delete;
  TornByException& operator=(TornByException const&) = delete;

  void comes_to_all() { alike_ = true; }

 private:
  bool& torn_;
  bool alike_ = false;
  int before_ = std::uncaught_exceptions();
};

}  // namespace apsis::driver
