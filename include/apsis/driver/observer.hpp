// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/driver/tolerance.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>

namespace apsis {
class SavedState;
}
namespace apsis::diagnostics {
struct Conservation;
}

namespace apsis::driver {

class Instant;
struct RunRecord;

/// How a run stands.
struct Standing {
  std::uint64_t step;            ///< of the deck: the last one that was taken
  std::uint64_t steps;           ///< of the whole run
  double time;                   ///< simulated [time]
  double relative_energy_error;  ///< when it was measured last
  double wall_seconds;           ///< of all processes that worked on the run
  /// What was measured so far against the start of the run; null if no run stands behind it.
  diagnostics::Conservation const* conserved = nullptr;
  /// Estimate of the wall time of the steps after the first one here [s]; 0: none was made.
  double expected_seconds = 0.0;
  std::uint64_t first_step = 0;   ///< at which this process began
  double own_wall_seconds = 0.0;  ///< of this process
};

/// Why a state is shown: a schedule asks for it; or it is the last one, of a run that is at its end
/// or was interrupted and may go on later, and is shown to those whom no schedule has shown it.
enum class Occasion { scheduled, end, interruption };

/// Somebody who looks at a run: a log, tables, snapshots, progress. What an error in one comes to
/// is said where it is added to RunOutput. None of them may make the run wait for more
/// than a copy; what takes long is done in a thread, see Background.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Whether this state, of which only the standing is known yet, is to be shown. What a schedule
  /// of steps asks for may not depend on the clock.
  virtual bool due(Standing const& /*at*/, Occasion /*why*/) const { return false; }
  /// Shows a state that is due and is sound. If the log has a line of it, that is measured already.
  virtual void see(Instant& /*now*/, Standing const& /*at*/, Occasion /*why*/) {}
  /// Whether a stop request may interrupt see(), which then is called again when the run goes on.
  virtual bool can_be_put_off() const { return false; }
  /// Remembers, in exchange(), that a scheduled see() of this state was interrupted.
  virtual void put_off() {}
  /// Whether that is so.
  virtual bool is_owed() const { return false; }
  /// Called after every step, due or not, and many times a second while the run pauses: cheap, and
  /// never looks at the bodies, which may not be finite.
  virtual void pass(Instant const& /*now*/, Standing const& /*at*/) {}
  /// Something that happened to the run, in words.
  virtual void note(std::string const& /*line*/) {}

  /// The present was measured and counts, and so does all that was seen up to it.
  virtual void keep() {}
  /// The run goes back to the last keep(): what was seen since counts no more.
  virtual void forget() {}
  /// Removes from the disk what was forgotten; nothing relies on it any more.
  virtual void cut() {}

  /// Waits until what it does meanwhile is done.
  virtual void settle() {}
  /// Whether it is not known yet if all that it was shown went well: settle() would tell.
  virtual bool busy() const { return false; }
  /// Brings to the disk what a checkpoint relies on, after settle().
  virtual void sync() {}
  /// How far its files are, for a checkpoint.
  virtual void tell(RunRecord& /*record*/) const {}
  /// What it has to remember besides.
  virtual void exchange(SavedState& /*state*/) {}

  /// The run is over.
  virtual void end(Instant const& /*now*/, Standing const& /*at*/) {}
  /// Closes its files: the last chance to hear of a failed write.
  virtual void close() {}
};

// The observers that a run has of itself; RunOutput says which of them, and what an error in each
// comes to. Those with files throw input/output errors.

enum class ProgressStyle {
  none,
  terminal,  ///< one line, rewritten a few times a second
  lines,     ///< a plain line now and then, for pipes and batch logs
};

/// Where a run shows its progress.
struct Display {
  ProgressStyle style = ProgressStyle::none;
  std::ostream* out = nullptr;  ///< not used for the style none
};

/// What an observer may know of its run; all of it outlives the observer.
struct Surroundings {
  Configuration const& run;
  RunDirectory const& directory;
  std::string const& deck;          ///< resolved
  RunRecord const* from = nullptr;  ///< of a run that goes on: how far its files had come
};

/// conservation.csv: a line of every time that is measured.
std::unique_ptr<Observer> conservation_log(Surroundings const& of);

/// The table that a diagnostic grows row by row: at the start, at every interval and at the last
/// step. Rows are kept back until the conservation log says what their time is worth.
std::unique_ptr<Observer> diagnostic_table(Surroundings const& of, PlannedDiagnostic const& plan);

/// snapshot_NNNNNN.h5, written in the background: at the start and at every interval if there is
/// one, and at the end if the final state is wanted.
/// Errors in the background are told to `tolerance`, which must outlive the observer.
std::unique_ptr<Observer> snapshots(Surroundings const& of, Tolerance& tolerance);

/// pictures/NAME_NNNNNN.png, taken where the bodies are and written in the background: at the
/// start, at every interval and at the end. Errors in the background are told to `tolerance`, which
/// must outlive the observer.
std::unique_ptr<Observer> pictures(Surroundings const& of, PlannedPictures const& plan,
                                   Tolerance& tolerance);

/// Shows step, time, percent, energy error, interactions per second and time left.
std::unique_ptr<Observer> progress(Display display);

}  // namespace apsis::driver
