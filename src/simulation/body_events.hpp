// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collisions.hpp"
#include "step_parts.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/text.hpp>
#include <apsis/core/views.hpp>
#include <apsis/forces/extra.hpp>
#include <apsis/forces/solver.hpp>
#include <apsis/simulation/events.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace apsis::simulation {

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
template <class Real>
class BodyEvents {
 public:
  using Motion = StepMotion<Real>;

  BodyEvents(deck::EventsPlan const& plan, double forceless) : plan_(plan), forceless_(forceless) {}

  /// Whether the steps are made by advance().
  bool is_active() const { return plan_.any(); }

  /// Sets the radii of `count` bodies: one for each, or none.
  void set_radii(ExecutionSpace const& space, std::vector<double> radii, std::size_t count) {
    if (radii.empty() && is_active()) radii.assign(count, 0.0);
    radius_ = std::move(radii);
    publish(space);
  }
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
  std::uint64_t present_index(std::uint64_t row) const {
    if (gone_ == 0) return row;
    return static_cast<std::uint64_t>(
        std::count_if(radius_.begin(), radius_.begin() + static_cast<std::ptrdiff_t>(row),
                      [](double radius) { return radius >= 0.0; }));
  }
  /// Returns the values of the bodies that are not gone, out of one for each body.
  template <class Value>
  std::vector<Value> select_present(std::vector<Value> const& values) const {
    std::vector<Value> selected;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (!(radius_[row] < 0.0)) selected.push_back(values[row]);
    }
    return selected;
  }

  diagnostics::Moved const& moved() const { return moved_; }
  /// Events since clear(), in the order of time.
  std::vector<Event> const& events() const { return events_; }
  void clear() {
    events_.clear();
    earlier_events_ = 0;
  }

  /// Makes a step of the deck from `time`; the stepper has started. Returns false if a collision
  /// ends the run: then the bodies are those of the beginning of the step, and the stepper must be
  /// started again. Sets `changed` if bodies have changed; then `potential` is not set.
  bool advance(Motion const& motion, double time, double time_step, Column<double> const* potential,
               bool& changed) {
    changed = false;
    before_changes_.reset();
    earlier_events_ = events_.size();
    motion.tangent.save_step_start();
    double elapsed = 0.0;
    // Below this, a rest of the step is rounding of the time of the last contact.
    double const least = part_rounding * std::abs(time);
    for (int contacts = 0; std::abs(time_step - elapsed) > least; ++contacts) {
      expect_few(contacts, time + elapsed);
      parts_.save_start(motion);
      double const rest = time_step - elapsed, now = time + elapsed;
      auto const meetings = parts_.advance(motion, now, rest, elapsed != 0.0, potential);
      auto const contact = first_contact(meetings, rest);
      if (!contact) {
        list_encounters(motion, meetings, rest);
        break;
      }
      parts_.go_back(motion, now, rest);
      if (plan_.collisions->on_collision == deck::OnCollision::stop) {
        events_.push_back(event_of(EventKind::collision, *contact, host_bodies(motion)));
        return false;
      }
      double const reach = radius_[contact->first] + radius_[contact->second];
      auto const part =
          parts_.advance_to_contact(motion, *contact, reach, now, rest, elapsed != 0.0);
      list_encounters(motion, part.meetings, part.duration);
      elapsed += part.duration;
      collide(motion, meetings, *contact, time + elapsed);
      parts_.start(motion, time + elapsed, time_step - elapsed);
      changed = true;
    }
    if (remove(motion, time + time_step)) changed = true;
    if (changed) parts_.start(motion, time + time_step, time_step);
    return true;
  }

  /// Restores masses, radii and sums of the beginning of the last step, after the caller has
  /// restored positions and velocities; the events of the step are dropped.
  void undo_changes(Motion const& motion) {
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(earlier_events_), events_.end());
    if (!before_changes_) return;
    auto const before = *std::exchange(before_changes_, std::nullopt);
    auto bodies = host_bodies(motion);
    bodies.mass = before.mass;
    bodies.radius = before.radius;
    moved_ = before.moved;
    copy_to_kernels(motion, bodies);
    std::vector<std::size_t> rows(before.mass.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    motion.update_bodies(rows);
  }

  /// Saves or restores radii and sums; on the leader rank.
  void exchange(ExecutionSpace const& space, SavedState& state, std::size_t count) {
    bool const saves = !state.restores() && !radius_.empty();
    if (!saves && !state.offers("bodies/radius")) return set_radii(space, {}, count);
    radius_.resize(count);
    Kokkos::DefaultHostExecutionSpace const host;
    state.exchange_replicated(host, "bodies/radius", unmanaged(radius_));
    state.exchange("events/energy", moved_.energy);
    for (auto* vector : {&moved_.momentum, &moved_.angular_momentum}) {
      std::string const name = vector == &moved_.momentum ? "events/momentum" : "events/spin";
      state.exchange(name + "_x", vector->x);
      state.exchange(name + "_y", vector->y);
      state.exchange(name + "_z", vector->z);
    }
    if (state.restores()) publish(space);
  }

 private:
  static void expect_few(int contacts, double time) {
    constexpr int most_contacts = 100000;
    APSIS_VALIDATE(contacts < most_contacts,
                   {"collisions", std::to_string(most_contacts) + " times of contact in one step",
                    "bodies rest on each other at time " + shortest(time),
                    "set collisions.on_collision to 'merge', or a shorter integrator.time_step"});
  }

  /// Makes the radii known to kernels and outputs.
  void publish(ExecutionSpace const& space) {
    std::vector<std::size_t> present;
    auto radii = std::make_shared<std::vector<double>>();
    for (std::size_t row = 0; row < radius_.size(); ++row) {
      if (radius_[row] < 0.0) continue;
      present.push_back(row);
      radii->push_back(radius_[row]);
    }
    gone_ = radius_.size() - present.size();
    bool const any = std::any_of(radii->begin(), radii->end(), [](double r) { return r > 0.0; });
    if (!any) radii->clear();
    present_radii_ = std::move(radii);
    if (!is_active()) return;
    column_ = copy_to_device(space, radius_, "apsis::simulation::body_events::radius");
    if (gone_ > 0)
      present_ = copy_to_device(space, present, "apsis::simulation::body_events::present");
    space.fence("apsis::simulation::body_events: what was copied is freed");
  }

  HostBodies host_bodies(Motion const& motion) const {
    auto bodies = to_host(motion.context.space, motion.bodies);
    bodies.radius = radius_;
    return bodies;
  }

  static Event event_of(EventKind kind, integrators::Meeting const& meeting,
                        HostBodies const& bodies) {
    auto first = meeting.first, second = meeting.second;
    double const m = bodies.mass[first], n = bodies.mass[second];
    if (m != n ? m < n : bodies.id[first] > bodies.id[second]) std::swap(first, second);
    return {.kind = kind,
            .time = meeting.time,
            .first = bodies.id[first],
            .second = bodies.id[second],
            .distance = meeting.distance,
            .speed = meeting.speed,
            .first_mass = bodies.mass[first],
            .second_mass = bodies.mass[second]};
  }

  /// Adds the closest approaches among the meetings.
  void list_encounters(Motion const& motion, Meetings const& meetings, double dt) {
    auto const is_encounter = [](auto const& meeting) { return meeting.is_contact == 0; };
    if (std::none_of(meetings.begin(), meetings.end(), is_encounter)) return;
    auto const bodies = host_bodies(motion);
    std::vector<Event> encounters;
    for (auto const& meeting : meetings) {
      if (is_encounter(meeting)) {
        encounters.push_back(event_of(EventKind::encounter, meeting, bodies));
      }
    }
    auto const key = [&](Event const& event) {
      return std::tuple(dt < 0.0 ? -event.time : event.time, std::min(event.first, *event.second),
                        std::max(event.first, *event.second));
    };
    std::sort(encounters.begin(), encounters.end(),
              [&](Event const& a, Event const& b) { return key(a) < key(b); });
    events_.insert(events_.end(), encounters.begin(), encounters.end());
  }

  /// Handles all contacts at the time of the first one.
  void collide(Motion const& motion, Meetings const& meetings, integrators::Meeting const& contact,
               double time) {
    motion.solver.set_time(time);
    auto bodies = host_bodies(motion);
    ChangingBodies changing(bodies, motion.solver.gravity(), forceless_);
    auto pairs = changing.touching_pairs();
    for (auto const& meeting : meetings) {
      if (meeting.is_contact != 0 && meeting.time == contact.time) {
        pairs.emplace_back(meeting.first, meeting.second);
      }
    }
    take_over(motion, changing.collide(std::move(pairs), *plan_.collisions, time), bodies);
  }

  /// Removes bodies that are beyond the limit; returns whether there were any.
  bool remove(Motion const& motion, double time) {
    if (!plan_.removal) return false;
    auto bodies = host_bodies(motion);
    if (!ChangingBodies::is_any_beyond(bodies, plan_.removal->beyond)) return false;
    ChangingBodies changing(bodies, motion.solver.gravity(), forceless_);
    auto events = changing.remove(*plan_.removal, time);
    if (events.empty()) return false;
    take_over(motion, std::move(events), bodies);
    return true;
  }

  /// Adds events and copies the bodies that they have changed to the kernels.
  void take_over(Motion const& motion, std::vector<Event> events, HostBodies const& bodies) {
    if (!before_changes_) {
      before_changes_ = BeforeChanges{host_bodies(motion).mass, radius_, moved_};
    }
    double const before = energy_of_forces(motion);
    for (auto const& event : events) moved_ += event.moved;
    events_.insert(events_.end(), events.begin(), events.end());
    copy_to_kernels(motion, bodies);
    std::vector<std::size_t> rows;
    auto const add_row = [&](std::uint64_t id) {
      auto const place = std::find(bodies.id.begin(), bodies.id.end(), id);
      rows.push_back(static_cast<std::size_t>(place - bodies.id.begin()));
    };
    for (auto const& event : events) {
      add_row(event.first);
      if (event.second) add_row(*event.second);
    }
    motion.update_bodies(rows);
    if (motion.solver.extra_forces() == nullptr) return;
    double const change = before - energy_of_forces(motion);
    moved_.energy += change;
    events_.back().moved.energy += change;
  }

  /// What forces besides gravity add to the judged energy: their potentials and, in a field at rest
  /// in the coordinates, the kinetic energy of the centre of mass.
  static double energy_of_forces(Motion const& motion) {
    auto const* const extra = motion.solver.extra_forces();
    if (extra == nullptr) return 0.0;
    double const energy = extra->energy(motion.context, motion.bodies, motion.solver.time());
    if (extra->conserved().internal_energy) return energy;
    auto const host = to_host(motion.context.space, motion.bodies);
    auto const velocity = centre_of_mass(host).velocity;
    double const mass = std::accumulate(host.mass.begin(), host.mass.end(), 0.0);
    return energy + 0.5 * mass * dot(velocity, velocity);
  }

  void copy_to_kernels(Motion const& motion, HostBodies const& bodies) {
    auto const& space = motion.context.space;
    auto const changed = to_device<Real>(space, bodies);
    Kokkos::deep_copy(space, motion.bodies.mass, changed.mass);
    Kokkos::deep_copy(space, motion.bodies.position, changed.position);
    Kokkos::deep_copy(space, motion.bodies.velocity, changed.velocity);
    space.fence("apsis::simulation::body_events: the copies are freed");
    radius_ = bodies.radius;
    publish(space);
  }

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
  std::size_t earlier_events_ = 0;  ///< number of events_ at the beginning of the step
  StepParts<Real> parts_;
  std::optional<BeforeChanges> before_changes_;  ///< at the beginning of the step, if it has events
};

}  // namespace apsis::simulation
