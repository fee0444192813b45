// SPDX-License-Identifier: Apache-2.0
#include "apsis/simulation/stop.hpp"

#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/simulation/measurements.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>

namespace apsis::simulation {

std::string name_of(StopReason reason) {
  static constexpr char const* names[]{"end",     "encounter", "escape",     "wall_time",
                                       "job_end", "stop_file", "signal",     "request",
                                       "restart", "violation", "non_finite", "collision"};
  return names[static_cast<int>(reason)];
}

std::optional<Stop> stop_of(deck::StopConditions const& conditions, Instant& now) {
  auto const ids = [&]() -> std::vector<std::uint64_t> const& { return now.bodies().id; };
  if (conditions.encounter_distance) {
    auto const closest = now.closest_approach();
    if (closest && closest->distance < *conditions.encounter_distance) {
      return Stop{.reason = StopReason::encounter,
                  .ids = {ids()[closest->first], ids()[closest->second]},
                  .distance = closest->distance,
                  .offset = closest->time - now.time()};
    }
  }
  if (conditions.escape_radius) {
    auto const farthest = farthest_body(now);
    if (farthest && farthest->distance > *conditions.escape_radius) {
      return Stop{.reason = StopReason::escape,
                  .ids = {ids()[farthest->index]},
                  .distance = farthest->distance};
    }
  }
  return std::nullopt;
}

Stop stop_of(StopReason reason, Event const& event, Simulation const& simulation) {
  return {.reason = reason,
          .ids = {event.first, event.second.value_or(event.first)},
          .distance = event.distance,
          .offset = event.time - simulation.time()};
}

std::optional<Stop> stop_of(deck::EventsPlan const& plan, Simulation const& simulation,
                            std::uint64_t collisions) {
  auto const& events = simulation.events();
  auto const is_encounter = [](Event const& event) { return event.kind == EventKind::encounter; };
  if (plan.encounters && plan.encounters->stops) {
    auto const first = std::find_if(events.begin(), events.end(), is_encounter);
    if (first != events.end()) return stop_of(StopReason::encounter, *first, simulation);
  }
  bool const is_full =
      plan.collisions && plan.collisions->at_most && collisions >= *plan.collisions->at_most;
  if (!is_full) return std::nullopt;
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (event->second && !is_encounter(*event))
      return stop_of(StopReason::collision, *event, simulation);
  }
  return Stop{StopReason::collision};
}

BrokenLimits broken_limits(deck::Limits const& limits, diagnostics::Conservation const& now,
                           std::optional<CoarsestPassage> const& passage) {
  auto const& conserved = now.last.conserved;
  auto const& energy = limits.max_relative_energy_error;
  auto const& momentum = limits.max_momentum_error;
  // The error of an energy that is not finite is NaN.
  return {.energy = conserved.energy && energy && !(now.max_relative_energy_error <= *energy),
          .momentum = conserved.momentum && momentum && !(now.max_momentum_error <= *momentum),
          .passage = energy && passage && !passage->is_resolved() && passage->is_massless};
}

}  // namespace apsis::simulation
