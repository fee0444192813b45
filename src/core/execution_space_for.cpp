// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/execution_space_for.hpp>

namespace apsis {

ExecutionSpace execution_space_for([[maybe_unused]] std::size_t bodies,
                                   [[maybe_unused]] bool all_threads) {
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  constexpr std::size_t fewest_for_threads = 64;
  if (bodies < fewest_for_threads && !all_threads) return ExecutionSpace(1);
#endif
  return ExecutionSpace();
}

}  // namespace apsis
