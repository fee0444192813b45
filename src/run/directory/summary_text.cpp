// SPDX-License-Identifier: Apache-2.0
#include "core/signals.hpp"
#include "summary_facts.hpp"
#include <apsis/core/text.hpp>
#include <apsis/simulation/leader.hpp>

namespace apsis::run {

namespace {

/// One line on forces besides gravity.
std::string forces_words(deck::Configuration const& run, Outcome const& outcome) {
  auto words = force_names(run);
  std::string without_potential;
  for (auto const& force : run.forces) {
    if (force.entry->has_potential) continue;
    without_potential += (without_potential.empty() ? "" : ", ") + force.entry->name;
  }
  auto const changed = changed_sums(conserved_sums(outcome));
  if (!changed.empty()) words += "; they change, so not judged: " + changed;
  if (!without_potential.empty()) words += "; without a potential: " + without_potential;
  return words;
}

/// Describes a stop: "encounter: bodies 3 and 7 at 0.01 pc", "escape: body 7 at 12.5 pc from the
/// centre of mass".
std::string stop_words(Units const& units, Stop const& stop) {
  auto const distance = formatted("%.6g", stop.distance) + unit_suffix(units, dimension::length);
  if ((stop.reason == StopReason::encounter || stop.reason == StopReason::collision) &&
      stop.ids.size() == 2) {
    return name_of(stop.reason) + ": bodies " + std::to_string(stop.ids.front()) + " and " +
           std::to_string(stop.ids.back()) + " at " + distance;
  }
  if (stop.reason == StopReason::escape) {
    return "escape: body " + std::to_string(stop.ids.front()) + " at " + distance +
           " from the centre of mass";
  }
  if (stop.reason == StopReason::signal) return signal_name(stop.signal);
  return name_of(stop.reason);
}

/// Describes the scale of relative energy errors: "|E0| in the centre-of-mass frame".
std::string measure_words(diagnostics::Conservation const& conservation) {
  using diagnostics::EnergyMeasure;
  auto const measure = conservation.energy_scale.measure;
  auto const formula = formula_of(measure) + " " + frame_of(conservation);
  if (measure == EnergyMeasure::energy) return formula;
  if (measure == EnergyMeasure::none) return "1: K0 and W0 are 0, a change is absolute";
  return formula + ": |E0| is less than a tenth of it";
}

/// Compares an error with its limit. `key`: deck key of the limit.
std::string compare_with_limit(double error, std::string const& unit, std::optional<double> limit,
                               char const* key, bool is_conserved, Outcome const& outcome) {
  auto const measured = formatted("%.3e%s  ", error, unit.c_str());
  if (!is_conserved) return measured + "(not judged: forces besides gravity change it)";
  if (limit && error <= *limit && is_beyond_resolution(outcome)) {
    return measured + formatted("(limit %.3g; of the massive bodies alone, see massless)", *limit);
  }
  if (!limit) return measured + "(not judged: the deck has no conservation." + key + ")";
  return measured + formatted("%s the limit %.3g", error <= *limit ? "within" : "EXCEEDS", *limit);
}

/// Returns a note if rank 0 waited for the other ranks most of the time.
std::optional<std::string> waiting_remark(deck::Configuration const& run, Outcome const& outcome) {
  constexpr double large_share = 0.5, long_wait = 1.0;  // [s]
  if (!run.leader || outcome.waiting_share < large_share || outcome.waiting_seconds < long_wait) {
    return std::nullopt;
  }
  auto const oversubscription = run.leader->oversubscription();
  return formatted("rank 0 waited for other ranks for %.0f %% of the time",
                   100.0 * outcome.waiting_share) +
         " (" + (oversubscription.empty() ? "few bodies, or busy processors" : oversubscription) +
         "): fewer ranks may be faster";
}

}  // namespace

std::string summary_text(deck::Configuration const& run, Outcome const& outcome,
                         std::string const& directory) {
  auto const& conservation = outcome.conservation;
  auto const unit = [&](Dimension dimension) { return unit_suffix(run.units, dimension); };
  std::string text = std::to_string(run.bodies.count()) + " bodies, " +
                     std::to_string(outcome.steps) + " steps, t = " +
                     run.units.with_short_unit(shortest(run.time(outcome.steps)), dimension::time) +
                     formatted(", %.3g s, %.3g interactions/s\n", outcome.wall_seconds,
                               interactions_per_second(outcome.interactions, outcome.wall_seconds));
  text += formatted("energy           %.12g -> %.12g%s\n", conservation.initial_judged_energy(),
                    conservation.final_judged_energy(), unit(dimension::energy).c_str());
  text += "  measured by    " + measure_words(conservation) + "\n";
  text += "  max |dE/E|     " +
          compare_with_limit(conservation.max_relative_energy_error, "",
                             run.limits.max_relative_energy_error, "max_relative_energy_error",
                             conserved_sums(outcome).energy, outcome) +
          "\n";
  text += "momentum\n  max |dP|       " +
          compare_with_limit(conservation.max_momentum_error, unit(dimension::momentum),
                             run.limits.max_momentum_error, "max_momentum_error",
                             conserved_sums(outcome).momentum, outcome) +
          "\n";
  if (!run.forces.empty()) text += "forces           " + forces_words(run, outcome) + "\n";
  if (auto const& errors = outcome.force_errors) {
    text += formatted(
        "forces           99 %% of a sample within %.2g, at worst %.2g (requested: %.2g)\n",
        errors->measured, errors->worst, errors->requested);
  }
  if (outcome.massless.count > 0) {
    text += "massless         " + std::to_string(outcome.massless.count) + ", " +
            (massless_judged(run, outcome) ? "judged by the energy of each"
             : outcome.massless.measured   ? "not judged: the deck sets no limit of energy"
                                           : "not judged: in a changing field their energies "
                                             "are not conserved") +
            "\n";
    if (outcome.passage) {
      text += "  coarsest       " + passage_words(run, *outcome.passage) + "\n";
    }
  }
  if (run.events.any()) {
    auto const& events = outcome.events;
    text += "events           " + std::to_string(events.collisions) + " collisions, " +
            std::to_string(events.merged) + " bodies merged, " + std::to_string(events.removed) +
            " removed, " + std::to_string(events.encounters) +
            formatted(" encounters; moved energy %.6g", outcome.conservation.last.moved.energy) +
            unit(dimension::energy) + "\n";
  }
  if (outcome.stop.reason != StopReason::end) {
    text += "stopped          " + stop_words(run.units, outcome.stop) + "\n";
  }
  if (outcome.retries > 0) {
    text += formatted("retries          %d, each with half the step\n", outcome.retries);
  }
  if (outcome.checkpoint) {
    text += "checkpoint       after step " + std::to_string(*outcome.checkpoint) + "\n";
  }
  text += "status           " + status_word(run, outcome) + "\n";
  if (auto const remark = summary_remark(run, outcome))
    text += "note             " + *remark + "\n";
  if (auto const remark = waiting_remark(run, outcome))
    text += "note             " + *remark + "\n";
  text += "output           " + printable(directory) + "\n";
  return text;
}

}  // namespace apsis::run
