// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>
#include <apsis/driver/observer_entry.hpp>
#include <apsis/driver/observers.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/driver/run_record.hpp>

#include <string>

namespace apsis::driver {

/// What a run writes to its directory and shows while it runs, and whom it warns. `run` and
/// `directory` must outlive it.
struct RunOutput {
  /// Writes the resolved deck, and begins what the table of observers has for the run; or, of a run
  /// that goes on, cuts everything back to where it was. Throws an input/output error.
  RunOutput(Configuration const& run, RunDirectory const& directory, std::string resolved_deck,
            Display display = {}, RunRecord const* from = nullptr);
  RunOutput(RunOutput const&) = delete;
  RunOutput& operator=(RunOutput const&) = delete;

  /// Brings to the disk what a checkpoint relies on.
  void sync();
  /// The end of a run: everything is on the disk, and every failure has been heard of.
  void finish();
  /// How far the files are, to be written into a checkpoint.
  void tell(RunRecord& record) const;

  RunDirectory const& directory;
  std::string deck;  ///< resolved
  Warn warn = [](Problem const&) {};
  Observers observers{warn};
};

}  // namespace apsis::driver
