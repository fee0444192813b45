// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

namespace apsis::deck {
struct Configuration;
}  // namespace apsis::deck

namespace apsis::simulation {
class Simulation;
}  // namespace apsis::simulation

namespace apsis::run {

/// Wall time of a run, estimated from timed samples of its steps and of everything that the deck
/// schedules: log, tables, snapshots, pictures, checkpoints.
struct Estimate {
  /// Work that is due at multiples of some intervals of steps, at the start and at the last step.
  struct Scheduled {
    /// Intervals [steps]. At a step that is a multiple of several, the work is done once.
    std::vector<std::uint64_t> intervals;
    double seconds;  ///< of each occurrence
  };

  double step = 0.0;  ///< wall time of one step of the deck [s]
  std::vector<Scheduled> scheduled{};
  bool at_least = false;  ///< the steps are adaptive and may become shorter later

  /// Wall time of `steps` more steps [s], and the scheduled part of it.
  double total(std::uint64_t steps) const;
  double scheduled_part(std::uint64_t steps) const;
};

/// Number of steps from 0 to `steps` that are a multiple of an interval, or the last step.
double count_due(std::vector<std::uint64_t> const& intervals, std::uint64_t steps);

/// Estimates a run from a simulation of its bodies. Times a sample of each measurement, and the
/// steps of a copy of the bodies: of all bodies if one force evaluation takes less than 0.05 s,
/// else of a sample with the same total mass. Takes some tenths of a second; if the solver cannot
/// evaluate a subset of the bodies, also a few force evaluations of all. Changes no state.
Estimate estimate(deck::Configuration const& run, simulation::Simulation& whole);

/// Estimates a run of `count` bodies before it begins, from a simulation of `sample`, some of the
/// bodies. A solver of linear cost is timed on at most 65536 of these.
Estimate estimate(deck::Configuration const& run, HostBodies const& sample, double count);

/// "about 25 ms a step, 4.2 s in all, of which tables, pictures and files take 1.1 s".
std::string estimate_text(Estimate const& estimate, std::uint64_t steps);

}  // namespace apsis::run
