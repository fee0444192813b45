// SPDX-License-Identifier: Apache-2.0
#include "execution_space_for.hpp"

#include <apsis/core/backend.hpp>
#include <apsis/core/machine.hpp>

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

}  // namespace apsis
