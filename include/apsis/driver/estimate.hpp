// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cstdint>
#include <string>

namespace apsis::driver {

struct Configuration;
class Simulation;

/// What a run will take of the clock, from a short look at its own bodies.
struct Estimate {
  double step = 0.0;      ///< of the deck [s]
  double log_line = 0.0;  ///< what a line of the log costs besides [s]
  bool at_least = false;  ///< steps that the bodies decide on may be many more

  /// Of so many steps more [s].
  double of(Configuration const& run, std::uint64_t steps) const;
};

/// Measures the forces on a share of the bodies of a simulation, and how many forces a step has on
/// a few hundred of them, which are moved apart from it. Takes about a tenth of a second, whatever
/// the number of bodies; changes and counts nothing of the simulation.
Estimate estimate(Configuration const& run, Simulation& whole);

/// The same before a run: of `count` bodies, from a simulation of fewer.
Estimate estimate(Configuration const& run, HostBodies const& some, double count);

/// "about 25 ms a step, 4.2 s in all".
std::string in_words(Estimate const& of, Configuration const& run, std::uint64_t steps);

}  // namespace apsis::driver
