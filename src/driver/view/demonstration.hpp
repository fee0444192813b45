// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/viewer_feed.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace apsis::driver {

/// Options of demonstrate().
struct DemonstrationOptions {
  std::optional<std::uint64_t> bodies;  ///< default: as many as allow 60 steps per second
  double seconds = 10.0;                ///< duration of each preset
};

/// Returns the names of the presets: two colliding galaxies, and those of the CUDA sample's demo.
std::vector<std::string> presets();

/// Shows the presets to viewers one after the other in an endless loop, at up to 60 steps per
/// second. Ends when `stopped` returns true or a viewer asks for it; pauses while there are no
/// viewers. Writes no files.
void demonstrate(DemonstrationOptions const& options, ViewerFeed& viewers,
                 std::function<bool()> const& stopped);

}  // namespace apsis::driver
