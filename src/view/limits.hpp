// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

namespace apsis::view {

/// What a server grants to whoever connects. (Tests have less time.)
struct Limits {
  std::chrono::milliseconds request{10'000};  ///< for one to come, and for an answer to be taken
  std::chrono::milliseconds silence{60'000};  ///< of a viewer, which is asked half-way
  std::chrono::milliseconds farewell{800};    ///< for viewers to hear that it is over
  std::size_t header_bytes = 8192;
  std::size_t viewers = 64;
  std::size_t connections = 128;  ///< further ones wait for one to end
};

}  // namespace apsis::view
