// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "view/viewer_feed.hpp"
#include <apsis/bodies/host_bodies.hpp>

#include <functional>

namespace apsis::view {

/// Snapshot that is played.
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
