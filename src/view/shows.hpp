// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "view/viewer_feed.hpp"
#include <apsis/bodies/host_bodies.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace apsis::view {

/// A deck that is shown instead of the presets.
struct ShownDeck {
  std::string text;  ///< JSON
  std::string source;
  std::vector<std::string> overrides{};
};

struct DemonstrationOptions {
  std::optional<std::uint64_t> bodies;  ///< default: as many as allow 60 steps per second
  double seconds = 10.0;                ///< duration of each preset
  std::size_t preset = 0;               ///< index of the first one
  bool hold = false;                    ///< stays with it until a viewer goes on
  std::optional<ShownDeck> deck{};
};

/// Returns the titles of the presets: two colliding galaxies, and those of the CUDA sample's demo.
std::vector<std::string> presets();

/// Returns names of presets for users; several may be of one. The CUDA sample's have its numbers.
std::vector<std::string> preset_names();
std::optional<std::size_t> find_preset(std::string const& name);

/// Shows the presets to viewers one after the other in an endless loop, or one deck, at up to 60
/// steps per second. Viewers may change softening, time step and damping while the bodies move.
/// Ends when `stopped` returns true or a viewer asks for it; pauses while there are no viewers.
/// Writes no files.
void demonstrate(DemonstrationOptions const& options, ViewerFeed& viewers,
                 std::function<bool()> const& stopped);

struct PlayedSnapshot {
  HostBodies bodies;
  double time = 0.0;  ///< [time]
};

/// Sequence of `count` snapshots in the order of their times; `count` is at least 1.
struct SnapshotSequence {
  std::size_t count = 0;
  /// Called in a thread. Its exceptions end the playback.
  std::function<PlayedSnapshot(std::size_t)> load;
};

/// Plays snapshots to viewers until `stopped` returns true or a viewer ends it: four snapshots per
/// second at normal speed, with cubic interpolation between snapshots of the same bodies. Viewers
/// can pause, step from snapshot to snapshot, seek, choose the speed and restart; at the end it
/// waits for commands. A step is one snapshot here.
void play(SnapshotSequence const& sequence, ViewerFeed& viewers,
          std::function<bool()> const& stopped);

}  // namespace apsis::view
