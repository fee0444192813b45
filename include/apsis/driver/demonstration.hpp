// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/broadcast.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace apsis::driver {

struct DemonstrationOptions {
  std::optional<std::uint64_t> bodies;  ///< nothing: as many as take sixty steps a second
  double seconds = 10.0;                ///< of each preset
};

/// The names of the presets: those of the CUDA sample's demo, and two galaxies that collide.
std::vector<std::string> presets();

/// Shows the presets to viewers one after the other, round and round, at sixty steps a second or
/// what the machine can do if that is less, until `stopped` says so or a viewer does; waits while
/// nobody watches. Writes nothing.
void demonstrate(DemonstrationOptions const& options, Broadcast& to,
                 std::function<bool()> const& stopped);

}  // namespace apsis::driver
