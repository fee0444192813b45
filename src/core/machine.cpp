// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/execution.hpp>
#include <apsis/core/machine.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sys/resource.h>
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

std::optional<std::uint64_t> device_memory() {
#if defined(KOKKOS_ENABLE_CUDA)
  if (Kokkos::is_initialized()) return ExecutionSpace().cuda_device_prop().totalGlobalMem;
#elif defined(KOKKOS_ENABLE_HIP)
  if (Kokkos::is_initialized()) return ExecutionSpace().hip_device_prop().totalGlobalMem;
#endif
  return std::nullopt;
}

namespace {
/// The least limit among this process's control group and those around it (both cgroup versions);
/// the largest number if there is none.
std::uint64_t control_group_limit() {
  std::uint64_t least = ~std::uint64_t{0};
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    auto const first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string const controllers = line.substr(first + 1, second - first - 1);
    bool const unified = controllers.empty();
    if (!unified && controllers != "memory") continue;
    std::filesystem::path const root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    auto const* file = unified ? "memory.max" : "memory.limit_in_bytes";
    auto path = std::filesystem::path(line.substr(second + 1)).relative_path();
    for (;; path = path.parent_path()) {
      std::ifstream limit(root / path / file);
      if (std::uint64_t bytes = 0; limit >> bytes) least = std::min(least, bytes);
      if (path.empty()) break;
    }
  }
  return least;
}
}  // namespace

std::uint64_t host_memory() {
  std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    bytes = std::min<std::uint64_t>(bytes, limit.rlim_cur);
  }
  return std::min(bytes, control_group_limit());
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
