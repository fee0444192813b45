// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/deck/configuration.hpp>
#include <apsis/run/stop_conditions.hpp>
#include <apsis/simulation/events.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

/// Stops by events within the steps of a run.
namespace apsis::run {

/// Returns the stop that an event of the last step causes.
inline Stop stop_of(StopReason reason, simulation::Event const& event,
                    simulation::Simulation const& simulation) {
  return {.reason = reason,
          .ids = {event.first, event.second.value_or(event.first)},
          .distance = event.distance,
          .offset = event.time - simulation.time()};
}

/// Returns the stop that the events of the last step cause, if any. `collisions`: number of
/// collisions of the run so far.
inline std::optional<Stop> stop_of(deck::EventsPlan const& plan,
                                   simulation::Simulation const& simulation,
                                   std::uint64_t collisions) {
  auto const& events = simulation.events();
  auto const is_encounter = [](simulation::Event const& event) {
    return event.kind == simulation::EventKind::encounter;
  };
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

}  // namespace apsis::run
