// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <vector>

namespace apsis::diagnostics {

/// The radii about `centre` [length] of the spheres that enclose these fractions of the mass, each
/// in (0, 1]: the distance of the body that completes the fraction, without interpolation (Spitzer
/// & Hart 1971, ApJ 164, 399). That of 1/2 is the half-mass radius. NaN without mass. Bodies at
/// equal distances count in the order of their numbers. O(N log N), on the host.
std::vector<double> lagrangian_radii(HostBodies const& bodies, Vec3<double> const& centre,
                                     std::vector<double> const& fractions);

}  // namespace apsis::diagnostics
