// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/forces/solver.hpp>

#include <vector>

namespace apsis::benchmark {

/// Accelerations [length / time^2] and potentials [(length / time)^2] of all bodies.
struct Field {
  std::vector<Vec3<double>> acceleration;
  std::vector<double> potential;
};

/// By a plain loop over all pairs on the host's threads, in double with compensated sums (Neumaier
/// 1974, ZAMM 54, 39, algorithm IV): what is left is the rounding of the single pairs. O(N^2).
Field reference_field(HostBodies const& bodies, forces::Gravity gravity);

}  // namespace apsis::benchmark
