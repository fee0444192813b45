// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>

namespace apsis::io {

/// Repeats a system call while it is interrupted by a signal. Not for close(), which releases the
/// descriptor even if it fails.
template <class Call>
auto uninterrupted(Call const& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace apsis::io
