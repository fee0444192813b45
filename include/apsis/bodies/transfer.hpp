// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>

namespace apsis {

/// Copies bodies to the device and rounds to `Real`; accelerations are 0. Fences `space`.
template <class Real>
Bodies<Real> to_device(ExecutionSpace const& space, HostBodies const& host);

/// Copies mass, position, velocity and id to the host. Fences `space`.
template <class Real>
HostBodies to_host(ExecutionSpace const& space, Bodies<Real> const& bodies);

}  // namespace apsis
