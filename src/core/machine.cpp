// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/execution.hpp>
#include <apsis/core/machine.hpp>

#include <algorithm>
#include <fstream>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace apsis {

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
namespace {
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}
}  // namespace
#endif

std::string device_name() {
#if defined(KOKKOS_ENABLE_CUDA)
  return ExecutionSpace().cuda_device_prop().name;
#elif defined(KOKKOS_ENABLE_HIP)
  return ExecutionSpace().hip_device_prop().name;
#else
  return processor_name();
#endif
}

std::string device_address() {
#if defined(KOKKOS_ENABLE_CUDA)
  char address[32] = "";
  cudaDeviceGetPCIBusId(address, sizeof address, ExecutionSpace().cuda_device());
  return address;
#elif defined(KOKKOS_ENABLE_HIP)
  char address[32] = "";
  static_cast<void>(hipDeviceGetPCIBusId(address, sizeof address, ExecutionSpace().hip_device()));
  return address;
#else
  return "";
#endif
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::optional<std::uint64_t> device_memory() {
#if defined(KOKKOS_ENABLE_CUDA)
  if (Kokkos::is_initialized()) return ExecutionSpace().cuda_device_prop().totalGlobalMem;
#elif defined(KOKKOS_ENABLE_HIP)
  if (Kokkos::is_initialized()) return ExecutionSpace().hip_device_prop().totalGlobalMem;
#endif
  return std::nullopt;
}

int host_threads() {
  return Kokkos::DefaultHostExecutionSpace().concurrency();
}

int available_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace apsis
