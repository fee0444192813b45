// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>

namespace apsis::view {

/// Where bodies were between two snapshots `dt` apart [time], after the share `s` of it, 0 to 1: on
/// the cubics through both places and velocities (Hermite interpolation; error O(dt^4)). Overwrites
/// positions and velocities of `now`, of which all three have the same bodies in the same order.
/// O(N), does not fence.
void put_between(ExecutionSpace const& space, Bodies<double> const& before,
                 Bodies<double> const& after, double dt, double s, Bodies<double> const& now);

}  // namespace apsis::view
