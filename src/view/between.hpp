// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>

namespace apsis::view {

/// Interpolates bodies between two snapshots `dt` apart [time], at the fraction `s` of the
/// interval, 0 to 1. Uses the cubics through positions and velocities at both ends (Hermite
/// interpolation; error O(dt^4)). Overwrites positions and velocities of `now`. All three hold the
/// same bodies in the same order. O(N), does not fence.
void interpolate_bodies(ExecutionSpace const& space, Bodies<double> const& before,
                        Bodies<double> const& after, double dt, double s,
                        Bodies<double> const& now);

}  // namespace apsis::view
