// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace apsis::view {

/// What a server grants to whoever connects. (Tests have less time.)
struct Limits {
  std::chrono::milliseconds request{10'000};  ///< for one to come, and for an answer to be taken
  std::chrono::milliseconds silence{60'000};  ///< of a viewer, which is asked half-way
  std::chrono::milliseconds farewell{800};    ///< for viewers to hear that it is over
  std::size_t header_bytes = 8192;
  std::size_t viewers = 64;
  std::size_t connections = 128;  ///< further ones wait for one to end
  std::size_t spare_files = 32;   ///< that the process may open besides connections
};

/// Largest number of points of a frame that a viewer can ask for: more than the page ever does.
inline constexpr std::uint32_t most_points = 1U << 20U;

/// The number of connections, at most `limits.connections`, that leaves `limits.spare_files` of the
/// files that this process may open (RLIMIT_NOFILE). Throws an internal error if there is none.
std::size_t affordable_connections(Limits const& limits);

}  // namespace apsis::view
