// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"

namespace apsis::deck {

namespace {

constexpr double light_in_metres_per_second = 299792458.0;

/// Returns why the integrator cannot take the force; empty if it can.
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

}  // namespace

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
      for (auto const& problem : entry.check(values)) {
        problems.add(path + "." + problem.where, problem.problem, problem.why, problem.advice);
      }
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

}  // namespace apsis::deck
