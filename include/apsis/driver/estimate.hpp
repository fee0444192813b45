// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace apsis::driver {

struct Configuration;
class Simulation;

/// Wall time of a run, estimated from a sample of its own work: steps, and everything that the deck
/// schedules besides: log, tables, snapshots, pictures, checkpoints.
struct Estimate {
  /// Work at the multiples of some intervals of steps, at the start and at the last step.
  struct Scheduled {
    std::vector<std::uint64_t> intervals;  ///< [steps]; done once where several coincide
    double seconds;                        ///< each time
  };

  double step = 0.0;  ///< one step of the deck [s]
  std::vector<Scheduled> scheduled{};
  bool at_least = false;  ///< the bodies decide on the steps, and may ask for many more later

  /// Wall time of so many steps more [s], and the part of it that is scheduled.
  double total(std::uint64_t steps) const;
  double scheduled_part(std::uint64_t steps) const;
};

/// Number of the times from 0 to `steps` that are a multiple of one of the intervals, or the last.
double times_due(std::vector<std::uint64_t> const& intervals, std::uint64_t steps);

/// Estimates a run from a simulation of its bodies. Times a sample of each measurement, and steps a
/// copy of the bodies: all of them if their forces take less than a twentieth of a second, else a
/// sample of the same total mass. Takes some tenths of a second, and a few force evaluations of a
/// solver that cannot evaluate a part of the bodies. Changes and counts nothing.
Estimate estimate(Configuration const& run, Simulation& whole);

/// Estimates a run of `count` bodies before it is made, from `some` of them. A solver of linear cost
/// is timed on at most 65536 of these.
Estimate estimate(Configuration const& run, HostBodies const& some, double count);

/// "about 25 ms a step, 4.2 s in all, of which tables, pictures and files take 1.1 s".
std::string in_words(Estimate const& of, std::uint64_t steps);

}  // namespace apsis::driver
