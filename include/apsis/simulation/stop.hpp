// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace apsis::deck {
struct EventsPlan;
struct Limits;
struct StopConditions;
}  // namespace apsis::deck
namespace apsis::diagnostics {
struct Conservation;
}

namespace apsis::simulation {

class Instant;
class Simulation;
struct CoarsestPassage;
struct Event;

enum class StopReason {
  end,
  encounter,
  escape,
  wall_time,  // from here to `restart` the run was interrupted from outside, see Stop
  job_end,
  stop_file,
  signal,
  request,  ///< of another control
  restart,  ///< of another control: the run begins again
  violation,
  non_finite,
  collision,
};

/// Returns the name of a reason as in summary.json, for example "wall_time".
std::string name_of(StopReason reason);

/// Description of how a run ended.
struct Stop {
  StopReason reason = StopReason::end;
  std::vector<std::uint64_t> ids{};  ///< bodies that caused the stop
  double distance = 0.0;             ///< distance of these bodies [length]
  int signal = 0;                    ///< signal that requested the stop; 0 if none did
  double offset = 0.0;               ///< time of the event after the last step [time]

  /// Whether the run was interrupted from outside.
  bool interrupted() const {
    return reason >= StopReason::wall_time && reason <= StopReason::restart;
  }
};

/// Checks the conditions on the bodies. Independent of the clock, so uninterrupted runs stop at the
/// same step.
std::optional<Stop> stop_of(deck::StopConditions const& conditions, Instant& now);

/// Returns the stop that the events of the last step cause, if any. `collisions`: number of
/// collisions of the run so far.
std::optional<Stop> stop_of(deck::EventsPlan const& plan, Simulation const& simulation,
                            std::uint64_t collisions);
/// Returns the stop that an event of the last step causes.
Stop stop_of(StopReason reason, Event const& event, Simulation const& simulation);

/// Limits of a deck that are exceeded.
struct BrokenLimits {
  bool energy = false, momentum = false;
  /// A massless body passed a massive one beyond the resolution of the steps: its own relative
  /// energy error is of order one.
  bool passage = false;

  bool any() const { return energy || momentum || passage; }
};

/// Compares a measurement with the limits of a deck. Forces besides gravity may change energy or
/// momentum; no limit judges that.
BrokenLimits broken_limits(deck::Limits const& limits, diagnostics::Conservation const& now,
                           std::optional<CoarsestPassage> const& passage);

}  // namespace apsis::simulation
