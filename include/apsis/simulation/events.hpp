// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/diagnostics/conservation.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace apsis::simulation {

/// Name of the table of events in the directory of a run.
inline constexpr char const* event_file = "events.csv";

/// Kind of an event of bodies within the steps of a run.
enum class EventKind {
  collision,  ///< two bodies touch, and the run ends at the beginning of the step
  merge,
  bounce,
  encounter,  ///< closest approach of two bodies within encounters.distance
  removal,
};

/// Returns the name of a kind as in events.csv, for example "merge".
std::string name_of(EventKind kind);

/// Event of one or two bodies. `first` is the heavier body, of equal masses the one with the lower
/// id; after a merger it remains. Masses are those before the event.
struct Event {
  EventKind kind = EventKind::collision;
  double time = 0.0;                      ///< [time]
  std::uint64_t first = 0;                ///< id
  std::optional<std::uint64_t> second{};  ///< id; nothing for a removal
  double distance = 0.0;  ///< of the two bodies, or from the centre of mass [length]
  double speed = 0.0;     ///< relative to each other, or to the centre of mass [length / time]
  double first_mass = 0.0, second_mass = 0.0;  ///< [mass]
  diagnostics::Moved moved{};

  /// Whether the run ends at the beginning of the step of this event.
  bool ends_step() const { return kind == EventKind::collision; }
};

/// Numbers of events of a run so far.
struct EventCounts {
  std::uint64_t collisions = 0;  ///< including mergers and bounces
  std::uint64_t encounters = 0, merged = 0, removed = 0;

  void add(Event const& event);
  void exchange(SavedState& state);
};

}  // namespace apsis::simulation
