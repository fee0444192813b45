// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

namespace apsis::driver {

/// While all processes do something together: an exception of this one leaves the others waiting in
/// the middle of it, and marks that, unless it comes to all of them alike.
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
