// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/run/observer.hpp>
#include <apsis/run/part_seconds.hpp>
#include <apsis/run/run_record.hpp>

#include <memory>
#include <string>
#include <vector>

namespace apsis::run {

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
  /// Returns the next step after `step` at which is_due() and the updates of observers must be
  /// called.
  std::uint64_t next_step(std::uint64_t step) const;
  /// Passes the state to all observers that are due. After the first state of a run, confirms its
  /// start in the directory.
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
