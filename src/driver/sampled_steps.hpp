// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cstddef>

namespace apsis::driver {

struct Configuration;
struct MeasuredTimes;
class Simulation;

inline constexpr std::size_t few_bodies = 256;

/// Steps of some of a run's bodies, for each step of the deck.
struct SampledSteps {
  double seconds = 0.0;
  double sweeps = 1.0;       ///< forces of all on all, as many as the interactions are
  double inner_steps = 1.0;  ///< of the integrator
  bool is_whole = false;     ///< of all bodies, not of a sample
  bool is_inner = false;     ///< the bodies decide on the steps
};

/// At most so many of the bodies, at even distances in their order, with the total mass of all.
HostBodies evenly(HostBodies const& bodies, std::size_t most);

/// Steps a copy of the simulation's bodies, or a sample of them, for at most some tenths of a
/// second: block and adaptive steps are interrupted between two inner steps. `forces`: wall time of
/// one force evaluation [s].
SampledSteps sampled_steps(Configuration const& run, Simulation& whole, double forces,
                           bool is_whole);

/// Wall time of a step of the deck [s] of all bodies, whose forces take these times.
double seconds_of(SampledSteps const& steps, MeasuredTimes const& times);

}  // namespace apsis::driver
