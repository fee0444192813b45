// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method.hpp"
#include "tracked_steps.hpp"
#include <apsis/integrators/collision.hpp>
#include <apsis/integrators/passages.hpp>
#include <apsis/simulation/events.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace apsis::simulation {

/// The bodies of a step and the objects that move them.
struct StepMotion {
  Method& method;
  TrackedSteps& tracked;
  /// Called with the rows of bodies that an event has changed; replaces the watch.
  std::function<void(std::vector<std::size_t> const&)> const& update_bodies;
};

using Meetings = std::vector<integrators::Meeting>;

/// The radii of the bodies, and the events of a run: makes its steps so that each collision is
/// handled at its time.
///
/// A watch of the internal steps finds the meetings of pairs on their paths. If there is a contact
/// in a step, the step is taken back, made up to the time of the first contact, and the bodies that
/// touch are merged or bounce. Then the integrator starts anew and makes the rest in the same way:
///
///     |---------------------------------->|   step of the deck: first contact at t
///     |---------->t                           up to the contact; the bodies change
///                 |---------------------->|   rest of the step: no other contact
///
/// So an event costs up to two further steps of the deck, and a step without events that of its
/// watch. Bodies on one rank only.
class BodyEvents {
 public:
  explicit BodyEvents(deck::Configuration const& run);

  /// Whether the steps are made by advance().
  bool is_active() const { return plan_.any(); }

  /// Sets the radii of `count` bodies: one for each, or none.
  void set_radii(ExecutionSpace const& space, std::vector<double> radii, std::size_t count);
  /// Radius of each body in the memory of kernels, below 0 for bodies that are gone; empty unless
  /// events are requested [length].
  Column<double> const& radius() const { return column_; }
  /// Radii of the bodies that are not gone; empty if all are points [length].
  std::shared_ptr<std::vector<double> const> const& radii() const { return present_radii_; }
  /// Rows of the bodies that are not gone; null if none is gone.
  forces::BodyList const* present_rows() const { return gone_ > 0 ? &present_ : nullptr; }
  std::size_t gone() const { return gone_; }
  bool is_gone(std::uint64_t row) const { return gone_ > 0 && radius_[row] < 0.0; }
  /// Index among the bodies that are not gone.
  std::uint64_t present_index(std::uint64_t row) const;

  /// The bodies of this rank as forces besides gravity are bound to them. O(N) on the host; fences.
  forces::BodiesOfForces bodies_of_forces(Method const& method,
                                          std::vector<std::uint8_t> const& species) const;

  diagnostics::Moved const& moved() const { return moved_; }
  /// Events since clear(), in the order of time.
  std::vector<Event> const& events() const { return events_; }
  void clear();
  /// Drops the events of a step that was not completed.
  void drop_step();

  /// Makes a step of the deck from `time`; the stepper has started. Returns false if a collision
  /// ends the run: then the bodies are those of the beginning of the step, and the stepper must be
  /// started again. Sets `changed` if bodies have changed; then `potential` is not set.
  bool advance(StepMotion const& motion, double time, double time_step,
               Column<double> const* potential, bool& changed);

  /// Restores masses, radii and sums of the beginning of the last step, after the caller has
  /// restored positions and velocities; the events of the step are dropped.
  void undo_changes(StepMotion const& motion);

  /// Saves or restores radii and sums; on the leader rank.
  void exchange(ExecutionSpace const& space, SavedState& state, std::size_t count);

 private:
  /// Makes the parts of a step; `elapsed`: the time of those that are made [time].
  bool advance_parts(StepMotion const& motion, double time, double time_step,
                     Column<double> const* potential, double& elapsed, bool& changed);
  /// Makes the radii known to kernels and outputs.
  void publish(ExecutionSpace const& space);
  HostBodies host_bodies(StepMotion const& motion) const;
  /// Adds the closest approaches among the meetings.
  void list_encounters(StepMotion const& motion, Meetings const& meetings, double dt);
  /// Handles all contacts at the time of the first one.
  void collide(StepMotion const& motion, Meetings const& meetings,
               integrators::Meeting const& contact, double time);
  /// Removes bodies that are beyond the limit; returns whether there were any.
  bool remove(StepMotion const& motion, double time);
  /// Adds events and copies the bodies that they have changed to the kernels.
  void take_over(StepMotion const& motion, std::vector<Event> events, HostBodies const& bodies);
  void copy_to_kernels(StepMotion const& motion, HostBodies const& bodies);

  /// Quantities of the bodies that events change, besides positions and velocities.
  struct BeforeChanges {
    std::vector<double> mass, radius;
    diagnostics::Moved moved;
  };

  deck::EventsPlan plan_;
  double forceless_;            ///< place of bodies that are gone, see ChangingBodies [length]
  std::vector<double> radius_;  ///< of each row, below 0 for bodies that are gone [length]
  std::shared_ptr<std::vector<double> const> present_radii_ =
      std::make_shared<std::vector<double> const>();
  Column<double> column_;
  forces::BodyList present_;
  std::size_t gone_ = 0;
  diagnostics::Moved moved_;
  std::vector<Event> events_;
  std::size_t earlier_events_ = 0;               ///< number of events_ at the beginning of the step
  std::optional<BeforeChanges> before_changes_;  ///< at the beginning of the step, if it has events
};

}  // namespace apsis::simulation
