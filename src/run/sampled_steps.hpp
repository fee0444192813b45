// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cstddef>
#include <memory>

namespace apsis::deck {
struct Configuration;
}  // namespace apsis::deck

namespace apsis::simulation {
struct MeasuredTimes;
class Simulation;
}  // namespace apsis::simulation

namespace apsis::run {

inline constexpr std::size_t few_bodies = 256;

/// Cost of a step of the deck, measured with a sample of the bodies of a run.
struct SampledSteps {
  double seconds = 0.0;      ///< wall time [s]
  double sweeps = 1.0;       ///< force evaluations of all bodies of the sample (interactions / N^2)
  double inner_steps = 1.0;  ///< steps of the integrator
  bool is_whole = false;     ///< all bodies of the run were stepped, not a sample
  bool is_inner = false;     ///< the integrator takes adaptive or block steps
};

/// Returns at most `most` of the bodies, evenly spaced in their order and including the heaviest
/// one. Their masses are scaled to the total mass of all bodies.
HostBodies sample_evenly(HostBodies const& bodies, std::size_t most);

/// Makes a simulation of a sample of the bodies of a run. The bodies that forces besides gravity
/// name may be missing in the sample, so these forces are left out. Other ranks would still apply
/// them, so then the sample has no more bodies than the leader rank moves alone.
std::unique_ptr<simulation::Simulation> make_sample_simulation(deck::Configuration const& run,
                                                               HostBodies const& sample);

/// Steps a copy of the bodies of a simulation, or a sample of them, for at most some tenths of a
/// second; adaptive and block stepping are interrupted between internal steps. `forces`: wall time
/// of one force evaluation [s]. `has_all_bodies`: the simulation has all bodies of the run.
SampledSteps sampled_steps(deck::Configuration const& run, simulation::Simulation& simulation,
                           double forces, bool has_all_bodies);

/// Returns the wall time of a step of the deck for all bodies [s]. `times`: times of the force
/// evaluations of all bodies.
double seconds_of(SampledSteps const& steps, simulation::MeasuredTimes const& times);

}  // namespace apsis::run
