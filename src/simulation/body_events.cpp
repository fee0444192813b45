// SPDX-License-Identifier: Apache-2.0
#include "body_events.hpp"

#include "collisions.hpp"
#include "forces/softening.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/text.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

namespace apsis::simulation {

namespace {

/// Relative rounding error of the time of a contact.
constexpr double part_rounding = 4e-16;

/// Returns the first contact in the direction of time; among simultaneous contacts the one of the
/// lowest rows.
std::optional<integrators::Meeting> first_contact(Meetings const& meetings, double dt) {
  std::optional<integrators::Meeting> first;
  auto const key = [&](integrators::Meeting const& meeting) {
    return std::tuple(dt < 0.0 ? -meeting.time : meeting.time, meeting.first, meeting.second);
  };
  for (auto const& meeting : meetings) {
    if (meeting.is_contact != 0 && (!first || key(meeting) < key(*first))) first = meeting;
  }
  return first;
}

// Contacts divide a step of the deck into parts. A part can be undone: Point::part_start is its
// beginning. Masses and radii do not change within a part.

/// Returns to the beginning of the part, which was at `time`, and restarts the stepper for a part
/// of length dt.
void undo_part(StepMotion const& motion, double time, double dt) {
  motion.method.restore(Point::part_start);
  motion.tracked.watch()->rewind(motion.method.context());
  motion.tracked.undo_step();  // no step with a tangent vector has several parts
  motion.method.start(time, dt);
}

/// Advances by dt and returns the meetings on the way. `continues`: this is not the first part of
/// the step. Bodies that have touched may come so close that no step resolves them.
Meetings advance_part(StepMotion const& motion, double time, double dt, bool continues,
                      Column<double> const* potential) {
  auto& method = motion.method;
  auto const& space = method.context().space;
  for (;;) {
    auto* const watch = motion.tracked.watch();
    if (watch == nullptr) {
      method.advance(time, dt, potential);
      return {};
    }
    watch->begin(space, method.bodies(), time, continues);
    std::optional<integrators::Collision> close_pair;
    try {
      method.advance(time, dt, potential);
    } catch (integrators::Collision const& error) {
      close_pair = error;
    }
    auto meetings = watch->meetings(space);
    if (!meetings) {
      undo_part(motion, time, dt);
      continue;
    }
    if (close_pair && !first_contact(*meetings, dt)) throw *close_pair;
    return std::move(*meetings);
  }
}

/// Time until the distance of the pair is `reach`, at the present radial velocity [time].
double time_to_contact(StepMotion const& motion, integrators::Meeting const& contact,
                       double reach) {
  auto const bodies = to_host(motion.method.context(), motion.method.bodies());
  auto const r = bodies.position[contact.second] - bodies.position[contact.first];
  auto const v = bodies.velocity[contact.second] - bodies.velocity[contact.first];
  double const distance = norm(r), radial_speed = dot(r, v) / distance;
  return radial_speed != 0.0 ? (reach - distance) / radial_speed : 0.0;
}

/// A part that ends at a contact.
struct PartToContact {
  double duration = 0.0;  ///< negative if time runs backwards [time]
  Meetings meetings;      ///< on the way
};

/// Advances to a contact of two bodies in at most `rest` [time]. `reach`: the sum of their radii
/// [length]. The meetings are on interpolated paths: Newton's method corrects their times by the
/// state of the integrator.
PartToContact advance_to_contact(StepMotion const& motion, integrators::Meeting const& contact,
                                 double reach, double time, double rest, bool continues) {
  constexpr int most_corrections = 4;
  auto const within = [&](double dt) {
    return std::clamp(dt, std::min(0.0, rest), std::max(0.0, rest));
  };
  PartToContact part{within(contact.time - time), {}};
  for (int n = 0; part.duration != 0.0; ++n) {
    part.meetings = advance_part(motion, time, part.duration, continues, nullptr);
    double const corrected = within(part.duration + time_to_contact(motion, contact, reach));
    bool const is_exact = std::abs(corrected - part.duration) <= part_rounding * std::abs(rest);
    if (is_exact || n == most_corrections) break;
    undo_part(motion, time, rest);
    part.duration = corrected;
  }
  return part;
}

/// Distance from the origin at which all forces vanish [length]: the place of bodies that are gone,
/// which then do not affect step criteria. 0 if the scheme needs an orbit of each body.
double forceless_place(deck::Configuration const& run) {
  if (run.integrator.entry->needs_dominant_body) return 0.0;
  return 4.0 * (run.gravity.precision == forces::Precision::double_precision
                    ? forces::largest_force_distance<double>
                    : forces::largest_force_distance<float>);
}

void expect_few(int contacts, double time, double elapsed) {
  constexpr int most_contacts = 100000;
  if (contacts < most_contacts) return;
  throw integrators::Collision(
      Problem{"collisions", std::to_string(most_contacts) + " times of contact in one step",
              "bodies rest on each other at time " + shortest(time),
              "set collisions.on_collision to 'merge', a larger collisions.slowest_rebound, or a "
              "shorter integrator.time_step"},
      elapsed);
}

Event event_of(EventKind kind, integrators::Meeting const& meeting, HostBodies const& bodies) {
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

/// Energy that forces besides gravity add to the judged energy: their potentials and, in a field at
/// rest in the coordinates, the kinetic energy of the centre of mass.
double energy_of_forces(Method const& method) {
  auto const* const extra = method.extra_forces();
  if (extra == nullptr) return 0.0;
  double const energy = method.energy_of_extra_forces();
  if (extra->conserved().internal_energy) return energy;
  auto const host = to_host(method.context(), method.bodies());
  auto const velocity = centre_of_mass(host).velocity;
  double const mass = std::accumulate(host.mass.begin(), host.mass.end(), 0.0);
  return energy + 0.5 * mass * dot(velocity, velocity);
}

}  // namespace

BodyEvents::BodyEvents(deck::Configuration const& run)
    : plan_(run.events), forceless_(forceless_place(run)) {}

void BodyEvents::set_radii(ExecutionSpace const& space, std::vector<double> radii,
                           std::size_t count) {
  if (radii.empty() && is_active()) radii.assign(count, 0.0);
  radius_ = std::move(radii);
  publish(space);
}

std::uint64_t BodyEvents::present_index(std::uint64_t row) const {
  if (gone_ == 0) return row;
  return static_cast<std::uint64_t>(
      std::count_if(radius_.begin(), radius_.begin() + static_cast<std::ptrdiff_t>(row),
                    [](double radius) { return radius >= 0.0; }));
}

forces::BodiesOfForces BodyEvents::bodies_of_forces(
    Method const& method, std::vector<std::uint8_t> const& species) const {
  auto const& bodies = method.bodies();
  forces::BodiesOfForces result;
  result.id = ids_on_host(method.context(), bodies);
  result.mass = values_on_host(method.context(), bodies.mass);
  result.species = species;
  result.first = bodies.first;
  result.total = bodies.total;
  for (std::size_t row = 0; gone_ > 0 && row < bodies.size(); ++row) {
    if (is_gone(row)) result.gone.push_back(row);
  }
  return result;
}

void BodyEvents::clear() {
  events_.clear();
  earlier_events_ = 0;
}

void BodyEvents::drop_step() {
  events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(earlier_events_), events_.end());
}

bool BodyEvents::advance(StepMotion const& motion, double time, double time_step,
                         Column<double> const* potential, bool& changed) {
  changed = false;
  before_changes_.reset();
  earlier_events_ = events_.size();
  motion.tracked.save_step_start();
  double elapsed = 0.0;
  try {
    return advance_parts(motion, time, time_step, potential, elapsed, changed);
  } catch (Error const& error) {
    // A force may need a body that is gone. The state is good, only the run cannot go on.
    if (error.status() != ExitStatus::bad_input) throw;
    throw integrators::Collision(error.problems().front(), elapsed);
  }
}

bool BodyEvents::advance_parts(StepMotion const& motion, double time, double time_step,
                               Column<double> const* potential, double& elapsed, bool& changed) {
  // Below this, a rest of the step is rounding of the time of the last contact.
  double const least = part_rounding * std::abs(time);
  for (int contacts = 0; std::abs(time_step - elapsed) > least; ++contacts) {
    expect_few(contacts, time + elapsed, elapsed);
    motion.method.save(Point::part_start, 0);
    double const rest = time_step - elapsed, now = time + elapsed;
    auto const meetings = advance_part(motion, now, rest, elapsed != 0.0, potential);
    auto const contact = first_contact(meetings, rest);
    if (!contact) {
      list_encounters(motion, meetings, rest);
      break;
    }
    undo_part(motion, now, rest);
    if (plan_.collisions->on_collision == deck::OnCollision::stop) {
      events_.push_back(event_of(EventKind::collision, *contact, host_bodies(motion)));
      return false;
    }
    double const reach = radius_[contact->first] + radius_[contact->second];
    auto const part = advance_to_contact(motion, *contact, reach, now, rest, elapsed != 0.0);
    list_encounters(motion, part.meetings, part.duration);
    elapsed += part.duration;
    collide(motion, meetings, *contact, time + elapsed);
    motion.method.start(time + elapsed, time_step - elapsed);
    changed = true;
  }
  if (remove(motion, time + time_step)) changed = true;
  if (changed) motion.method.start(time + time_step, time_step);
  return true;
}

void BodyEvents::undo_changes(StepMotion const& motion) {
  drop_step();
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

void BodyEvents::exchange(ExecutionSpace const& space, SavedState& state, std::size_t count) {
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

void BodyEvents::publish(ExecutionSpace const& space) {
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

HostBodies BodyEvents::host_bodies(StepMotion const& motion) const {
  auto bodies = to_host(motion.method.context(), motion.method.bodies());
  bodies.radius = radius_;
  return bodies;
}

void BodyEvents::list_encounters(StepMotion const& motion, Meetings const& meetings, double dt) {
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

void BodyEvents::collide(StepMotion const& motion, Meetings const& meetings,
                         integrators::Meeting const& contact, double time) {
  motion.method.set_time(time);
  auto bodies = host_bodies(motion);
  ChangingBodies changing(bodies, motion.method.gravity(), forceless_);
  auto pairs = changing.touching_pairs();
  for (auto const& meeting : meetings) {
    if (meeting.is_contact != 0 && meeting.time == contact.time) {
      pairs.emplace_back(meeting.first, meeting.second);
    }
  }
  take_over(motion, changing.collide(std::move(pairs), *plan_.collisions, time), bodies);
}

bool BodyEvents::remove(StepMotion const& motion, double time) {
  if (!plan_.removal) return false;
  auto bodies = host_bodies(motion);
  if (!ChangingBodies::is_any_beyond(bodies, plan_.removal->beyond)) return false;
  ChangingBodies changing(bodies, motion.method.gravity(), forceless_);
  auto events = changing.remove(*plan_.removal, time);
  if (events.empty()) return false;
  take_over(motion, std::move(events), bodies);
  return true;
}

void BodyEvents::take_over(StepMotion const& motion, std::vector<Event> events,
                           HostBodies const& bodies) {
  if (!before_changes_) {
    before_changes_ = BeforeChanges{host_bodies(motion).mass, radius_, moved_};
  }
  double const before = energy_of_forces(motion.method);
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
  if (motion.method.extra_forces() == nullptr) return;
  double const change = before - energy_of_forces(motion.method);
  moved_.energy += change;
  events_.back().moved.energy += change;
}

void BodyEvents::copy_to_kernels(StepMotion const& motion, HostBodies const& bodies) {
  motion.method.overwrite(bodies);
  radius_ = bodies.radius;
  publish(motion.method.context());
}

}  // namespace apsis::simulation
