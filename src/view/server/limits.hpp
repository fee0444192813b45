// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace apsis::view {

/// Limits for connections. (Tests use shorter times.)
struct Limits {
  std::chrono::milliseconds request{
      10'000};  ///< until a request has arrived, and until a response was taken
  std::chrono::milliseconds silence{
      60'000};  ///< silence of a viewer until it is dropped; half-way it gets a ping
  std::chrono::milliseconds closing{800};  ///< for sending the last texts when the server closes
  std::size_t header_bytes = 8192;
  std::size_t viewers = 64;
  std::size_t connections = 128;  ///< further ones wait until one is closed
  std::size_t spare_files = 32;   ///< files that the process may open besides connections
};

/// Largest number of points of a frame that a viewer can ask for; more than the page ever does.
inline constexpr std::uint32_t max_points = 1U << 20U;

/// Returns the number of connections, at most `limits.connections`, that leaves
/// `limits.spare_files` of the files that this process may open (RLIMIT_NOFILE). Throws an internal
/// error if none is left.
std::size_t affordable_connections(Limits const& limits);

}  // namespace apsis::view
