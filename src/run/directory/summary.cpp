// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include "core/signals.hpp"
#include <apsis/core/text.hpp>
#include <apsis/simulation/leader.hpp>

namespace apsis::run {

forces::ConservedSums const& conserved_sums(Outcome const& outcome) {
  return outcome.conservation.last.conserved;
}

namespace {

/// Whether the energy is judged by a limit.
bool energy_judged(deck::Configuration const& run, Outcome const& outcome) {
  return run.limits.max_relative_energy_error && conserved_sums(outcome).energy;
}

/// Note on an energy error that is plainly too large, and within the limit if there is one.
std::optional<std::string> energy_remark(deck::Configuration const& run, Outcome const& outcome) {
  constexpr double noted_error = 0.1;
  auto const& conserved = outcome.conservation;
  double const error = conserved.max_relative_energy_error;
  auto const& limit = run.limits.max_relative_energy_error;
  if (!(error > noted_error) || (limit && error > *limit)) return std::nullopt;
  if (!conserved_sums(outcome).energy) return std::nullopt;
  bool const is_massless_body = conserved.max_test_particle_energy_error == error;
  return std::string(is_massless_body ? "the energy of a massless body" : "the energy") +
         " changed by " + formatted(error < 1e4 ? "%.0f %%" : "%.2e %%", 100.0 * error) +
         (limit ? ", within the limit of the deck" : "") +
         ": the results of this run are not reliable; use shorter steps or softening, and " +
         (limit ? "a smaller" : "set") + " conservation.max_relative_energy_error";
}

/// Returns a note if the solver did not reach the requested accuracy.
std::optional<std::string> forces_remark(Outcome const& outcome) {
  auto const& errors = outcome.force_errors;
  if (!errors || errors->worst <= errors->requested) return std::nullopt;
  return formatted(
      "99 %% of the accelerations had errors of at most %.2g at the worst check of the run (%.2g "
      "at the last one), but %.2g was requested: use the solver 'direct', precision 'double' or a "
      "smaller gravity.accuracy",
      errors->worst, errors->measured, errors->requested);
}

/// Advice on a passage beyond resolution.
std::string advice_on_passage(simulation::CoarsestPassage const& passage) {
  using Kind = simulation::CoarsestPassage::Kind;
  if (passage.kind != Kind::step) {
    return std::string(": the orbits are not reliable afterwards; use ") +
           (passage.kind == Kind::pericentre ? "shorter steps or " : "") + "'gauss_radau15'";
  }
  return ": the orbit of this body is not reliable; use shorter steps";
}

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

/// "encounter: bodies 3 and 7 at 0.01 pc", "escape: body 7 at 12.5 pc from the centre of mass".
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

std::string passage_words(deck::Configuration const& run,
                          simulation::CoarsestPassage const& passage) {
  auto const distance =
      formatted("%.4g", passage.distance) + unit_suffix(run.units, dimension::length);
  auto const time = formatted("%.6g", passage.time) + unit_suffix(run.units, dimension::time);
  using Kind = simulation::CoarsestPassage::Kind;
  auto const name = run.integrator.entry->name;
  if (passage.kind == Kind::encounter) {
    return "body " + std::to_string(passage.body) + " came within three Hill radii of body " +
           std::to_string(passage.massive) + ", at " + distance + " at time " + time + ", which '" +
           name + "' does not resolve";
  }
  if (passage.kind == Kind::pericentre) {
    return "body " + std::to_string(passage.body) + " has its pericentre at " + distance +
           " from body " + std::to_string(passage.massive) +
           formatted(" at time %s, with %.3g of the 12 steps in its passage that '%s' needs",
                     time.c_str(), 12.0 / passage.measure, name.c_str());
  }
  auto text = "body " + std::to_string(passage.body) + " passed body " +
              std::to_string(passage.massive) + " at " + distance + " at time " + time +
              formatted(": dt sqrt(G m / r^3) = %.3g, ", passage.measure);
  return text + (passage.is_resolved()
                     ? formatted("resolved up to %.2g", passage.limit)
                     : formatted("beyond resolution, which ends at %.2g", passage.limit));
}

std::optional<std::string> summary_remark(deck::Configuration const& run, Outcome const& outcome) {
  std::string notes;
  auto const add = [&](std::optional<std::string> const& remark) {
    if (remark) notes += (notes.empty() ? "" : "; ") + *remark;
  };
  add(energy_remark(run, outcome));
  auto const& passage = outcome.passage;
  bool const is_noted = passage && !passage->is_resolved();
  if (is_noted && (outcome.exit == ExitStatus::conserved || !passage->is_massless)) {
    add(passage_words(run, *passage) + advice_on_passage(*passage));
  }
  if (notes.empty()) add(forces_remark(outcome));
  return notes.empty() ? std::nullopt : std::optional(notes);
}

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
             : outcome.massless.measured
                 ? "not judged: the deck sets no limit of energy"
                 : "not judged: in a changing field their energies are not conserved") +
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
