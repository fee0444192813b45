// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/diagnostics/relative_error.hpp>
#include <apsis/forces/solver.hpp>

#include <cstdint>
#include <vector>

namespace apsis::diagnostics {

/// `count` different places among so many bodies, each choice as likely as any other, ascending;
/// all of them if there are no more. A function of the seed and the step alone. O(count log count).
std::vector<std::size_t> random_sample(std::uint64_t seed, std::uint64_t step, std::size_t count,
                                       std::size_t bodies);

/// Relative errors |found - expected| / |expected| of bodies.acceleration, which must belong to the
/// bodies where they are, against reference_field() for the bodies that `sample` lists. Fences
/// `space`. O(N) per listed body, on the host.
template <class Real>
ErrorPercentiles force_errors(ExecutionSpace const& space, Bodies<Real> const& bodies,
                              forces::Gravity const& gravity,
                              std::vector<std::size_t> const& sample, Poll const& poll = {});

/// The same of `potential` [length^2 / time^2], which has a number for each body, against
/// reference_field(). O(N) per listed body, on the host.
PotentialErrors potential_errors(HostBodies const& bodies, std::vector<double> const& potential,
                                 forces::Gravity const& gravity,
                                 std::vector<std::size_t> const& sample, Poll const& poll = {});

}  // namespace apsis::diagnostics
