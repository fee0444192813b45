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

namespace apsis::driver {

struct Configuration;
class Instant;

/// When a run ends before its last step; what is not given does not end it.
struct StopConditions {
  std::optional<double> encounter_distance;  ///< [length], of two bodies, not both massless
  std::optional<double> escape_radius;       ///< [length], from the centre of mass
  std::optional<double> max_wall_time;       ///< [s]
  double wall_time_before = 0.0;             ///< of that, before this run began [s]
  std::optional<double> job_end;             ///< of the batch system [s of the Unix epoch]
  std::filesystem::path stop_file;           ///< as the process finds it; empty for none
};

/// The present time [s of the Unix epoch].
double unix_seconds();

/// The end of the Slurm job that this process is part of; nothing if there is none, or if it is
/// over (then the environment is not of this process's own job).
std::optional<double> slurm_job_end();

enum class StopReason {
  end,
  encounter,
  escape,
  wall_time,  // from here to restart: somebody outside the run
  job_end,
  stop_file,
  signal,
  request,  ///< of another control
  restart,  ///< of another control: the run is to begin again
  violation,
  non_finite,
  collision,
};

/// As in summary.json: "wall_time".
std::string name_of(StopReason reason);

/// How a run ended.
struct Stop {
  StopReason reason = StopReason::end;
  std::vector<std::uint64_t> ids{};  ///< the bodies it is about
  double distance = 0.0;             ///< of them [length]
  int signal = 0;                    ///< that asked for it
  double offset = 0.0;               ///< when it happened, after the last step [time]

  /// Whether the run was cut short by somebody outside it.
  bool interrupted() const {
    return reason >= StopReason::wall_time && reason <= StopReason::restart;
  }
};

/// Whether the bodies do what is to end their run. It depends on no clock: runs that are not
/// interrupted stop at the same step.
std::optional<Stop> stop_of(StopConditions const& conditions, Instant& now);

/// The error of a run that a collision ended; `when`: "after step 3 at time 0.3".
Problem collision_problem(Configuration const& run, integrators::Collision const& collision,
                          std::string const& when);

/// What is said to the user of a run that was interrupted; `when`: "after step 3 at time 0.3".
Problem interruption(StopConditions const& conditions, Stop const& stop, std::string const& when,
                     std::filesystem::path const& directory);

}  // namespace apsis::driver
