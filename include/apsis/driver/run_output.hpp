// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/observer.hpp>
#include <apsis/driver/run_record.hpp>

#include <memory>
#include <string>
#include <vector>

namespace apsis::driver {

/// The observers of a run, the files they write, and the callback for warnings. An error in an
/// observer is handled by its own error policy. `run` and `directory` must outlive this object.
class RunOutput {
 public:
  /// Writes the resolved deck and creates the standard observers. For a resumed run (`resumed`) all
  /// files are cut back to the state of the checkpoint first. Throws an input/output error.
  RunOutput(Configuration const& run, RunDirectory& directory, std::string resolved_deck,
            Display display = {}, RunRecord const* from = nullptr);
  RunOutput(RunOutput const&) = delete;
  RunOutput& operator=(RunOutput const&) = delete;

  /// Adds the observer that `make` returns; `make` receives the error policy for its background
  /// work. States are passed to the observers in the order in which they were added.
  template <class Make>
  void add(std::string name, OnError on_error, Make const& make) {
    auto tolerance = std::make_unique<Tolerance>(std::move(name), on_error, warn);
    auto observer = make(*tolerance);
    all_.push_back({std::move(tolerance), std::move(observer)});
  }

  /// Whether an observer is due at this state; passes the state to all that are. After the first
  /// state has been observed, the start of the run is confirmed in the directory.
  bool due(Standing const& at, Occasion why) const;
  void see(Instant& now, Standing const& at, Occasion why);

  /// Whether a stop request interrupted a scheduled observation of this state; passes the state to
  /// these observers again.
  bool owes() const;
  void see_owed(Instant& now, Standing const& at);

  /// Calls a member function of every observer: notify(&Observer::note, "words").
  template <class... Taken, class... Given>
  void each(void (Observer::*member)(Taken...), Given const&... given) {
    for (auto& [tolerance, observer] : all_) {
      tolerance->attempt([&, &one = *observer] { (one.*member)(given...); });
    }
  }

  // An error below makes the checkpoint, or the end of the run, fail.

  /// Writes everything to the disk that a checkpoint relies on.
  void sync();
  /// Adds the present extent of the files to the record of a checkpoint, and saves or restores the
  /// other state of the observers.
  void tell(RunRecord& record) const;
  void exchange(SavedState& state);
  /// Whether the last work of the observers of this name failed. Call after wait().
  bool failed_last(std::string const& what) const;
  /// Ends the output of a run: writes everything to the disk and reports every failure.
  void finish();

  RunDirectory& directory;
  std::string deck;  ///< resolved
  bool is_shown;     ///< a progress display is shown to a user
  Warn warn = [](Problem const&) {};

 private:
  struct Watched {
    std::unique_ptr<Tolerance> tolerance;
    std::unique_ptr<Observer> observer;
  };
  void show(Watched& one, Instant& now, Standing const& at, Occasion why);

  std::vector<Watched> all_;
};

}  // namespace apsis::driver
