// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/error.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/run/control.hpp>
#include <apsis/run/run_output.hpp>
#include <apsis/simulation/events.hpp>
#include <apsis/simulation/simulation.hpp>

#include <memory>
#include <optional>

namespace apsis::run {

struct Resumption;

/// Body of a run that is not finite.
struct NotFiniteBody {
  std::uint64_t index;
  std::optional<std::uint64_t> id;  ///< nothing if the body is unknown
  std::string what;                 ///< "its position or velocity"
};

/// Run that reached its end.
struct FinishedRun {
  ExitStatus exit;
  std::string status;   ///< as in summary.json
  std::string problem;  ///< why the exit status is not 0
  std::uint64_t steps;
  double time;  ///< [time]
};

/// Result of a run.
struct Outcome {
  ExitStatus exit = ExitStatus::conserved;
  std::vector<Problem> problems;  ///< reasons for a non-zero exit status
  Stop stop;                      ///< how it ended, at the time of the last step
  std::uint64_t steps = 0;        ///< completed
  std::optional<integrators::Collision::Pair> collision;  ///< that ended the run
  std::optional<NotFiniteBody> not_finite;  ///< the first such body, which ended the run
  std::optional<FinishedRun> finished;      ///< earlier: nothing was computed now
  diagnostics::Conservation conservation;
  simulation::Massless massless;
  simulation::EventCounts events;
  std::optional<simulation::CoarsestPassage> passage;  ///< coarsest passage of a massless body
  int retries = 0;                                     ///< number of roll-backs after a violation
  std::uint64_t integrator_steps = 0;  ///< a block step of some of the bodies counts as one
  double interactions = 0.0;
  std::string kernel;                               ///< force kernel, as chosen by "auto"
  std::optional<forces::ForceErrors> force_errors;  ///< of solvers that measure their errors
  int threads = 1;                                  ///< host threads used
  double wall_seconds = 0.0;                        ///< with earlier processes of a resumed run
  PartSeconds parts;                                ///< of the wall time of this process
  double earlier_seconds = 0.0;                     ///< wall time of the processes before it
  double waiting_seconds = 0.0;                     ///< time that rank 0 waited for the other ranks
  double waiting_share = 0.0;                       ///< that time over the wall time of rank 0
  std::optional<std::uint64_t> resumed;             ///< step of the checkpoint that was resumed
  std::optional<std::uint64_t> checkpoint;          ///< step of the newest checkpoint
  std::string tables;  ///< RunRecord::tables_text() after the tables are closed
  std::string uuid;    ///< RunRecord::uuid
  std::string start;   ///< RunRecord::start
};

/// Runs the step loop from initial bodies, passes states to the observers of the output, and writes
/// checkpoints. Obeys the standard controls and `controls`.
Outcome simulate(deck::Configuration const& run, HostBodies const& bodies, RunOutput& output,
                 Controls controls = {});
/// Runs the step loop with a simulation: its errors come before the directory is changed.
Outcome simulate(deck::Configuration const& run, std::unique_ptr<simulation::Simulation> simulation,
                 RunOutput& output, Controls controls = {});

/// Runs the step loop from a checkpoint.
Outcome resume(deck::Configuration const& run, Resumption resumption, RunOutput& output,
               Controls controls = {});

/// Returns a note on a run with plainly wrong results in a quantity without a limit: energy,
/// passages of massless bodies, force errors. Returns nothing for any other run.
std::optional<std::string> summary_remark(deck::Configuration const& run, Outcome const& outcome);

/// Describes a passage and whether the steps resolve it: "body 2 passed body 0 at 0.01 au at
/// time 3.2: dt sqrt(G m / r^3) = 0.9, beyond resolution, ...".
std::string passage_words(deck::Configuration const& run,
                          simulation::CoarsestPassage const& passage);

/// Returns the content of summary.json.
std::string summary_json(deck::Configuration const& run, Outcome const& outcome);

/// Returns the summary for the terminal: conserved quantities and their errors, in a few lines.
std::string summary_text(deck::Configuration const& run, Outcome const& outcome,
                         std::string const& directory);

/// Returns the interactions per second of wall time; 0 if no time has passed.
double interactions_per_second(double interactions, double wall_seconds);

}  // namespace apsis::run
