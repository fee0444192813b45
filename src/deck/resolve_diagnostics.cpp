// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace apsis::deck {

namespace {

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
