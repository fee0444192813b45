// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/forces/solver.hpp>

namespace apsis::driver {

/// Rescales bodies to exact Henon units (Henon 1971; Heggie & Mathieu 1986): G = 1, M = 1,
/// E = -1/4 and 2K = -W, centred, with W the softened potential energy that the run will measure.
/// Softening has a length of its own, so W is met by iteration: a few evaluations of O(N^2).
/// Throws a bad-input error if no scale reaches it.
void scale_to_henon_units(ExecutionSpace const& space, HostBodies& bodies,
                          forces::Gravity const& gravity);

}  // namespace apsis::driver
