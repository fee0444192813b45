// SPDX-License-Identifier: Apache-2.0
#include "timing.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace apsis::benchmark {

namespace {

using Clock = std::chrono::steady_clock;

std::map<std::string, double> label_seconds;
std::string outermost_label;
int depth = 0;
Clock::time_point begin_time;

void begin(char const* label) {
  if (depth++ > 0) return;
  Kokkos::fence("apsis::benchmark::parts_clock: the clock reads before a part");
  outermost_label = label;
  begin_time = Clock::now();
}

void end() {
  if (--depth > 0) return;
  Kokkos::fence("apsis::benchmark::parts_clock: the clock reads after a part");
  label_seconds[outermost_label] += seconds_since(begin_time);
}

/// Whether a region is a part, and not a phase of a run around parts: it has a name within a room.
bool is_part(std::string_view region) {
  constexpr std::string_view project = "apsis::";
  return region.find("::", project.size()) != region.npos;
}

std::vector<bool> open_regions;  ///< whether each is a part

void begin_region(char const* label) {
  open_regions.push_back(is_part(label));
  if (open_regions.back()) begin(label);
}
void end_region() {
  bool const was_part = open_regions.back();
  open_regions.pop_back();
  if (was_part) end();
}

void begin_kernel(char const* label, std::uint32_t, std::uint64_t*) {
  begin(label);
}
void end_kernel(std::uint64_t) {
  end();
}

}  // namespace

namespace tools = Kokkos::Tools::Experimental;

PartsClock::PartsClock() {
  label_seconds.clear();
  depth = 0;
  open_regions.clear();
  tools::set_begin_parallel_for_callback(begin_kernel);
  tools::set_end_parallel_for_callback(end_kernel);
  tools::set_begin_parallel_reduce_callback(begin_kernel);
  tools::set_end_parallel_reduce_callback(end_kernel);
  tools::set_push_region_callback(begin_region);
  tools::set_pop_region_callback(end_region);
}

PartsClock::~PartsClock() {
  tools::set_begin_parallel_for_callback(nullptr);
  tools::set_end_parallel_for_callback(nullptr);
  tools::set_begin_parallel_reduce_callback(nullptr);
  tools::set_end_parallel_reduce_callback(nullptr);
  tools::set_push_region_callback(nullptr);
  tools::set_pop_region_callback(nullptr);
}

std::map<std::string, double> const& PartsClock::seconds() const {
  return label_seconds;
}

}  // namespace apsis::benchmark
