// SPDX-License-Identifier: Apache-2.0
#include "apsis/core/execution.hpp"

#include "execution_space_for.hpp"
#include "profiling_region.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/reductions.hpp>

#include <Kokkos_Core.hpp>

namespace apsis {

namespace {

bool needs_one_thread(std::size_t bodies, bool all_threads) {
  constexpr std::size_t min_bodies_for_threads = 64;
  return has_openmp && !on_gpu && bodies < min_bodies_for_threads && !all_threads;
}

/// Instance with one thread. A template, since only OpenMP has instances with fewer threads.
template <class Space>
Space one_thread_instance() {
  if constexpr (has_openmp && !on_gpu) {
    return Space(1);
  } else {
    return Space();
  }
}

}  // namespace

ExecutionSpace execution_space_for(std::size_t bodies, bool all_threads) {
  return needs_one_thread(bodies, all_threads) ? one_thread_instance<ExecutionSpace>()
                                               : ExecutionSpace();
}

int threads_for(std::size_t bodies, bool all_threads) {
  return needs_one_thread(bodies, all_threads) ? 1 : host_threads();
}

ProfilingRegion::ProfilingRegion(char const* name)
    : is_open_(Kokkos::Profiling::profileLibraryLoaded()) {
  if (is_open_) Kokkos::Profiling::pushRegion(name);
}

ProfilingRegion::~ProfilingRegion() {
  if (is_open_) Kokkos::Profiling::popRegion();
}

ResultBuffer::ResultBuffer(ExecutionSpace const& space, void* host, std::size_t bytes)
    : host_(static_cast<std::byte*>(host)) {
  if constexpr (bodies_on_host) {
    memory_ = decltype(memory_)(host_, bytes);
  } else {
    memory_ = uninitialised<decltype(memory_)>(space, "apsis::core::ResultBuffer", bytes);
  }
}

void ResultBuffer::copy_to_host(ExecutionSpace const& space) const {
  Kokkos::View<std::byte*, Kokkos::HostSpace> const host(host_, memory_.size());
  Kokkos::deep_copy(space, host, memory_);
  space.fence("apsis::core::ResultBuffer: the host reads results of a kernel");
}

}  // namespace apsis
