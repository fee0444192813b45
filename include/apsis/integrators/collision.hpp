// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <cstdint>
#include <optional>

namespace apsis::integrators {

/// Error (exit status 70): the step would have to be shorter than the shortest possible one. Either
/// two bodies are about to collide, or the coordinates have too few digits for the derivatives that
/// the time step criterion uses. Other events that no step can pass have a cause().
class Collision final : public Error {
 public:
  /// The pair with the shortest dynamical time sqrt(r^3 / (G (m1 + m2))) at the collision.
  struct Pair {
    std::uint64_t first = 0, second = 0;  ///< ids
    double distance = 0.0;                ///< r [length]
    double time = 0.0;                    ///< simulated time of the collision [time]
    double dynamical_time = 0.0;          ///< [time]
    double spacing = 0.0;     ///< spacing of floating-point coordinates at the pair [length]
    bool off_centre = false;  ///< whether the centre of mass is much farther from the origin than
                              ///< the pair is from the centre of mass
  };

  Collision(double shortest_step, double elapsed);
  /// Another event after which the run cannot go on: bodies that rest on each other, a force that
  /// lost its source.
  Collision(Problem cause, double elapsed);

  double shortest_step() const { return shortest_step_; }  ///< shortest step of a stepper [time]
  double elapsed() const { return elapsed_; }  ///< time since the start of the advance [time]

  /// Reason, if it is not the length of the step.
  std::optional<Problem> const& cause() const { return cause_; }

  /// Set by the simulation, which has the bodies.
  std::optional<Pair> pair;

  /// Whether rounding of the coordinates, not a close pair, made the step short: the step fell far
  /// below the pair's dynamical time, or the distance of the pair is not much more than the spacing
  /// of the coordinates.
  bool is_caused_by_rounding() const;

 private:
  double shortest_step_, elapsed_;
  std::optional<Problem> cause_;
};

}  // namespace apsis::integrators
