// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/integrators/passages.hpp>
#include <apsis/simulation/events.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace apsis::simulation {

/// The bodies of a run on the host while events change them. Every body keeps its row. A body that
/// was merged or removed has mass 0 and a radius below 0, and rests far away from all others. All
/// decisions and sums go by id, so the order of the rows changes no bit.
class ChangingBodies {
 public:
  /// `bodies` must outlive this object and have radii. `forceless`: distance from the origin at
  /// which bodies that are gone feel no force [length]; 0: they get an orbit of their own.
  ChangingBodies(HostBodies& bodies, forces::Gravity const& gravity, double forceless);

  static bool is_gone(HostBodies const& bodies, std::size_t row) {
    return bodies.radius[row] < 0.0;
  }

  /// Whether any body that is not gone may be farther than this from the centre of mass. O(N).
  static bool is_any_beyond(HostBodies const& bodies, double distance);

  /// Handles the contacts of some pairs of rows at a time, in the order of their ids, and those
  /// that follow from them: a merged body may touch another one, and a body that bounced may hit
  /// the next. Pairs of which one is gone already belong to the body with which that one was
  /// merged. Returns one event per merger or bounce. O(N) each.
  std::vector<Event> collide(std::vector<std::pair<std::size_t, std::size_t>> pairs,
                             deck::CollisionsPlan const& plan, double time);

  /// Returns all pairs of approaching bodies that are at most the sum of their radii apart, with a
  /// relative tolerance for rounding. At least one body of a pair has mass. O(massive x N).
  std::vector<std::pair<std::size_t, std::size_t>> touching_pairs() const;

  /// Removes the bodies beyond a distance from the centre of mass that the plan selects, except the
  /// heaviest body. Returns an event for each, in the order of their ids. O(N), and O(N^2) if only
  /// unbound bodies are removed and any is beyond.
  std::vector<Event> remove(deck::RemovalPlan const& plan, double time);

 private:
  using Pair = std::pair<std::size_t, std::size_t>;

  Pair ordered(Pair pair) const;
  Event describe(EventKind kind, Pair pair, double time) const;
  Event merge(Pair pair, double time);
  Event bounce(Pair pair, deck::CollisionsPlan const& plan, double time);
  /// Coefficient of restitution of a bounce: at least that which leaves the slowest rebound.
  double restitution_of(Pair pair, deck::CollisionsPlan const& plan, double approach_speed) const;
  /// Potential energy of two masses at a squared distance [mass length^2 / time^2].
  double pair_energy(double product_of_masses, double squared) const;
  /// Potential energy of two bodies with all others [mass length^2 / time^2], summed by id.
  double energy_with_others(Pair pair) const;
  /// Centre of mass of all bodies except that of a row.
  RunningCentre centre_without(std::size_t excluded) const;
  void park(std::size_t row);
  bool touch(Pair pair, double tolerance) const;
  bool approach(Pair pair) const;
  double reach_of(Pair pair) const {
    return bodies_.radius[pair.first] + bodies_.radius[pair.second];
  }

  HostBodies& bodies_;
  forces::Gravity gravity_;
  double forceless_;
  std::vector<std::size_t> by_id_;      ///< rows of all bodies that are not gone, by id
  std::vector<std::size_t> remaining_;  ///< row with which each row was merged; its own otherwise
};

/// Checks, before a run begins, that its bodies do not overlap, and that the heaviest one is not
/// beyond the distance of removal. Throws a bad-input error. O(massive x N).
void check_events(deck::Configuration const& run, HostBodies const& bodies);

/// Describes a pair of colliding bodies at `time`. `epsilon`: machine epsilon of the precision of
/// the run.
integrators::Collision::Pair describe_collision(diagnostics::ClosestPair const& pair,
                                                HostBodies const& bodies, double G, double epsilon,
                                                double time);

}  // namespace apsis::simulation
