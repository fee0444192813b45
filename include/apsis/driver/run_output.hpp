// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>
#include <apsis/driver/diagnostic_tables.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/io/file.hpp>

#include <functional>
#include <string>

namespace apsis::driver {

/// What a run writes to its directory while it runs, and whom it warns. `run` and `directory` must
/// outlive it.
struct RunOutput {
  /// A new run: writes the resolved deck, and the log and the tables with their headers. Throws an
  /// input/output error.
  RunOutput(Configuration const& run, RunDirectory const& directory, std::string resolved_deck);
  /// A run that goes on: everything is cut back to where it was.
  RunOutput(Configuration const& run, RunDirectory const& directory, std::string resolved_deck,
            RunRecord const& from);

  /// Brings to the disk what a checkpoint relies on.
  void sync();
  /// The end of a run: everything is on the disk, and every failure has been heard of.
  void finish();
  /// How far the files are, to be written into a checkpoint.
  void tell(RunRecord& record) const;

  RunDirectory const& directory;
  std::string deck;  ///< resolved
  io::LineFile log;  ///< conservation.csv
  DiagnosticTables tables;
  std::function<void(Problem const&)> warn = [](Problem const&) {};
};

}  // namespace apsis::driver
