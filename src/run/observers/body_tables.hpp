// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/parameter.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/run/observer.hpp>
#include <apsis/simulation/simulation.hpp>

namespace apsis::run {

/// Returns the row of the body with this id or name; nothing if there is none or it is gone.
std::optional<std::size_t> find_body(HostBodies const& bodies, std::string const& word);
/// Throws a bad-input error unless a body has this id or name. `where`: key below `diagnostics`.
void check_body(HostBodies const& bodies, std::string const& word, std::string const& where);

/// The same for all ids or names in a text such as "A, 3".
void check_words(HostBodies const& bodies, std::string const& words, std::string const& where);
/// Returns the rows of the bodies in such a text, without those that are gone.
std::vector<std::size_t> rows_in(HostBodies const& bodies, std::string const& words);

/// Throws a bad-input error unless bodies have all of these ids.
void check_ids(HostBodies const& bodies, std::vector<double> const& ids, std::string const& where);
/// Returns the rows of the bodies with these ids that are there; all rows if `ids` is empty.
std::vector<std::size_t> rows_of(HostBodies const& bodies, std::vector<double> const& ids);

/// Parameter `bodies` of tables: ids.
Parameter body_ids_parameter();
/// Parameter `names` of tables: whether they end with the column name_column().
Parameter names_parameter();
bool has_names(Values const& values);
TableColumn id_column();
TableColumn name_column();

deck::DiagnosticEntry orbital_elements_table();
deck::DiagnosticEntry trajectories_table();
deck::DiagnosticEntry nearest_bodies_table();
deck::DiagnosticEntry transits_table();

// Tables of star clusters.
deck::DiagnosticEntry lagrangian_radii_table();
deck::DiagnosticEntry structure_table();
deck::DiagnosticEntry binaries_table();
deck::DiagnosticEntry escapers_table();

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
  virtual void exchange(SavedState& state) = 0;
};

}  // namespace apsis::run
