// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

namespace apsis::diagnostics {

/// The one-dimensional velocity dispersion of all bodies [length / time], weighted with their
/// masses: sqrt(sum m |v - mean|^2 / (3 M)) about the mean velocity. NaN without mass. O(N), on the
/// host.
double velocity_dispersion(HostBodies const& bodies);

}  // namespace apsis::diagnostics
