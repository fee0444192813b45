// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rollback_point.hpp"
#include "tangent_of_run.hpp"
#include "tracked_steps.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/solver.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/integrators/passages.hpp>
#include <apsis/integrators/stepper.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace apsis::simulation {

/// The bodies of a step and the objects that move them.
template <class Real>
struct StepMotion {
  Context const& context;
  Bodies<Real> const& bodies;
  forces::Solver<Real>& solver;
  integrators::Stepper<Real>& stepper;
  TrackedSteps<Real>& tracked;
  TangentOfRun& tangent;
  /// Called with the rows of bodies that an event has changed; replaces the watch.
  std::function<void(std::vector<std::size_t> const&)> const& update_bodies;
};

using Meetings = std::vector<integrators::Meeting>;

/// Relative rounding error of the time of a contact.
inline constexpr double part_rounding = 4e-16;

/// Returns the first contact in the direction of time; among simultaneous contacts the one of the
/// lowest rows.
inline std::optional<integrators::Meeting> first_contact(Meetings const& meetings, double dt) {
  std::optional<integrators::Meeting> first;
  auto const key = [&](integrators::Meeting const& meeting) {
    return std::tuple(dt < 0.0 ? -meeting.time : meeting.time, meeting.first, meeting.second);
  };
  for (auto const& meeting : meetings) {
    if (meeting.is_contact != 0 && (!first || key(meeting) < key(*first))) first = meeting;
  }
  return first;
}

/// Makes the parts into which contacts divide a step of the deck. A part can be undone. Masses and
/// radii do not change within a part.
template <class Real>
class StepParts {
 public:
  using Motion = StepMotion<Real>;

  /// A part that ends at a contact.
  struct PartToContact {
    double duration = 0.0;  ///< negative if time runs backwards [time]
    Meetings meetings;      ///< on the way
  };

  /// Saves the state to which go_back() returns.
  void save_start(Motion const& motion) { start_.save(motion.context.space, motion.bodies, 0); }

  /// Restarts the stepper at `time`, for a part of length dt.
  static void start(Motion const& motion, double time, double dt) {
    motion.solver.set_time(time);
    motion.stepper.start(motion.context, motion.bodies, motion.solver, dt);
  }
  /// Restores the state of the last save_start(), which was at `time`, and restarts the stepper for
  /// a part of length dt.
  void go_back(Motion const& motion, double time, double dt) {
    start_.restore(motion.context.space, motion.bodies);
    motion.tracked.watch()->rewind(motion.context.space);
    motion.tangent.undo_step();  // no step with a tangent vector has several parts
    start(motion, time, dt);
  }

  /// Advances by dt and returns the meetings on the way. `continues`: this is not the first part of
  /// the step. Bodies that have touched may come so close that no step resolves them.
  Meetings advance(Motion const& motion, double time, double dt, bool continues,
                   Column<double> const* potential) {
    auto const& space = motion.context.space;
    for (;;) {
      motion.solver.set_time(time);
      auto* const watch = motion.tracked.watch();
      if (watch == nullptr) {
        motion.stepper.advance(motion.context, motion.bodies, motion.solver, dt, potential);
        return {};
      }
      watch->begin(space, motion.bodies, time, continues);
      std::optional<integrators::Collision> close_pair;
      try {
        motion.stepper.advance(motion.context, motion.bodies, motion.solver, dt, potential);
      } catch (integrators::Collision const& error) {
        close_pair = error;
      }
      auto meetings = watch->meetings(space);
      if (!meetings) {
        go_back(motion, time, dt);
        continue;
      }
      if (close_pair && !first_contact(*meetings, dt)) throw *close_pair;
      return std::move(*meetings);
    }
  }

  /// Advances to a contact of two bodies in at most `rest` [time]. `reach`: the sum of their radii
  /// [length]. The meetings are on interpolated paths: Newton's method corrects their times by
  /// the state of the integrator.
  PartToContact advance_to_contact(Motion const& motion, integrators::Meeting const& contact,
                                   double reach, double time, double rest, bool continues) {
    constexpr int most_corrections = 4;
    auto const within = [&](double dt) {
      return std::clamp(dt, std::min(0.0, rest), std::max(0.0, rest));
    };
    PartToContact part{within(contact.time - time), {}};
    for (int n = 0; part.duration != 0.0; ++n) {
      part.meetings = advance(motion, time, part.duration, continues, nullptr);
      double const corrected = within(part.duration + time_to_contact(motion, contact, reach));
      bool const is_exact = std::abs(corrected - part.duration) <= part_rounding * std::abs(rest);
      if (is_exact || n == most_corrections) break;
      go_back(motion, time, rest);
      part.duration = corrected;
    }
    return part;
  }

 private:
  /// Time until the distance of the pair is `reach`, at the present radial velocity [time].
  static double time_to_contact(Motion const& motion, integrators::Meeting const& contact,
                                double reach) {
    auto const bodies = to_host(motion.context.space, motion.bodies);
    auto const r = bodies.position[contact.second] - bodies.position[contact.first];
    auto const v = bodies.velocity[contact.second] - bodies.velocity[contact.first];
    double const distance = norm(r), radial_speed = dot(r, v) / distance;
    return radial_speed != 0.0 ? (reach - distance) / radial_speed : 0.0;
  }

  RollbackPoint<Real> start_;  ///< of the present part
};

}  // namespace apsis::simulation
