// SPDX-License-Identifier: Apache-2.0
#include "apsis/simulation/events.hpp"

#include <apsis/core/saved_state.hpp>

namespace apsis::simulation {

std::string name_of(EventKind kind) {
  static constexpr char const* names[]{"collision", "merge", "bounce", "encounter", "removal"};
  return names[static_cast<int>(kind)];
}

void EventCounts::add(Event const& event) {
  auto const kind = event.kind;
  if (kind == EventKind::encounter) ++encounters;
  if (kind == EventKind::removal) ++removed;
  if (kind == EventKind::merge) ++merged;
  if (kind != EventKind::encounter && kind != EventKind::removal) ++collisions;
}

void EventCounts::exchange(SavedState& state) {
  state.exchange("events/collisions", collisions);
  state.exchange("events/encounters", encounters);
  state.exchange("events/merged", merged);
  state.exchange("events/removed", removed);
}

}  // namespace apsis::simulation
