// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/context.hpp>

/// The bodies of all processes on the first of them, for what one does alone. All make the same
/// calls; where there is one process nothing is copied. Cost: each body travels once; O(N) memory
/// on the first process.
namespace apsis {

/// All bodies, with their accelerations; no rows on the other processes. Fences.
template <class Real>
Bodies<Real> collected(Context const& context, Bodies<Real> const& own);

/// A number of every body. Fences.
template <class Value>
Column<Value> collected(Context const& context, Column<Value> const& own);

/// The bodies of this process, out of all that the first one has; without species. `total`: how
/// many those are.
HostBodies distributed(Context const& context, HostBodies const& all, std::size_t total);

}  // namespace apsis
