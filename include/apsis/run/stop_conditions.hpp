// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/simulation/stop.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace apsis::integrators {
class Collision;
}

namespace apsis::deck {
struct Configuration;
struct StopConditions;
}  // namespace apsis::deck

namespace apsis::run {

/// Returns the present time [s of the Unix epoch].
double unix_seconds();

/// Returns the end of the Slurm job of this process [s of the Unix epoch]; nothing without a job,
/// or if the end is in the past (then the environment variable belongs to another job).
std::optional<double> slurm_job_end();

using simulation::name_of;
using simulation::Stop;
using simulation::stop_of;
using simulation::StopReason;

/// Returns the error for a run that ended with a collision; `when`: "after step 3 at time 0.3".
Problem collision_problem(deck::Configuration const& run, integrators::Collision const& collision,
                          std::string const& when);

/// Returns the message to the user for an interrupted run; `when`: "after step 3 at time 0.3".
Problem interruption(deck::StopConditions const& conditions, Stop const& stop,
                     std::string const& when, std::filesystem::path const& directory);

}  // namespace apsis::run
