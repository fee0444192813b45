// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/extra_entry.hpp>
#include <apsis/run/loop.hpp>

/// Facts of a run that both the summary for the terminal and summary.json state.
namespace apsis::run {

forces::ConservedSums const& conserved_sums(Outcome const& outcome);

/// Whether massless bodies, if there are any, are judged by a limit. Sums over all bodies do not
/// include them; their own energies are judged.
bool massless_judged(deck::Configuration const& run, Outcome const& outcome);

/// Names of the forces besides gravity: "oblate, external"; empty if there are none.
std::string force_names(deck::Configuration const& run);

/// Names the sums that forces besides gravity change, which no limit judges: "momentum, angular
/// momentum"; empty if all is conserved.
std::string changed_sums(forces::ConservedSums const& conserved);

/// Returns the status of the run in one word: "conserved", "not_judged", ...
std::string status_word(deck::Configuration const& run, Outcome const& outcome);

/// Whether a massless body had a passage that the steps did not resolve.
bool is_beyond_resolution(Outcome const& outcome);

/// Returns the unit of a quantity with a leading space; empty in dimensionless units.
std::string unit_suffix(Units const& units, Dimension dimension);

}  // namespace apsis::run
