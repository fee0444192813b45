// SPDX-License-Identifier: Apache-2.0
#include "core/signals.hpp"
#include "files/record.hpp"
#include "run/directory/run_record.hpp"
#include "summary.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/simulation/leader.hpp>

namespace apsis::run {

namespace {

Value or_null(std::optional<double> value) {
  return value ? Value(*value) : Value();
}

std::int64_t integer(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

void add_units(files::Record& record, Units const& units) {
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

/// Adds the reason of the stop, and the bodies that caused it with their distance.
void add_stop(files::Record& record, deck::Configuration const& run, Outcome const& outcome) {
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
void add_events(files::Record& record, deck::Configuration const& run, Outcome const& outcome) {
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
void add_passage(files::Record& record, Outcome const& outcome) {
  if (!outcome.passage) return;
  auto const& passage = *outcome.passage;
  constexpr char const* kinds[]{"step", "encounter", "pericentre"};
  record.insert(record.end(), {{"coarsest_passage.kind", kinds[static_cast<int>(passage.kind)]},
                               {"coarsest_passage.body", integer(passage.body)},
                               {"coarsest_passage.massive_body", integer(passage.massive)},
                               {"coarsest_passage.time", passage.time},
                               {"coarsest_passage.distance", passage.distance},
                               {"coarsest_passage.measure", passage.measure},
                               {"coarsest_passage.limit", passage.limit},
                               {"coarsest_passage.resolved", passage.is_resolved()}});
}

/// Adds the parts of the wall time. They add up to it.
void add_parts(files::Record& record, Outcome const& outcome) {
  auto const& parts = outcome.parts;
  double const other = outcome.wall_seconds - outcome.earlier_seconds - parts.sum();
  record.insert(record.end(), {{"seconds.forces", parts.forces},
                               {"seconds.kicks_and_drifts", parts.kicks_and_drifts},
                               {"seconds.device", parts.device},
                               {"seconds.diagnostics", parts.diagnostics},
                               {"seconds.copies", parts.copies},
                               {"seconds.files", parts.files},
                               {"seconds.other", other}});
  if (outcome.resumed) record.emplace_back("seconds.before_resume", outcome.earlier_seconds);
}

/// Converts a count to an integer as long as it fits.
Value count_value(double count) {
  if (count < 0x1p63) return Value(static_cast<std::int64_t>(count));
  return Value(count);
}

}  // namespace

std::string summary_json(deck::Configuration const& run, Outcome const& outcome) {
  auto const build = build_info();
  auto const& conservation = outcome.conservation;
  files::Record record{
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
      {"energy_measure", name_of(conservation.energy_scale.measure)},
      {"energy_scale", conservation.energy_scale.value},
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
      {"uuid", outcome.uuid},
      {"start", outcome.start},
      {"end", utc_now()},
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
  add_parts(record, outcome);
  add_stop(record, run, outcome);
  add_events(record, run, outcome);
  add_units(record, run.units);
  add_passage(record, outcome);
  if (auto const remark = summary_remark(run, outcome)) record.emplace_back("remark", *remark);
  if (!outcome.problems.empty()) record.emplace_back("problem", outcome.problems.front().text());
  return files::to_json(record);
}

}  // namespace apsis::run
