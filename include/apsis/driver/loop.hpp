// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/error.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/control.hpp>
#include <apsis/driver/run_output.hpp>
#include <apsis/driver/simulation.hpp>

#include <memory>
#include <optional>

namespace apsis::driver {

/// How a run went.
struct Outcome {
  ExitStatus exit = ExitStatus::conserved;
  std::vector<Problem> problems;  ///< why the exit status is not 0
  Stop stop;                      ///< why it ended, at the time of the last step
  std::uint64_t steps = 0;        ///< completed
  diagnostics::Conservation conservation;
  Massless massless;
  std::optional<CoarsestPassage> passage;  ///< of a massless body
  int retries = 0;                         ///< how often it went back after a violation
  std::uint64_t integrator_steps = 0;      ///< of all bodies together, or of one block of them
  double interactions = 0.0;
  std::string kernel;                               ///< of the force, as "auto" picked it
  std::optional<forces::ForceErrors> force_errors;  ///< where a solver looks after its own
  int threads = 1;                                  ///< of the host, that worked on it
  double wall_seconds = 0.0;                        ///< of all processes that worked on the run
  double waiting_seconds = 0.0;                     ///< of rank 0 for the other ranks
  double waiting_share = 0.0;                       ///< that, of its wall time
  std::optional<std::uint64_t> resumed;             ///< from the checkpoint of this step
  std::optional<std::uint64_t> checkpoint;          ///< the step of the newest one
  std::string tables;  ///< RunRecord::tables_text(), once they are closed
};

/// Runs the step loop on bodies that were made, shows them to the output's observers, and
/// writes checkpoints. Heeds the standard controls and those that are given.
Outcome simulate(Configuration const& run, HostBodies const& bodies, RunOutput& output,
                 Controls controls = {});
/// The same with a simulation that is made already, so that what it refuses comes before the
/// directory is begun.
Outcome simulate(Configuration const& run, std::unique_ptr<Simulation> simulation,
                 RunOutput& output, Controls controls = {});

/// The same from a checkpoint on.
Outcome resume(Configuration const& run, Resumption from, RunOutput& output,
               Controls controls = {});

/// What is to be said of a run that is wrong in what nobody judges: its energy without a limit, the
/// errors of its forces; nothing of any other.
std::optional<std::string> summary_remark(Configuration const& run, Outcome const& outcome);

/// "body 2 passed body 0 at 0.01 au at time 3.2, within ... of a step": a passage that is beyond
/// the resolution of the steps.
std::string passage_words(Configuration const& run, CoarsestPassage const& passage);

/// The content of summary.json.
std::string summary_json(Configuration const& run, Outcome const& outcome);

/// The same for a reader at the terminal: what was conserved and how well, in a few lines.
std::string summary_text(Configuration const& run, Outcome const& outcome,
                         std::string const& directory);

/// Interactions per second of wall time; 0 before any has passed.
double interactions_per_second(double interactions, double wall_seconds);

}  // namespace apsis::driver
