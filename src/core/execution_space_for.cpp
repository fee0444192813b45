// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/execution_space_for.hpp>
#include <apsis/core/machine.hpp>

namespace apsis {

#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)

namespace {
bool needs_one_thread(std::size_t bodies, bool all_threads) {
  constexpr std::size_t min_bodies_for_threads = 64;
  return bodies < min_bodies_for_threads && !all_threads;
}
}  // namespace

ExecutionSpace execution_space_for(std::size_t bodies, bool all_threads) {
  return needs_one_thread(bodies, all_threads) ? ExecutionSpace(1) : ExecutionSpace();
}

int threads_for(std::size_t bodies, bool all_threads) {
  return needs_one_thread(bodies, all_threads) ? 1 : host_threads();
}

#else

ExecutionSpace execution_space_for(std::size_t, bool) {
  return ExecutionSpace();
}

int threads_for(std::size_t, bool) {
  return host_threads();
}

#endif

}  // namespace apsis
