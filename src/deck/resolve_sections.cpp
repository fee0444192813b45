// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <variant>

namespace apsis::deck {

bool starts_with_file(Values const& run) {
  return run.has("start_time") && std::holds_alternative<std::string>(run.value("start_time"));
}

double stated_start(Values const& run) {
  return run.has("start_time") && !starts_with_file(run) ? run.number("start_time") : 0.0;
}

std::optional<double> start_of_files(BodiesPlan const& plan, DeckProblems& problems) {
  auto const bodies = plan.files();
  if (bodies.empty()) {
    if (plan.has_file()) return std::nullopt;  // reported
    problems.add("run.start_time", "there is no file of bodies", "it is 'file'", "give a number");
    return std::nullopt;
  }
  bool const all_have_time =
      std::all_of(bodies.begin(), bodies.end(), [](auto const& file) { return file->has_time; });
  if (!all_have_time) {
    problems.add("run.start_time", "a file of bodies without a time", "it is 'file'",
                 "give a number");
    return std::nullopt;
  }
  double const time = bodies.front()->time;
  for (auto const& file : bodies) {
    if (file->time == time) continue;
    problems.add("run.start_time", "files of several times",
                 "they are at " + shortest(time) + " and " + shortest(file->time), "give a number");
    return std::nullopt;
  }
  return time;
}

namespace {

/// Largest accepted relative difference between the G of a deck and that of its units. It admits
/// values rounded to six digits (5e-6), but not different conventions: Gaussian, tropical and
/// Julian years differ by 4e-5 in G, the CODATA values of 2014 and 2018 by 3e-5.
constexpr double accepted_difference = 1e-5;

Parameter unit(std::string_view name, std::string_view doc, Dimension dimension) {
  return positive(name, doc).or_quantity(dimension);
}

constexpr double light_in_metres_per_second = 299792458.0;

std::string obstacle(forces::ExtraForceEntry const& force, IntegratorPlan const& integrator) {
  auto const& support = integrator.entry->extra_forces;
  if (force.velocity_dependent && !support.velocities) {
    return "the force depends on velocities, which it does not know where it evaluates forces";
  }
  if (force.time_dependent && !support.time) return "the force depends on time";
  if (force.velocity_dependent && force.has_source && integrator.has_block_steps()) {
    return "the force depends on velocities of two bodies, whose block steps differ";
  }
  return "";
}

void check_integrator(std::string const& path, forces::ExtraForceEntry const& force,
                      IntegratorPlan const& integrator, DeckProblems& problems) {
  if (integrator.entry == nullptr) return;
  auto const why = obstacle(force, integrator);
  if (why.empty()) return;
  std::string others;
  bool const block_steps = integrator.has_block_steps();
  auto alternative = integrator;
  alternative.values = {};
  for (auto const& entry : integrators::integrators()) {
    alternative.entry = &entry;
    if (!obstacle(force, alternative).empty() || (others.size() > 60 && !entry.has_own_steps()))
      continue;
    others += (others.empty() ? "'" : ", '") + entry.name + "'";
  }
  problems.add(path + ".name", "contradicts integrator.name",
               "'" + force.name + "' with '" + integrator.entry->name + "': " + why,
               block_steps && integrator.entry->extra_forces.velocities
                   ? "set integrator.stepping.mode to 'fixed' or 'adaptive'"
                   : "choose another integrator: " + others);
}

CollisionsPlan resolve_collisions(Values const& section, DeckProblems& problems) {
  CollisionsPlan plan;
  if (section.has("on_collision")) {
    auto const& word = section.text("on_collision");
    plan.on_collision = word == "stop"    ? OnCollision::stop
                        : word == "merge" ? OnCollision::merge
                                          : OnCollision::bounce;
  }
  plan.restitution = optional_number(section, "restitution").value_or(1.0);
  if (plan.restitution != 1.0 && plan.on_collision != OnCollision::bounce) {
    problems.add("collisions.restitution", "without bounces",
                 "on_collision is '" + section.text("on_collision") + "'",
                 "set collisions.on_collision to 'bounce' or remove it");
  }
  plan.slowest_rebound = optional_number(section, "slowest_rebound").value_or(0.0);
  if (section.has("at_most")) {
    plan.at_most = static_cast<std::uint64_t>(section.integer("at_most"));
  }
  return plan;
}

RemovalPlan resolve_removal(Values const& section) {
  return {.beyond = optional_number(section, "beyond").value_or(0.0),
          .only_unbound = section.has("unbound") && section.boolean("unbound"),
          .only_massless = section.has("of") && section.text("of") == "massless"};
}

EncountersPlan resolve_encounters(Values const& section) {
  return {.distance = optional_number(section, "distance").value_or(0.0),
          .stops = section.has("then") && section.text("then") == "stop"};
}

void check_count(std::string const& path, DiagnosticEntry const& entry, std::uint64_t bodies,
                 DeckProblems& problems) {
  if (entry.fewest_bodies <= bodies && bodies <= entry.most_bodies) return;
  auto const fewest = std::to_string(entry.fewest_bodies);
  bool const exactly = entry.fewest_bodies == entry.most_bodies;
  bool const limited = entry.most_bodies < std::numeric_limits<std::uint64_t>::max();
  auto const needed = exactly   ? fewest + " bodies"
                      : limited ? fewest + " to " + std::to_string(entry.most_bodies) + " bodies"
                                : fewest + " bodies or more";
  problems.add(path, "needs " + needed, "the deck has " + std::to_string(bodies), "remove it");
}

/// Checks that the integrator can move the tangent vector that a diagnostic needs.
void check_tangent(std::string const& path, DiagnosticEntry const& entry,
                   IntegratorPlan const& integrator, forces::Precision precision,
                   DeckProblems& problems) {
  if (entry.tangent_seed == nullptr || integrator.entry == nullptr) return;
  if (!integrator.entry->has_tangent_flow) {
    problems.add(path, "needs an integrator that can displace orbits",
                 "'" + integrator.entry->name + "' has no variational equations",
                 "use gauss_radau15, a leapfrog or a composition");
  } else if (integrators::step_mode(integrator.values) == integrators::StepMode::block) {
    problems.add(path, "needs common steps of all bodies",
                 "block steps have no variational equations",
                 "use integrator.stepping.mode 'fixed' or 'adaptive'");
  } else if (precision != forces::Precision::double_precision) {
    problems.add(path, "needs double precision",
                 "a displacement that grows linearly is lost in the rounding of the forces",
                 "use gravity.precision 'double'");
  }
}

/// Checks that the requested columns have distinct names: a value that the deck lists twice would
/// give two columns of one name.
void check_columns(std::string const& path, DiagnosticEntry const& entry, Values const& values,
                   DeckProblems& problems) {
  if (problems.is_reported(path)) return;
  std::set<std::string> names;
  for (auto const& column : entry.columns(values)) {
    if (names.insert(column.name).second) continue;
    problems.add(path, "asks twice for '" + column.name + "'",
                 entry.file + " would have two columns of that name", "give each value once");
  }
}

bool has_parameter(DiagnosticEntry const& entry, std::string const& name) {
  return std::any_of(entry.parameters.begin(), entry.parameters.end(),
                     [&](Parameter const& parameter) { return parameter.name == name; });
}

/// Sets the first id of each part of a composite. Bodies are numbered 0, 1, 2 ... in the order of
/// the parts. Beside files the deck must state the first ids, because a resumed run reads no files.
void resolve_first_ids(std::string const& path, BodiesPlan const& bodies, Values& values,
                       DeckProblems& problems) {
  if (bodies.parts.empty() || bodies.has_file()) {
    problems.add(path + ".first_ids", "missing key",
                 bodies.has_file() ? "bodies come from a file" : "the deck has no bodies.parts",
                 "give the first id of each part");
    return;
  }
  std::vector<double> first_ids;
  std::uint64_t next = 0;
  for (auto const& part : bodies.parts) {
    if (part.count() > 0) first_ids.push_back(static_cast<double>(next));
    next += part.count();
  }
  values.set("first_ids", std::move(first_ids));
}

}  // namespace

Form custom_units_form() {
  return {
      "length",
      "",
      "custom units, as SI values or by name: \"kpc\", \"1e10 Msun\", \"km/s\"",
      {unit("length", "unit of length [m]", dimension::length).needed(),
       unit("mass", "unit of mass [kg]", dimension::mass).needed(),
       unit("time", "unit of time [s]", dimension::time),
       unit("velocity", "unit of velocity [m/s], instead of a unit of time", dimension::velocity)},
      false,
      {"time", "velocity"}};
}

Units units_of(Values const& values) {
  if (values.has("system")) return unit_systems().get(values.text("system"));
  double const length = values.number("length");
  return custom_units(
      {length, values.number("mass"),
       values.has("time") ? values.number("time") : length / values.number("velocity")});
}

std::string title_of(Units const& units) {
  return units.system == "custom" ? "these units" : "'" + units.system + "' units";
}

std::optional<Units> resolve_units(Deck& deck, DeckProblems& problems) {
  if (problems.is_reported("units")) return std::nullopt;
  auto& gravity = deck.sections["gravity"];
  bool const has_G = gravity.has("G");
  if (!deck.has("units")) {
    bool const other = has_G && gravity.number("G") != 1.0;
    deck.sections["units"].set("system", std::string(other ? "dimensionless" : "henon"));
  }
  auto units = units_of(deck.sections["units"]);
  if (!std::isnormal(units.G)) {
    problems.add("units", "out of range", "G in these units would be " + shortest(units.G),
                 "give length in metres, mass in kilograms and time in seconds");
    return std::nullopt;
  }
  if (has_G && units.system != "dimensionless") {
    double const G = gravity.number("G");
    double const allowed = units.si ? accepted_difference : 0.0;
    if (!(std::abs(G / units.G - 1.0) <= allowed)) {
      std::string const alternative = units.si ? "" : " or set units.system to 'dimensionless'";
      problems.add(
          "gravity.G", "contradicts units",
          "the deck has " + shortest(G) + ", " + title_of(units) + " have " + shortest(units.G),
          "leave gravity.G out" + alternative);
    }
  }
  if (has_G) units.G = gravity.number("G");
  gravity.set("G", units.G);
  return units;
}

void check_units(std::string const& where, initial_conditions::ModelEntry const& model,
                 Units const& units, DeckProblems& problems) {
  if (model.units.empty() || model.units == units.system) return;
  auto const& model_units = unit_systems().get(model.units);
  problems.add(where + ".generator", "contradicts units",
               "'" + model.name + "' makes bodies in " + model_units.length + ", " +
                   model_units.mass + " and " + model_units.time + ", the deck has " +
                   title_of(units),
               "set units.system to '" + model.units + "', and leave gravity.G out");
}

forces::ExtraForceSetting force_setting(Units const& units, double G) {
  forces::ExtraForceSetting setting{G, {}};
  if (units.si) {
    setting.speed_of_light = light_in_metres_per_second * units.si->time / units.si->length;
  }
  return setting;
}

std::vector<forces::PlannedForce> resolve_forces(Deck& deck,
                                                 forces::ExtraForceSetting const& setting,
                                                 IntegratorPlan const& integrator,
                                                 DeckProblems& problems) {
  std::vector<forces::PlannedForce> planned;
  if (!deck.top.has("forces")) return planned;
  auto list = deck.top.records("forces");
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto& values = list[i];
    auto const path = "forces[" + std::to_string(i) + "]";
    auto const& entry = forces::extra_forces().get(values.text("name"));
    if (entry.needs_speed_of_light && !values.has("c")) {
      if (setting.speed_of_light) {
        values.set("c", *setting.speed_of_light);
      } else {
        problems.add(path + ".c", "missing key",
                     "in dimensionless units the speed of light is not known",
                     "give it, or set units");
      }
    }
    check_integrator(path, entry, integrator, problems);
    if (entry.check != nullptr) {
      problems.add_all(path + ".", entry.check(values));
    }
    planned.push_back({&entry, values, path});
  }
  deck.top.set("forces", std::move(list));
  if (!deck.has("diagnostics")) return planned;
  for (auto const& entry : diagnostic_entries()) {
    if (entry.drawn == nullptr || !deck.sections.at("diagnostics").has(entry.name)) continue;
    problems.add("diagnostics." + entry.name, "contradicts forces",
                 "it compares forces with sums of gravity alone", "remove one of them");
  }
  return planned;
}

EventsPlan resolve_events(Deck& deck, GravityPlan const& gravity, Limits const& limits,
                          DeckProblems& problems) {
  EventsPlan plan;
  std::string section;
  auto const has = [&](char const* name) {
    if (!deck.has(name)) return false;
    section = name;
    return true;
  };
  if (has("encounters")) plan.encounters = resolve_encounters(deck.sections["encounters"]);
  if (has("removal")) plan.removal = resolve_removal(deck.sections["removal"]);
  if (has("collisions"))
    plan.collisions = resolve_collisions(deck.sections["collisions"], problems);
  if (!plan.any()) return plan;
  if (plan.can_remove() && gravity.law.softening_by_species) {
    problems.add("gravity.softening_by_species", "contradicts " + section,
                 "the energies of events have one softening length", "set gravity.softening alone");
  }
  if (limits.on_violation == OnViolation::retry) {
    problems.add("conservation.on_violation", "contradicts " + section,
                 "events cannot be taken back", "set it to 'stop' or 'report'");
  }
  if (plan.can_remove() && gravity.solver != nullptr && gravity.solver->cost_exponent < 2) {
    problems.add("gravity.solver", "contradicts " + section,
                 "cells cannot hold bodies that were merged or removed", "set it to 'direct'");
  }
  return plan;
}

std::vector<PlannedDiagnostic> resolve_diagnostics(
    Values& diagnostics, double time_step, double start, std::uint64_t conservation_steps,
    std::optional<std::uint64_t> bodies, IntegratorPlan const& integrator,
    forces::Precision precision, BodiesPlan const& bodies_plan, DeckProblems& problems) {
  std::vector<PlannedDiagnostic> planned;
  for (auto const& entry : diagnostic_entries()) {
    if (!diagnostics.has(entry.name)) continue;
    auto const path = "diagnostics." + entry.name;
    auto values = diagnostics.object(entry.name);
    auto steps = conservation_steps;
    auto listed = listed_steps(values, "", path + ".", time_step, start, problems);
    if (values.has("interval") && time_step != 0.0) {
      steps = whole_steps(path + ".interval", values.number("interval"), std::abs(time_step), 1.0,
                          problems)
                  .value_or(1);
    } else if (!listed.empty()) {
      steps = never_due;
    } else if (entry.follow != nullptr) {
      steps = 1;
    } else {
      values.set("interval", static_cast<double>(steps) * std::abs(time_step));
    }
    if (has_parameter(entry, "names") && !values.has("names")) {
      values.set("names", bodies_plan.has_names());
    }
    bool const is_by_part = values.has("each") && values.text("each") == "part";
    if (is_by_part && !values.has("first_ids") && (bodies || bodies_plan.has_file()) &&
        !problems.is_reported(path)) {
      resolve_first_ids(path, bodies_plan, values, problems);
    }
    diagnostics.set(entry.name, std::make_shared<Values const>(values));
    if (bodies) check_count(path, entry, *bodies, problems);
    check_tangent(path, entry, integrator, precision, problems);
    check_columns(path, entry, values, problems);
    planned.push_back({&entry, std::move(values), steps, std::move(listed)});
  }
  return planned;
}

void check_tangent_of_run(Configuration const& run, DeckProblems& problems) {
  for (auto const& plan : run.diagnostics) {
    if (plan.entry->tangent_seed == nullptr) continue;
    auto const refuse = [&](std::string const& section) {
      problems.add("diagnostics." + plan.entry->name, "contradicts " + section,
                   "its variational equations are those of gravity alone", "remove one of them");
    };
    if (!run.forces.empty()) refuse("forces");
    if (run.events.collisions) refuse("collisions");
    if (run.events.removal) refuse("removal");
    if (run.gravity.law.softening_by_species) {
      problems.add("diagnostics." + plan.entry->name, "contradicts gravity.softening_by_species",
                   "its variational equations have one softening length", "remove one of them");
    }
  }
}

}  // namespace apsis::deck
