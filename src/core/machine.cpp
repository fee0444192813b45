// SPDX-License-Identifier: Apache-2.0
#include "apsis/core/machine.hpp"

#include "apsis_build_info.hpp"
#include <apsis/core/backend.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/resource.h>
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

constexpr char const* instruction_set() {
#if APSIS_ON_GPU
  return "device";
#elif defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
  return "AVX2";
#elif defined(__AVX__)
  return "AVX";
#elif defined(__SSE2__)
  return "SSE2";
#elif defined(__ARM_NEON)
  return "NEON";
#else
  return "scalar";
#endif
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

BuildInfo build_info() {
  auto const kokkos = std::to_string(KOKKOS_VERSION / 10000) + "." +
                      std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                      std::to_string(KOKKOS_VERSION % 100);
  std::string compiler = APSIS_COMPILER;
#if defined(__CUDACC_VER_MAJOR__)
  compiler += " with nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
              std::to_string(__CUDACC_VER_MINOR__);
#endif
  return {APSIS_VERSION, APSIS_GIT, APSIS_BACKEND_NAME, APSIS_BUILD_TYPE,
          compiler,      kokkos,    instruction_set()};
}

std::string this_executable() {
  auto const build = build_info();
  return "apsis " + build.version + " (" + build.git + "), " + build.backend + ", " +
         build.compiler + ", Kokkos " + build.kokkos + ", " + build.simd;
}

}  // namespace apsis
