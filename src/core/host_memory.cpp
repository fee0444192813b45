// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/machine.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace apsis {

namespace {
/// The least memory limit of this process's control group and its ancestors (cgroup v1 and v2)
/// [bytes]; the largest integer if there is no limit.
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
    // Memory that is mapped already counts towards the limit: the program, MPI, thread stacks.
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    auto const mapped = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
    bytes = std::min<std::uint64_t>(
        bytes, limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, mapped));
  }
  return std::min(bytes, control_group_limit());
}

}  // namespace apsis
