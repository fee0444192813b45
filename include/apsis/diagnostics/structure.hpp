// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cstdint>
#include <vector>

/// The structure of a stellar system, from bodies on the host.
namespace apsis::diagnostics {

/// The radii about `centre` [length] of the spheres that enclose these fractions of the mass, each
/// in (0, 1]: the distance of the body that completes the fraction, without interpolation (Spitzer
/// & Hart 1971, ApJ 164, 399). That of 1/2 is the half-mass radius. NaN without mass. Bodies at
/// equal distances count in the order of their numbers. O(N log N), on the host.
std::vector<double> lagrangian_radii(HostBodies const& bodies, Vec3<double> const& centre,
                                     std::vector<double> const& fractions);

/// The one-dimensional velocity dispersion of all bodies [length / time], weighted with their
/// masses: sqrt(sum m |v - mean|^2 / (3 M)) about the mean velocity. NaN without mass. O(N), on the
/// host.
double velocity_dispersion(HostBodies const& bodies);

/// Bodies that nothing holds.
struct Escapers {
  std::uint64_t count = 0;
  double mass = 0.0;  ///< [mass]
};

/// Bodies of positive energy, |v - mean|^2 / 2 + phi > 0, wherever they are. Velocities are taken
/// about the centre of mass of all bodies, escapers included; `potential` is that of
/// forces::Solver::potential (N values). O(N), on the host.
Escapers escapers(HostBodies const& bodies, std::vector<double> const& potential);

}  // namespace apsis::diagnostics
