// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/forces/solver.hpp>

#include <vector>

namespace apsis::diagnostics {

/// Accelerations [length / time^2] and potentials [(length / time)^2] of some bodies.
struct Field {
  std::vector<Vec3<double>> acceleration;
  std::vector<double> potential;
};

/// Reference field at the bodies listed in `targets`: a plain loop over all other bodies with the
/// threads of the host, in double with compensated sums (Neumaier 1974, ZAMM 54, 39, algorithm IV;
/// a Kahan sum), so that only the rounding errors of single pairs remain. O(N) per target, at about
/// 10 ns per pair and thread.
Field reference_field(HostBodies const& bodies, forces::Gravity gravity,
                      std::vector<std::size_t> const& targets, Poll const& poll = {});

/// Reference field at all bodies. O(N^2).
Field reference_field(HostBodies const& bodies, forces::Gravity gravity);

}  // namespace apsis::diagnostics
