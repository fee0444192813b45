// SPDX-License-Identifier: Apache-2.0
#include "thread_binding.hpp"

#include <apsis/core/execution.hpp>
#include <apsis/core/machine.hpp>

#include <cstdlib>
#include <sched.h>
#include <vector>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

namespace apsis {

#if defined(KOKKOS_ENABLE_OPENMP)

namespace {
bool bound = false;  ///< written before any thread calls unbind_this_thread()
cpu_set_t before_binding;
}  // namespace

ThreadBinding::ThreadBinding() {
  if (std::getenv("OMP_PROC_BIND") != nullptr) return;
  wanted_ = true;
  // The OpenMP runtime has read the environment already, so this does not change the binding. It
  // keeps Kokkos from printing its advice to set OMP_PROC_BIND.
  setenv("OMP_PROC_BIND", "false", 0);
}

void ThreadBinding::bind() const {
  cpu_set_t allowed;
  if (!wanted_ || sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  std::vector<int> processors;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) processors.push_back(cpu);
  }
  if (static_cast<int>(processors.size()) != host_threads()) return;
  before_binding = allowed;
  bound = true;
#pragma omp parallel
  {
    cpu_set_t single;
    CPU_ZERO(&single);
    CPU_SET(processors[static_cast<std::size_t>(omp_get_thread_num())], &single);
    sched_setaffinity(0, sizeof(single), &single);
  }
}

void unbind_this_thread() {
  if (bound) sched_setaffinity(0, sizeof(before_binding), &before_binding);
}

#else

ThreadBinding::ThreadBinding() = default;

void ThreadBinding::bind() const {}

void unbind_this_thread() {}

#endif

}  // namespace apsis
