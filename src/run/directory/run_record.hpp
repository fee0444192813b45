// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/checkpoint.hpp"
#include "files/file.hpp"
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/run/session.hpp>
#include <apsis/simulation/measurements.hpp>

namespace apsis::run {

/// First part of every checkpoint: identity of the run, and the progress of the run and its files.
struct RunRecord {
  std::string deck;        ///< resolved
  std::string executable;  ///< version, commit, backend, compiler and Kokkos of the executable
  std::string uuid;        ///< of the run, the same when it is resumed
  std::string start;       ///< UTC time at which the run began, see utc_now()
  simulation::BodiesIdentity bodies;
  std::uint64_t step = 0;
  double wall_seconds = 0.0;              ///< with earlier processes of a resumed run
  std::uint64_t snapshots = 0;            ///< snapshot numbers used so far
  std::uint64_t committed_snapshots = 0;  ///< at the last commit, for a roll-back
  files::LineFile::Written log;           ///< conservation.csv
  std::vector<std::string> table_files;
  std::vector<files::LineFile::Written> tables;  ///< of table_files

  void exchange(SavedState& state);
  /// Returns size and digest of each table in a line, to identify the tables of a finished run.
  std::string tables_text() const;
};

/// Returns a random UUID (RFC 9562, version 4): "3f2b6c1e-...".
std::string make_uuid();
/// Returns the present time in UTC (RFC 3339): "2026-11-26T19:04:05Z".
std::string utc_now();

/// State from which a run is resumed.
struct Resumption {
  files::Generation generation;
  RunRecord record;
  SavedState state;              ///< the part after the record is still to be restored
  std::vector<Problem> remarks;  ///< to be shown as warnings
};

/// Returns the newest complete generation of checkpoints with intact files. Modifies nothing.
/// Throws an input/output error if no checkpoint was committed, and a bad-input error if none is
/// valid or if the deck has changed, with every difference.
Resumption find_resumption(deck::ConfiguredDeck const& deck, RunDirectory const& directory,
                           DeckChange change);

/// Returns the run in the directory if it is finished, has this same deck, and its files are
/// unchanged: then there is nothing to resume. Reads its tables and its newest checkpoint.
std::optional<FinishedRun> finished_run(deck::ConfiguredDeck const& deck,
                                        RunDirectory const& directory);

}  // namespace apsis::run
