// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/run/observer.hpp>
#include <apsis/simulation/simulation.hpp>

#include <vector>

namespace apsis::run {

/// Source of rows of a table of events, such as transits, that follows every step of the deck.
class StepRows {
 public:
  virtual ~StepRows() = default;

  /// Returns the events since the previous call, each a row that begins with step and time. The
  /// first call, at the start of a run, returns none.
  virtual std::vector<std::vector<deck::Cell>> rows(simulation::Instant& now,
                                                    RunStatus const& status) = 0;
  /// Accepts the present state: the run can roll back to it.
  virtual void commit() = 0;
  /// Restores the state of the last commit().
  virtual void discard() = 0;
  /// Saves or restores the state that the next call needs.
  virtual void exchange(SavedState& state) = 0;
};

}  // namespace apsis::run
