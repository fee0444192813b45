// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/driver/broadcast.hpp>

#include <functional>

namespace apsis::driver {

/// A snapshot of a run that is played.
struct Still {
  HostBodies bodies;
  double time = 0.0;  ///< [time]
};

/// What is played: `count` stills in the order of their times, at least one.
struct Reel {
  std::size_t count = 0;
  std::function<Still(std::size_t)> load;  ///< is called in a thread; what it throws ends the play
};

/// Plays stills to viewers until `stopped` says so or a viewer does: four a second at the usual
/// speed, on cubics between those that have the same bodies. Viewers pause, step from still to
/// still, seek, choose the speed and begin again; at the end it waits for them. A step is a still
/// here.
void play(Reel const& reel, Broadcast& to, std::function<bool()> const& stopped);

}  // namespace apsis::driver
