// SPDX-License-Identifier: Apache-2.0
#include "apsis/core/machine.hpp"

#include <apsis/core/backend.hpp>

#include <algorithm>
#include <fstream>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace apsis {

namespace {

[[maybe_unused]] std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

// Templates, since each type of space has only the members of its own runtime.

/// Properties of the GPU that runs kernels on `space`.
template <class Space>
auto const& gpu_properties(Space const& space) {
  if constexpr (on_cuda) {
    return space.cuda_device_prop();
  } else {
    return space.hip_device_prop();
  }
}

template <class Space>
std::string device_name(Space const& space) {
  if constexpr (on_gpu) {
    return gpu_properties(space).name;
  } else {
    return processor_name();
  }
}

template <class Space>
std::string device_address([[maybe_unused]] Space const& space) {
  char address[32] = "";
  if constexpr (on_cuda) {
    static_cast<void>(cudaDeviceGetPCIBusId(address, sizeof address, space.cuda_device()));
  } else if constexpr (on_hip) {
    static_cast<void>(hipDeviceGetPCIBusId(address, sizeof address, space.hip_device()));
  }
  return address;
}

template <class Space>
std::optional<std::uint64_t> device_memory() {
  if constexpr (on_gpu) {
    if (Kokkos::is_initialized()) return gpu_properties(Space()).totalGlobalMem;
  }
  return std::nullopt;
}

}  // namespace

std::string device_name() {
  return device_name(ExecutionSpace());
}

std::string device_address() {
  return device_address(ExecutionSpace());
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::optional<std::uint64_t> device_memory() {
  return device_memory<ExecutionSpace>();
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
