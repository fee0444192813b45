// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/forces/solver.hpp>

#include <optional>
#include <string>

namespace apsis::simulation {

/// Rescales bodies to exact Henon units (Henon 1971; Heggie & Mathieu 1986): G = 1, M = 1 and E =
/// -1/4, with the centre of mass at rest and the softened potential energy W that the run will
/// measure. Lengths are scaled about the origin. The virial ratio K / |W| becomes `virial_ratio`
/// (below 1; 1/2 is equilibrium); without a value it is preserved, and orbits keep their shape. The
/// softening length is not scaled, so W is reached by iteration with a few evaluations of `solver`.
/// Throws a bad-input error if no scale reaches W.
void scale_to_henon_units(ExecutionSpace const& space, HostBodies& bodies,
                          forces::Solver<double>& solver, std::optional<double> virial_ratio);

/// Scales the velocities about that of the centre of mass so that K / |W| becomes `virial_ratio` >
/// 0: K in the frame of the centre of mass, W softened as by `solver`, one evaluation of it.
/// Momentum and positions do not change. Throws a bad-input error, about the key `where`, if W or K
/// is 0 or not finite.
void scale_to_virial_ratio(ExecutionSpace const& space, HostBodies& bodies,
                           forces::Solver<double>& solver, double virial_ratio,
                           std::string const& where);

/// Throws a bad-input error, about the key `where`, if all massive bodies have one velocity: no
/// factor gives them a kinetic energy.
void check_motion(HostBodies const& bodies, std::string const& where);

}  // namespace apsis::simulation
