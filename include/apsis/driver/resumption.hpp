// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/io/checkpoint.hpp>

#include <vector>

namespace apsis::driver {

/// A state that a run goes on from.
struct Resumption {
  io::Generation generation;
  RunRecord record;
  SavedState state;              ///< what follows the record is still to be restored
  std::vector<Problem> remarks;  ///< what is worth a warning
};

/// Whether changes of the deck are allowed that leave the run what it is: its end, its outputs and
/// its limits.
enum class DeckChange { refuse, allow_safe };

/// The newest generation of checkpoints that is whole and whose files are. Changes nothing. Throws
/// an input/output error if none was committed, and a bad-input error if none is good or the deck
/// is another one, with every difference.
Resumption find_resumption(ConfiguredDeck const& deck, RunDirectory const& directory,
                           DeckChange change);

}  // namespace apsis::driver
