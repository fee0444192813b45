// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/diagnostics/relative_error.hpp>
#include <apsis/forces/solver.hpp>

#include <cstdint>
#include <vector>

namespace apsis::diagnostics {

/// Returns `count` different indices of so many bodies in ascending order, each choice with equal
/// probability; all indices if count >= bodies. A function of the arguments only. O(count log
/// count).
std::vector<std::size_t> random_sample(std::uint64_t seed, std::uint64_t step, std::size_t count,
                                       std::size_t bodies);

/// Relative errors |a - expected| / |expected| of the accelerations a = bodies.acceleration against
/// reference_field(), for the bodies listed in `sample`. The accelerations must belong to the
/// current positions. `species`: one for each body; empty: all `dark`. Fences `space`. O(N) per
/// listed body, on the host.
ErrorPercentiles force_errors(ExecutionSpace const& space, ReadBodies const& bodies,
                              forces::Gravity const& gravity,
                              std::vector<std::size_t> const& sample, Poll const& poll = {},
                              std::vector<std::uint8_t> const& species = {});

/// Relative errors of `potential` [length^2 / time^2] (N values) against reference_field(), for the
/// bodies listed in `sample`. O(N) per listed body, on the host.
PotentialErrors potential_errors(HostBodies const& bodies, std::vector<double> const& potential,
                                 forces::Gravity const& gravity,
                                 std::vector<std::size_t> const& sample, Poll const& poll = {});

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
