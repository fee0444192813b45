// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

namespace apsis {

/// Execution space of all kernels: the single backend that this executable was built for.
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
/// Memory space of the bodies.
using MemorySpace = ExecutionSpace::memory_space;

/// Page-locked host memory, which a device reads and writes at full speed.
#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
using PinnedSpace = Kokkos::SharedHostPinnedSpace;
#else
using PinnedSpace = Kokkos::HostSpace;
#endif

}  // namespace apsis
