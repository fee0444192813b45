// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/reductions.hpp>

namespace apsis {

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
