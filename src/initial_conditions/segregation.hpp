// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "masses.hpp"

/// Primordial mass segregation of spheres.
namespace apsis::initial_conditions {

/// Order of the bodies from the most to the least bound orbit, for a degree of segregation S in [0,
/// 1]: each body from the heaviest to the lightest takes the free place floor((1 - X^(1 - S)) F) of
/// the F free places, with X uniform in (0, 1) (McLuster, Kuepper et al. 2011, MNRAS 417, 2300). 0
/// is a random order, 1 is the order of the masses. O(N log N).
std::vector<std::size_t> segregated_order(std::vector<double> const& mass, double segregation,
                                          std::uint64_t seed);

/// Draws positions and velocities of a segregated sphere without changing its mass profile
/// (Baumgardt, De Marchi & Kroupa 2008, ApJ 685, 247). A pool of 16 to 64 orbits for each body is
/// drawn from the model and sorted by energy. The body at a place of segregated_order() takes an
/// orbit from the fraction of the pool that corresponds to its fraction of the mass: with the
/// bodies before it having the mass M_b, an orbit with a rank between M_b / M and (M_b + m) / M.
/// Energies are those in the potential of spherical shells of the pool.
void draw_segregated(HostBodies& bodies, Values const& values, double segregation, double G,
                     DrawBody const& draw);

}  // namespace apsis::initial_conditions
