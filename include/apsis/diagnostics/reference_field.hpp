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

/// At the bodies that `targets` lists, by a plain loop over all others on the host's threads, in
/// double with compensated sums (Neumaier 1974, ZAMM 54, 39, algorithm IV): what is left is the
/// rounding of the single pairs. O(N) for each target, at about 10 ns a pair and thread.
Field reference_field(HostBodies const& bodies, forces::Gravity gravity,
                      std::vector<std::size_t> const& targets, Poll const& poll = {});

/// At every body. O(N^2).
Field reference_field(HostBodies const& bodies, forces::Gravity gravity);

}  // namespace apsis::diagnostics
