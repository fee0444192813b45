// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

namespace apsis {

/// Where kernels run: the one backend that this executable was built for.
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
/// Where the bodies live.
using MemorySpace = ExecutionSpace::memory_space;
/// Whether bodies live in the host's memory, so that nothing is moved.
inline constexpr bool bodies_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;

}  // namespace apsis
