// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/build_info.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/driver/leader.hpp>
#include <apsis/driver/loop.hpp>
#include <apsis/driver/signals.hpp>
#include <apsis/io/record.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::driver {

namespace {

/// Returns the sums that the forces leave constant.
forces::ConservedSums const& conserved_sums(Outcome const& outcome) {
  return outcome.conservation.last.conserved;
}

/// Whether the energy is judged by a limit.
bool energy_judged(deck::Configuration const& run, Outcome const& outcome) {
  return run.limits.max_relative_energy_error && conserved_sums(outcome).energy;
}

/// Whether massless bodies, if there are any, are judged by a limit. Sums over all bodies do not
/// include them; their own energies are judged.
bool massless_judged(deck::Configuration const& run, Outcome const& outcome) {
  auto const& massless = outcome.massless;
  return massless.count == 0 || (massless.measured && energy_judged(run, outcome));
}

/// Names of the forces besides gravity: "oblate, external"; empty if there are none.
std::string force_names(deck::Configuration const& run) {
  std::string names;
  for (auto const& force : run.forces) names += (names.empty() ? "" : ", ") + force.entry->name;
  return names;
}

/// Names the sums that forces besides gravity change, which no limit judges: "momentum, angular
/// momentum"; empty if all is conserved.
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

Value or_null(std::optional<double> value) {
  return value ? Value(*value) : Value();
}

std::int64_t integer(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

void add_units(io::Record& record, Units const& units) {
  record.insert(record.end(), {{"units.system", units.system},
                               {"units.length", units.length},
                               {"units.mass", units.mass},
                               {"units.time", units.time},
                               {"units.velocity", units.name(dimension::velocity)},
                               {"units.velocity_in_km_s", or_null(units.velocity_in_km_s())},
                               {"units.G", units.G}});
  if (!units.si) return;
  record.insert(record.end(), {{"units.si.length", units.si->length},
                               {"units.si.mass", units.si->mass},
                               {"units.si.time", units.si->time}});
}

/// Returns the unit of a quantity with a leading space; empty in dimensionless units.
std::string unit_suffix(Units const& units, Dimension dimension) {
  return units.with_short_unit("", dimension);
}

/// Adds the reason of the stop, and the bodies that caused it with their distance.
void add_stop(io::Record& record, deck::Configuration const& run, Outcome const& outcome) {
  auto const& stop = outcome.stop;
  record.emplace_back("stop_reason", name_of(stop.reason));
  if (stop.signal != 0) record.emplace_back("stop.signal", signal_name(stop.signal));
  if (stop.ids.empty()) return;
  record.emplace_back("stop.body", integer(stop.ids.front()));
  if (stop.ids.size() > 1) record.emplace_back("stop.other_body", integer(stop.ids.back()));
  record.emplace_back("stop.distance", stop.distance);
  record.emplace_back("stop.time", run.time(outcome.steps) + stop.offset);
}

/// Adds the numbers of events, and what they have moved out of the conserved sums.
void add_events(io::Record& record, deck::Configuration const& run, Outcome const& outcome) {
  if (!run.events.any()) return;
  auto const& events = outcome.events;
  auto const& moved = outcome.conservation.last.moved;
  record.insert(record.end(), {{"events.collisions", integer(events.collisions)},
                               {"events.merged", integer(events.merged)},
                               {"events.removed", integer(events.removed)},
                               {"events.encounters", integer(events.encounters)},
                               {"events.energy", moved.energy},
                               {"events.angular_momentum_x", moved.angular_momentum.x},
                               {"events.angular_momentum_y", moved.angular_momentum.y},
                               {"events.angular_momentum_z", moved.angular_momentum.z}});
}

/// Adds the coarsest passage of a massless body.
void add_passage(io::Record& record, Outcome const& outcome) {
  if (!outcome.passage) return;
  auto const& passage = *outcome.passage;
  record.insert(record.end(), {{"coarsest_passage.body", integer(passage.body)},
                               {"coarsest_passage.massive_body", integer(passage.massive)},
                               {"coarsest_passage.time", passage.time},
                               {"coarsest_passage.distance", passage.distance},
                               {"coarsest_passage.measure", passage.measure},
                               {"coarsest_passage.limit", passage.limit},
                               {"coarsest_passage.resolved", passage.is_resolved()}});
}

/// Whether a massless body had a passage that the steps did not resolve.
bool is_beyond_resolution(Outcome const& outcome) {
  return outcome.passage && !outcome.passage->is_resolved();
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

/// Returns a note on an energy error that no limit judges and that is plainly too large.
std::optional<std::string> energy_remark(deck::Configuration const& run, Outcome const& outcome) {
  constexpr double noted_error = 0.1;
  auto const& conserved = outcome.conservation;
  double const error = conserved.max_relative_energy_error;
  if (run.limits.max_relative_energy_error || !(error > noted_error)) return std::nullopt;
  if (!conserved_sums(outcome).energy) return std::nullopt;
  bool const is_massless_body = conserved.max_test_particle_energy_error == error;
  return std::string(is_massless_body ? "the energy of a massless body" : "the energy") +
         " changed by " + formatted(error < 1e4 ? "%.0f %%" : "%.2e %%", 100.0 * error) +
         ": the results of this run are not reliable; use shorter steps or softening, and set "
         "conservation.max_relative_energy_error";
}

/// Describes the scale of relative energy errors: "|E0| in the centre-of-mass frame".
std::string measure_words(diagnostics::EnergyMeasure measure, bool is_internal) {
  using diagnostics::EnergyMeasure;
  auto const formula = formula_of(measure) + (is_internal ? " in the centre-of-mass frame"
                                                          : " in the frame of the coordinates");
  if (measure == EnergyMeasure::energy) return formula;
  if (measure == EnergyMeasure::none) return "1: K0 and W0 are 0, a change is absolute";
  return formula + ": |E0| is less than a tenth of it";
}

/// Converts a count to an integer as long as it fits.
Value count_value(double count) {
  if (count < 0x1p63) return Value(static_cast<std::int64_t>(count));
  return Value(count);
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

}  // namespace

double interactions_per_second(double interactions, double wall_seconds) {
  return wall_seconds > 0.0 ? interactions / wall_seconds : 0.0;
}

/// Returns a note if the solver did not reach the requested accuracy.
std::optional<std::string> forces_remark(Outcome const& outcome) {
  auto const& errors = outcome.force_errors;
  if (!errors || errors->worst <= errors->requested) return std::nullopt;
  return formatted(
      "99 %% of the accelerations had errors of at most %.2g at the worst check of the run (%.2g "
      "at "
      "the last one), but %.2g was requested: use the solver 'direct', precision 'double' or a "
      "smaller gravity.accuracy",
      errors->worst, errors->measured, errors->requested);
}

std::string passage_words(deck::Configuration const& run, CoarsestPassage const& passage) {
  auto const distance =
      formatted("%.4g", passage.distance) + unit_suffix(run.units, dimension::length);
  auto const time = formatted("%.6g", passage.time) + unit_suffix(run.units, dimension::time);
  auto text = "body " + std::to_string(passage.body) + " passed body " +
              std::to_string(passage.massive) + " at " + distance + " at time " + time +
              formatted(": dt sqrt(G m / r^3) = %.3g, ", passage.measure);
  return text + (passage.is_resolved()
                     ? formatted("resolved up to %.2g", passage.limit)
                     : formatted("beyond resolution, which ends at %.2g", passage.limit));
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

std::optional<std::string> summary_remark(deck::Configuration const& run, Outcome const& outcome) {
  std::string notes;
  auto const add = [&](std::optional<std::string> const& remark) {
    if (remark) notes += (notes.empty() ? "" : "; ") + *remark;
  };
  add(energy_remark(run, outcome));
  if (is_beyond_resolution(outcome) && outcome.exit == ExitStatus::conserved) {
    add(passage_words(run, *outcome.passage) +
        ": the orbit of this body is not reliable; use shorter steps");
  }
  if (notes.empty()) add(forces_remark(outcome));
  return notes.empty() ? std::nullopt : std::optional(notes);
}

std::string summary_json(deck::Configuration const& run, Outcome const& outcome) {
  auto const build = build_info();
  auto const& conservation = outcome.conservation;
  io::Record record{
      {"status", status_word(run, outcome)},
      {"exit_code", std::int64_t{static_cast<int>(outcome.exit)}},
      {"steps", integer(outcome.steps)},
      {"time", run.time(outcome.steps)},
      {"bodies", integer(run.bodies.count())},
      {"backend", build.backend},
      {"device", device_name()},
      {"threads", std::int64_t{outcome.threads}},
      {"precision", name_of(run.gravity.precision)},
      {"solver", run.gravity.solver->name},
      {"kernel", outcome.kernel},
      {"integrator", run.integrator.entry->name},
      {"integrator_steps", integer(outcome.integrator_steps)},
      {"initial_energy", conservation.initial_energy()},
      {"final_energy", conservation.final_energy()},
      {"initial_internal_energy", conservation.initial_internal_energy()},
      {"final_internal_energy", conservation.final_internal_energy()},
      {"energy_frame", conservation.is_internal() ? "centre of mass" : "coordinates"},
      {"energy_measure", name_of(conservation.energy_scale().measure)},
      {"energy_scale", conservation.energy_scale().value},
      {"max_relative_energy_error", conservation.max_relative_energy_error},
      {"max_momentum_error", conservation.max_momentum_error},
      {"max_relative_energy_error_limit", or_null(run.limits.max_relative_energy_error)},
      {"max_momentum_error_limit", or_null(run.limits.max_momentum_error)},
      {"massless_bodies", integer(outcome.massless.count)},
      {"massless_bodies_judged", massless_judged(run, outcome)},
      {"retries", std::int64_t{outcome.retries}},
      {"interactions", count_value(outcome.interactions)},
      {"wall_seconds", outcome.wall_seconds},
      {"interactions_per_second",
       interactions_per_second(outcome.interactions, outcome.wall_seconds)},
      {"version", build.version},
      {"git", build.git},
      {"kokkos", build.kokkos},
      {"compiler", build.compiler},
      {"tables", outcome.tables},
  };
  if (auto const& errors = outcome.force_errors) {
    record.emplace_back("force_error_asked", errors->requested);
    record.emplace_back("force_error_99", errors->measured);
    record.emplace_back("force_error_99_worst", errors->worst);
  }
  if (!run.forces.empty()) {
    record.emplace_back("forces", force_names(run));
    record.emplace_back("not_conserved_with_forces", changed_sums(conserved_sums(outcome)));
  }
  if (run.leader) {
    record.emplace_back("processes", integer(run.leader->ranks().size()));
    record.emplace_back("process_places", run.leader->devices_by_host());
    record.emplace_back("transport", run.leader->transport_name());
    record.emplace_back("waiting_seconds", outcome.waiting_seconds);
  }
  if (outcome.resumed) record.emplace_back("resumed_from_step", integer(*outcome.resumed));
  if (outcome.checkpoint) record.emplace_back("checkpoint_step", integer(*outcome.checkpoint));
  add_stop(record, run, outcome);
  add_events(record, run, outcome);
  add_units(record, run.units);
  add_passage(record, outcome);
  if (auto const remark = summary_remark(run, outcome)) record.emplace_back("remark", *remark);
  if (!outcome.problems.empty()) record.emplace_back("problem", outcome.problems.front().text());
  return io::to_json(record);
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
  text += "  measured by    " +
          measure_words(conservation.energy_scale().measure, conservation.is_internal()) + "\n";
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

}  // namespace apsis::driver
