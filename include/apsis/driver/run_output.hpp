// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/observer.hpp>
#include <apsis/driver/run_record.hpp>

#include <memory>
#include <string>
#include <vector>

namespace apsis::driver {

/// Whom a run shows itself to, what they write to its directory, and whom it warns. An error in an
/// observer is what its own policy says. `run` and `directory` must outlive it.
class RunOutput {
 public:
  /// Writes the resolved deck, and begins the observers that the run has of itself; or, of a run
  /// that goes on, cuts everything back to where it was. Throws an input/output error.
  RunOutput(Configuration const& run, RunDirectory& directory, std::string resolved_deck,
            Display display = {}, RunRecord const* from = nullptr);
  RunOutput(RunOutput const&) = delete;
  RunOutput& operator=(RunOutput const&) = delete;

  /// Adds the observer that `make` makes of a tolerance for what it does in a thread. They are
  /// shown a state in the order in which they were added.
  template <class Make>
  void add(std::string name, OnError on_error, Make const& make) {
    auto tolerance = std::make_unique<Tolerance>(std::move(name), on_error, warn);
    auto observer = make(*tolerance);
    all_.push_back({std::move(tolerance), std::move(observer)});
  }

  /// Whether somebody is to be shown this state, and shows it to all who are. A run whose first
  /// state was shown has begun well.
  bool due(Standing const& at, Occasion why) const;
  void see(Instant& now, Standing const& at, Occasion why);

  /// Whether a stop request interrupted what a schedule asked for at this state, and shows it to
  /// those observers.
  bool owes() const;
  void see_owed(Instant& now, Standing const& at);

  /// Calls a member of every observer: each(&Observer::note, "words").
  template <class... Taken, class... Given>
  void each(void (Observer::*member)(Taken...), Given const&... given) {
    for (auto& [tolerance, observer] : all_) {
      tolerance->attempt([&, &one = *observer] { (one.*member)(given...); });
    }
  }

  // What fails here fails the checkpoint, or the end of the run.

  /// Brings to the disk what a checkpoint relies on.
  void sync();
  /// How far the files are, to be written into a checkpoint, and what observers remember besides.
  void tell(RunRecord& record) const;
  void exchange(SavedState& state);
  /// Whether the last work of the observers of this name failed. Call after settle().
  bool failed_last(std::string const& what) const;
  /// The end of a run: everything is on the disk, and every failure has been heard of.
  void finish();

  RunDirectory& directory;
  std::string deck;  ///< resolved
  bool is_shown;     ///< to a user, as it goes on
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
