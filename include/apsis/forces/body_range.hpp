// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace apsis::forces {

/// Bodies first ... first + count - 1.
struct BodyRange {
  std::size_t first;
  std::size_t count;
};

}  // namespace apsis::forces
