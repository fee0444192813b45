// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <cstdint>
#include <optional>

namespace apsis::integrators {

/// Two bodies are so close that no step follows them (exit status 70), or the coordinates have too
/// few digits for the derivatives that choose the step.
class Collision final : public Error {
 public:
  /// The pair with the shortest dynamical time sqrt(r^3 / (G (m1 + m2))) at the collision.
  struct Pair {
    std::uint64_t first = 0, second = 0;  ///< ids
    double distance = 0.0;                ///< r [length]
    double time = 0.0;                    ///< of the collision, as the simulation counts it [time]
    double dynamical_time = 0.0;          ///< [time]
    double spacing = 0.0;     ///< of the coordinates that the run's precision has there [length]
    bool off_centre = false;  ///< whether the centre of mass is farther from the origin than the
                              ///< pair is from it
  };

  Collision(double shortest_step, double elapsed);

  double shortest_step() const { return shortest_step_; }  ///< that a stepper can take [time]
  double elapsed() const { return elapsed_; }  ///< since the beginning of the advance [time]

  /// Found by the simulation, which has the bodies.
  std::optional<Pair> pair;

  /// Whether rounding of the coordinates made the step short, not a close pair: the step fell far
  /// below the pair's dynamical time, or the pair is near the spacing of the coordinates.
  bool ran_out_of_digits() const;

 private:
  double shortest_step_, elapsed_;
};

}  // namespace apsis::integrators
