// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>

namespace apsis::deck {

namespace {

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

}  // namespace

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

}  // namespace apsis::deck
