// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <utility>
#include <vector>

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

/// The execution space on which kernels are queued, and the communicator of global reductions.
/// Without a communicator (the default) this process has all bodies. Converts implicitly from and
/// to ExecutionSpace, so kernels that need only the space take either.
struct Context {
  ExecutionSpace space;
  std::shared_ptr<Communicator const> communicator;

  Context(ExecutionSpace const& space_ = {},
          std::shared_ptr<Communicator const> communicator_ = nullptr)
      : space(space_), communicator(std::move(communicator_)) {}
  operator ExecutionSpace const&() const { return space; }
};

/// Whether the bodies of the run are distributed over several ranks.
inline bool is_shared(Context const& context) {
  return context.communicator && context.communicator->size() > 1;
}

/// The values of all ranks, concatenated in rank order; `local` itself without a communicator.
/// Collective.
template <class T>
std::vector<T> gather_values(Context const& context, std::vector<T> local) {
  return context.communicator ? gather_values(*context.communicator, local) : local;
}

}  // namespace apsis
