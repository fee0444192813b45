// SPDX-License-Identifier: Apache-2.0
#include "summary_facts.hpp"

namespace apsis::run {

forces::ConservedSums const& conserved_sums(Outcome const& outcome) {
  return outcome.conservation.last.conserved;
}

namespace {

/// Whether the energy is judged by a limit.
bool energy_judged(deck::Configuration const& run, Outcome const& outcome) {
  return run.limits.max_relative_energy_error && conserved_sums(outcome).energy;
}

}  // namespace

bool massless_judged(deck::Configuration const& run, Outcome const& outcome) {
  auto const& massless = outcome.massless;
  return massless.count == 0 || (massless.measured && energy_judged(run, outcome));
}

std::string force_names(deck::Configuration const& run) {
  std::string names;
  for (auto const& force : run.forces) names += (names.empty() ? "" : ", ") + force.entry->name;
  return names;
}

std::string changed_sums(forces::ConservedSums const& conserved) {
  std::string words;
  auto const add = [&](bool is_conserved, char const* word) {
    if (!is_conserved) words += (words.empty() ? "" : ", ") + std::string(word);
  };
  add(conserved.energy, "energy");
  add(conserved.momentum, "momentum");
  add(conserved.angular_momentum, "angular momentum");
  return words;
}

std::string status_word(deck::Configuration const& run, Outcome const& outcome) {
  bool const judged = (energy_judged(run, outcome) ||
                       (run.limits.max_momentum_error && conserved_sums(outcome).momentum)) &&
                      massless_judged(run, outcome);
  switch (outcome.exit) {
    case ExitStatus::conserved:
      return judged ? "conserved" : "not_judged";
    case ExitStatus::not_conserved:
      return "not_conserved";
    case ExitStatus::stopped:
      return "stopped";
    default:
      return name_of(outcome.stop.reason);
  }
}

bool is_beyond_resolution(Outcome const& outcome) {
  return outcome.passage && !outcome.passage->is_resolved() && outcome.passage->is_massless;
}

std::string unit_suffix(Units const& units, Dimension dimension) {
  return units.with_short_unit("", dimension);
}

double interactions_per_second(double interactions, double wall_seconds) {
  return wall_seconds > 0.0 ? interactions / wall_seconds : 0.0;
}

}  // namespace apsis::run
