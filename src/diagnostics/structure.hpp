// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cstdint>
#include <vector>

/// Measures of the structure of a stellar system, for bodies on the host.
namespace apsis::diagnostics {

/// Lagrangian radii about `centre` [length]: radii of the spheres that enclose these fractions of
/// the mass, each in (0, 1]. A radius is the distance of the body that completes the fraction,
/// without interpolation (Spitzer & Hart 1971, ApJ 164, 399). The radius of 1/2 is the half-mass
/// radius. NaN without mass. Bodies at equal distances are ordered by index. O(N log N), on the
/// host.
std::vector<double> lagrangian_radii(HostBodies const& bodies, Vec3<double> const& centre,
                                     std::vector<double> const& fractions);

/// One-dimensional, mass-weighted velocity dispersion of all bodies [length / time]: sqrt(sum m |v
/// - mean|^2 / (3 M)) about the mean velocity. NaN without mass. O(N), on the host.
double velocity_dispersion(HostBodies const& bodies);

/// Number and mass of unbound bodies.
struct Escapers {
  std::uint64_t count = 0;
  double mass = 0.0;  ///< [mass]
};

/// Counts the bodies with positive energy, |v - mean|^2 / 2 + phi > 0, at any distance. Velocities
/// are relative to the centre of mass of all bodies, including escapers; `potential` is that of
/// forces::Solver::potential (N values). O(N), on the host.
Escapers escapers(HostBodies const& bodies, std::vector<double> const& potential);

/// Unbound body far out.
struct Escaper {
  std::size_t body;  ///< its index
  double energy;     ///< per mass, |v - mean|^2 / 2 + phi > 0 [length^2 / time^2]
  double distance;   ///< from the centre [length]
  double speed;      ///< relative to the centre of mass of all bodies [length / time]
};

/// Returns the bodies that escapers() counts and that are farther than `radius` from `centre`, by
/// index. None if `radius` is NaN. O(N), on the host.
std::vector<Escaper> distant_escapers(HostBodies const& bodies,
                                      std::vector<double> const& potential,
                                      Vec3<double> const& centre, double radius);

}  // namespace apsis::diagnostics
