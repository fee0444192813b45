// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/poll.hpp>
#include <apsis/run/observer.hpp>

#include <memory>
#include <string>
#include <vector>

namespace apsis::run {

/// Wall time of a run by part [s]. Nothing waits for a device in order to be measured. Kernels on a
/// GPU run behind the host: `forces` and `kicks_and_drifts` are then the times of their launches,
/// and `device` is the time in which the host waited for them.
struct PartSeconds {
  double forces = 0.0;            ///< of steps, with the potentials that come with them
  double kicks_and_drifts = 0.0;  ///< the rest of the steps; for few bodies with their forces
  double device = 0.0;            ///< until steps are complete and checked to be finite
  double diagnostics = 0.0;       ///< conserved quantities and tables
  double copies = 0.0;            ///< of the bodies for snapshots and checkpoints
  double files = 0.0;             ///< that the run waits for, and pictures

  PartSeconds& operator+=(PartSeconds const& more) {
    forces += more.forces;
    kicks_and_drifts += more.kicks_and_drifts;
    device += more.device;
    diagnostics += more.diagnostics;
    copies += more.copies;
    files += more.files;
    return *this;
  }
  double sum() const { return forces + kicks_and_drifts + device + diagnostics + copies + files; }
};

/// Adds the time of its life to a part.
class PartTimer {
 public:
  explicit PartTimer(double& seconds) : seconds_(seconds) {}
  ~PartTimer() { seconds_ += watch_.seconds(); }
  PartTimer(PartTimer const&) = delete;
  PartTimer& operator=(PartTimer const&) = delete;

 private:
  double& seconds_;
  Stopwatch watch_;
};

struct RunRecord;

/// The observers of a run, the files they write, and the callback for warnings. An error in an
/// observer is handled by its own error policy. `run` and `directory` must outlive this object.
class RunOutput {
 public:
  /// Writes the resolved deck and creates the standard observers. For a resumed run (`resumed`) all
  /// files are cut back to the state of the checkpoint first. Throws an input/output error.
  RunOutput(deck::Configuration const& run, RunDirectory& directory, std::string resolved_deck,
            Display display = {}, RunRecord const* resumed = nullptr);
  RunOutput(RunOutput const&) = delete;
  RunOutput& operator=(RunOutput const&) = delete;

  /// Adds the observer that `make` returns; `make` receives the error policy for its background
  /// work. States are passed to the observers in the order in which they were added. `part`: part
  /// of the wall time to which its observations are added; null: none.
  template <class Make>
  void add(std::string name, OnError on_error, Make const& make,
           double PartSeconds::*part = nullptr) {
    auto error_policy = std::make_unique<ErrorPolicy>(std::move(name), on_error, warn);
    auto observer = make(*error_policy);
    entries_.push_back({std::move(error_policy), std::move(observer), part});
  }

  /// Whether an observer is due at this state.
  bool is_due(RunStatus const& status, Occasion occasion) const;
  /// Returns the next step after `step` at which is_due() and updates must be called.
  std::uint64_t next_step(std::uint64_t step) const;
  /// Passes the state to all observers that are due. The first state confirms the start of a run.
  void observe(simulation::Instant& now, RunStatus const& status, Occasion occasion);

  /// Whether a stop request interrupted a scheduled observation of this state.
  bool has_deferred() const;
  /// Passes the state again to the observers that were interrupted.
  void observe_deferred(simulation::Instant& now, RunStatus const& status);

  /// Calls a member function of every observer: notify(&Observer::note, "words").
  template <class... Parameters, class... Arguments>
  void notify(void (Observer::*member)(Parameters...), Arguments const&... arguments) {
    for (auto& [error_policy, observer, part] : entries_) {
      error_policy->attempt([&, &entry = *observer] { (entry.*member)(arguments...); });
    }
  }

  // An error below makes the checkpoint, or the end of the run, fail.

  /// Writes everything to the disk that a checkpoint relies on.
  void sync();
  /// Adds the present extent of the files to the record of a checkpoint.
  void record_progress(RunRecord& record) const;
  /// Saves or restores the other state of the observers.
  void exchange(SavedState& state);
  /// Whether the last work of an observer with this name failed. Call after Observer::wait().
  bool failed_last(std::string const& name) const;
  /// Ends the output of a run: writes everything to the disk and reports every failure.
  void finish();

  RunDirectory& directory;
  std::string deck;   ///< resolved
  PartSeconds parts;  ///< wall time of the observations so far
  bool is_shown;      ///< a progress display is shown to a user
  WarningHandler warn = [](Problem const&) {};

 private:
  using Part = double PartSeconds::*;
  struct Entry {
    std::unique_ptr<ErrorPolicy> error_policy;
    std::unique_ptr<Observer> observer;
    Part part;
  };
  void show(Entry& entry, simulation::Instant& now, RunStatus const& status, Occasion occasion);

  std::vector<Entry> entries_;
};

}  // namespace apsis::run
