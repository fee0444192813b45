// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/deck/configuration.hpp>
#include <apsis/run/error_policy.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis {
class SavedState;
}
namespace apsis::diagnostics {
struct Conservation;
}

namespace apsis::simulation {
class Instant;
struct Event;
}  // namespace apsis::simulation

namespace apsis::run {

class RunDirectory;
struct RunRecord;

/// Present state of a run, for progress displays and schedules.
struct RunStatus {
  std::uint64_t step;            ///< last completed step of the deck
  std::uint64_t steps;           ///< of the whole run
  double time;                   ///< simulated time [time]
  double relative_energy_error;  ///< at the last measurement
  double wall_seconds;           ///< with earlier processes of a resumed run
  /// Conservation since the start of the run; null without a run.
  diagnostics::Conservation const* conserved = nullptr;
  /// Estimated wall time of the steps after the first step of this process [s]; 0: no estimate.
  double expected_seconds = 0.0;
  std::uint64_t first_step = 0;   ///< step at which this process began
  double own_wall_seconds = 0.0;  ///< of this process
};

/// Reason for an observation: a schedule asks for it, or it is the last state of a run that has
/// reached its end or was interrupted and may be resumed. The last state is passed to those
/// observers that have not observed it on schedule.
enum class Occasion { scheduled, end, interruption };

/// Step that never comes.
inline constexpr std::uint64_t no_step = std::numeric_limits<std::uint64_t>::max();
/// Returns the first multiple of `interval` after `step`.
inline std::uint64_t next_multiple(std::uint64_t step, std::uint64_t interval) {
  return step - step % interval + interval;
}

/// Returns the first of ascending steps after `step`; no_step if there is none.
inline std::uint64_t next_listed(std::uint64_t step, std::vector<std::uint64_t> const& listed) {
  auto const next = std::upper_bound(listed.begin(), listed.end(), step);
  return next != listed.end() ? *next : no_step;
}
/// Whether a step is one of ascending steps.
inline bool is_listed(std::uint64_t step, std::vector<std::uint64_t> const& listed) {
  return std::binary_search(listed.begin(), listed.end(), step);
}

/// Observer of a run: log, table, snapshots, progress. Its error policy is set where it is added to
/// RunOutput. The run waits for its measurements and copies. Slow work on these, such as writing
/// files, is done in a thread, see Background.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Whether this state is to be observed. Called before any measurement of the state. For
  /// observers that write files it must not depend on the wall clock: a run would not be
  /// reproducible.
  virtual bool is_due(RunStatus const& /*status*/, Occasion /*occasion*/) const { return false; }
  /// Returns the next step after `step` for which is_due() and update() must be called; by default
  /// the following one. They may be called for steps before.
  virtual std::uint64_t next_step(std::uint64_t step) const { return step + 1; }
  /// Observes a due and finite state. If it is logged, its conserved quantities are measured.
  virtual void observe(simulation::Instant& /*now*/, RunStatus const& /*status*/,
                       Occasion /*occasion*/) {}
  /// Whether a stop request may interrupt observe(), which the resumed run calls again.
  virtual bool can_defer() const { return false; }
  /// Records, for exchange(), that a scheduled observation of this state was interrupted.
  virtual void defer() {}
  /// Whether an interrupted observation is pending.
  virtual bool is_deferred() const { return false; }
  /// Called after every step (see next_step()) and many times per second while the run is paused.
  /// Must be cheap and must not access the bodies, which may not be finite.
  virtual void update(simulation::Instant const& /*now*/, RunStatus const& /*status*/) {}
  /// Receives an event of the last step, in the order of time, before that state is observed.
  virtual void record(simulation::Event const& /*event*/) {}
  /// Receives a message about an event of the run.
  virtual void note(std::string const& /*line*/) {}

  /// Accepts the present state and everything observed up to it: the run can roll back to it.
  virtual void commit() {}
  /// Discards everything observed since the last commit(), because the run rolls back to it.
  virtual void discard() {}
  /// Removes the discarded data from the disk, when nothing relies on it any more.
  virtual void truncate() {}

  /// Waits for background work.
  virtual void wait() {}
  /// True while the result of background work is unknown; wait() reports it.
  virtual bool is_busy() const { return false; }
  /// Writes everything to the disk that a checkpoint relies on. Call after wait().
  virtual void sync() {}
  /// Adds the present extent of its files to the record of a checkpoint.
  virtual void record_progress(RunRecord& /*record*/) const {}
  /// Saves or restores its other state.
  virtual void exchange(SavedState& /*state*/) {}

  /// Called once at the end of the run, unless it begins again.
  virtual void end(simulation::Instant const& /*now*/, RunStatus const& /*status*/) {}
  /// Closes its files and reports failed writes.
  virtual void close() {}
};

// The standard observers of a run. RunOutput chooses them and their error policies. Observers
// with files throw input/output errors.

enum class ProgressStyle {
  none,
  terminal,  ///< one line, rewritten a few times per second
  lines,     ///< a plain line now and then, for pipes and batch logs
  json,      ///< the same lines as JSON objects, for programs
};

/// Destination and style of the progress display.
struct Display {
  ProgressStyle style = ProgressStyle::none;
  std::ostream* out = nullptr;  ///< unused for the style none
  /// Returns the number of columns of the terminal; 80 are assumed where it is not known.
  std::function<std::optional<int>()> columns{};
};

/// Data of a run for its observers. Must outlive them.
struct ObserverContext {
  deck::Configuration const& run;
  RunDirectory const& directory;
  std::string const& deck;  ///< resolved
  /// Record of the resumed checkpoint, with the extent of the files; null at a start.
  RunRecord const* resumed = nullptr;
};

/// Makes the writer of conservation.csv, one line for each measured time.
std::unique_ptr<Observer> conservation_log(ObserverContext const& context);

/// Makes the writer of a diagnostic table: rows at the start, at every interval and at the last
/// step. Rows are held back until the state of their time is accepted, see commit().
std::unique_ptr<Observer> diagnostic_table(ObserverContext const& context,
                                           deck::PlannedDiagnostic const& plan);

/// Makes the writer of events.csv, one line for each event.
std::unique_ptr<Observer> event_log(ObserverContext const& context);

/// Makes the writer of snapshot_NNNNNN.h5: at the start and at every interval if there is one, and
/// at the end if the final state is requested. Files are written in the background; `error_policy`
/// receives the errors and must outlive the observer.
std::unique_ptr<Observer> snapshots(ObserverContext const& context, ErrorPolicy& error_policy);

/// Makes the writer of pictures/NAME_NNNNNN.png: at the start, at every interval and at the end.
/// Pictures are rendered in the memory space of the bodies and written in the background;
/// `error_policy` receives the errors and must outlive the observer.
std::unique_ptr<Observer> pictures(ObserverContext const& context,
                                   deck::PlannedPictures const& plan, ErrorPolicy& error_policy);

/// Makes the display of step, time, percentage, energy error, rate and remaining time.
std::unique_ptr<Observer> progress(Display display);

}  // namespace apsis::run
