// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/saved_state.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/io/checkpoint.hpp>
#include <apsis/io/file.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace apsis::driver {

/// What identifies a set of bodies whatever has moved them.
struct BodiesIdentity {
  std::uint64_t count = 0;
  std::uint64_t ids = 0;  ///< SetDigest
  double mass = 0.0;      ///< total, summed in the order of the bodies [mass]

  void exchange(SavedState& state);
  friend bool operator==(BodiesIdentity const&, BodiesIdentity const&) = default;
};

/// The first part of every checkpoint: whose it is, and how far the run and its files had come.
struct RunRecord {
  std::string deck;     ///< resolved
  std::string made_by;  ///< version, commit, backend, compiler and Kokkos of the executable
  BodiesIdentity bodies;
  std::uint64_t step = 0;
  double wall_seconds = 0.0;         ///< of all processes that have worked on the run
  std::uint64_t snapshots = 0;       ///< numbers used
  std::uint64_t kept_snapshots = 0;  ///< when a state to go back to was kept
  io::LineFile::Written log;         ///< conservation.csv
  std::vector<std::string> table_files;
  std::vector<io::LineFile::Written> tables;  ///< of these files

  void exchange(SavedState& state);
  /// Size and digest of each table, in a line: how a run that is finished left them.
  std::string tables_text() const;
};

/// What RunRecord::made_by says of this executable.
std::string this_executable();

/// A state that a run goes on from.
struct Resumption {
  io::Generation generation;
  RunRecord record;
  SavedState state;              ///< what follows the record is still to be restored
  std::vector<Problem> remarks;  ///< what is worth a warning
};

/// Whether changes of the deck are allowed that leave the run what it is: its end, its outputs and
/// its limits. A later end always is.
enum class DeckChange { refuse, allow_safe };

/// The newest generation of checkpoints that is whole and whose files are. Changes nothing. Throws
/// an input/output error if none was committed, and a bad-input error if none is good or the deck
/// is another one, with every difference.
Resumption find_resumption(ConfiguredDeck const& deck, RunDirectory const& directory,
                           DeckChange change);

/// A run that came to its own end.
struct FinishedRun {
  ExitStatus exit;
  std::string status;   ///< as in summary.json
  std::string problem;  ///< why the exit status is not 0
  std::uint64_t steps;
  double time;  ///< [time]
};

/// The run in the directory if it is finished, of this very deck, and still as it was left: there
/// is nothing to go on with. Reads its tables and its newest checkpoint.
std::optional<FinishedRun> finished_run(ConfiguredDeck const& deck, RunDirectory const& directory);

}  // namespace apsis::driver
