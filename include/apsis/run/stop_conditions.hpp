// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace apsis::integrators {
class Collision;
}

namespace apsis::deck {
struct Configuration;
struct StopConditions;
}  // namespace apsis::deck

namespace apsis::simulation {
class Instant;
}  // namespace apsis::simulation

namespace apsis::run {

/// Returns the present time [s of the Unix epoch].
double unix_seconds();

/// Returns the end of the Slurm job of this process [s of the Unix epoch]; nothing without a job,
/// or if the end is in the past (then the environment variable belongs to another job).
std::optional<double> slurm_job_end();

enum class StopReason {
  end,
  encounter,
  escape,
  wall_time,  // from here to `restart` the run was interrupted from outside, see Stop
  job_end,
  stop_file,
  signal,
  request,  ///< of another control
  restart,  ///< of another control: the run begins again
  violation,
  non_finite,
  collision,
};

/// Returns the name of a reason as in summary.json, for example "wall_time".
std::string name_of(StopReason reason);

/// Description of how a run ended.
struct Stop {
  StopReason reason = StopReason::end;
  std::vector<std::uint64_t> ids{};  ///< bodies that caused the stop
  double distance = 0.0;             ///< distance of these bodies [length]
  int signal = 0;                    ///< signal that requested the stop; 0 if none did
  double offset = 0.0;               ///< time of the event after the last step [time]

  /// Whether the run was interrupted from outside.
  bool interrupted() const {
    return reason >= StopReason::wall_time && reason <= StopReason::restart;
  }
};

/// Checks the conditions on the bodies. Independent of the clock, so that runs are reproducible.
std::optional<Stop> stop_of(deck::StopConditions const& conditions, simulation::Instant& now);

/// Returns the error for a run that ended with a collision; `when`: "after step 3 at time 0.3".
Problem collision_problem(deck::Configuration const& run, integrators::Collision const& collision,
                          std::string const& when);

/// Returns the message to the user for an interrupted run; `when`: "after step 3 at time 0.3".
Problem interruption(deck::StopConditions const& conditions, Stop const& stop,
                     std::string const& when, std::filesystem::path const& directory);

}  // namespace apsis::run
