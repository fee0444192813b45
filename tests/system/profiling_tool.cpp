// SPDX-License-Identifier: Apache-2.0
// A tool of Kokkos' profiling interface, loaded by KOKKOS_TOOLS_LIBS: prints how often each nesting
// of regions and kernels occurred.
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

std::vector<std::string> regions;
std::map<std::string, int> counts;

void count(std::string const& name) {
  std::string path;
  for (auto const& region : regions) path += region + "/";
  ++counts[path + name];
}

}  // namespace

extern "C" {

void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {}
void kokkosp_push_profile_region(char const* name) {
  count(name);
  regions.emplace_back(name);
}
void kokkosp_pop_profile_region() {
  regions.pop_back();
}
void kokkosp_begin_parallel_for(char const* name, std::uint32_t, std::uint64_t*) {
  count(name);
}
void kokkosp_finalize_library() {
  for (auto const& [path, times] : counts) std::printf("%s %d\n", path.c_str(), times);
}
}
