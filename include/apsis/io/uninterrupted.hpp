// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>

namespace apsis::io {

/// Calls the system again as long as a signal interrupts it. Not for close(): after that the
/// descriptor is gone, whatever it answers.
template <class Call>
auto uninterrupted(Call const& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace apsis::io
