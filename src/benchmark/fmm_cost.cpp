// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"
#include "files/record.hpp"
#include "fmm_forces.hpp"
#include "timing.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/text.hpp>
#include <apsis/integrators/integrator_entry.hpp>
#include <apsis/integrators/stepper.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

namespace apsis::benchmark {

namespace {

std::map<std::string, double> label_seconds;
std::string outermost_label;
int depth = 0;
std::chrono::steady_clock::time_point begin_time;

void begin(char const* label) {
  if (depth++ > 0) return;
  Kokkos::fence("apsis::benchmark::parts_clock: the clock reads before a part");
  outermost_label = label;
  begin_time = std::chrono::steady_clock::now();
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

namespace tools = Kokkos::Tools::Experimental;

/// Measures the seconds of each kernel, by label, and of each region of kernels, with a fence after
/// each. Replaces the callbacks of tools; only one object may exist at a time.
class PartsClock {
 public:
  PartsClock() {
    label_seconds.clear();
    depth = 0;
    open_regions.clear();
    set_callbacks(begin_kernel, end_kernel, begin_region, end_region);
  }
  ~PartsClock() { set_callbacks(nullptr, nullptr, nullptr, nullptr); }
  PartsClock(PartsClock const&) = delete;
  PartsClock& operator=(PartsClock const&) = delete;

  std::map<std::string, double> const& seconds() const { return label_seconds; }

 private:
  static void set_callbacks(Kokkos_Profiling_beginFunction kernel_begin,
                            Kokkos_Profiling_endFunction kernel_end,
                            Kokkos_Profiling_pushFunction region_begin,
                            Kokkos_Profiling_popFunction region_end) {
    tools::set_begin_parallel_for_callback(kernel_begin);
    tools::set_end_parallel_for_callback(kernel_end);
    tools::set_begin_parallel_reduce_callback(kernel_begin);
    tools::set_end_parallel_reduce_callback(kernel_end);
    tools::set_push_region_callback(region_begin);
    tools::set_pop_region_callback(region_end);
  }
};

struct Part {
  char const* name;
  std::vector<std::string> labels;  ///< prefixes of labels; the first part that matches counts
};

std::vector<Part> const& parts() {
  static std::vector<Part> const table{
      {"sort", {"apsis::forces::fmm::curve_order::sort"}},
      {"keys", {"apsis::forces::fmm::curve_order"}},
      {"moments",
       {"apsis::forces::fmm::build::leaf_moments", "apsis::forces::fmm::build::moments",
        "apsis::forces::fmm::acceleration_floor", "apsis::forces::fmm::body_acceleration",
        "apsis::forces::fmm::store_accelerations"}},
      {"tree", {"apsis::forces::fmm::build", "apsis::forces::fmm::order"}},
      {"lists", {"apsis::forces::fmm::construct_lists"}},
      {"far", {"apsis::forces::fmm::far_fields", "apsis::forces::fmm::shift_fields"}},
      {"near", {"apsis::forces::fmm::leaf_forces"}},
  };
  return table;
}

/// Returns the seconds of each part. The last part is the rest: copies, fences and allocations.
std::vector<std::pair<std::string, double>> sum_by_part(std::map<std::string, double> const& labels,
                                                        double total) {
  std::vector<std::pair<std::string, double>> seconds;
  for (auto const& part : parts()) seconds.emplace_back(part.name, 0.0);
  double assigned = 0.0;
  for (auto const& [label, time] : labels) {
    auto const matches = [&](Part const& part) {
      return std::any_of(part.labels.begin(), part.labels.end(),
                         [&](std::string const& start) { return label.starts_with(start); });
    };
    auto const part = std::find_if(parts().begin(), parts().end(), matches);
    if (part == parts().end()) continue;
    seconds[static_cast<std::size_t>(part - parts().begin())].second += time;
    assigned += time;
  }
  seconds.emplace_back("rest", std::max(0.0, total - assigned));
  return seconds;
}

template <class Number>
FmmCost measure_cost(std::size_t count, double accuracy, int repeats) {
  ExecutionSpace const space;
  auto const host = sample(count);
  FmmForces<Number> forces(space, host, accuracy);
  forces.evaluate();
  auto const timing = measure_time(space, repeats, [&](int) { forces.evaluate_forces(); });
  FmmCost cost{
      count, forces::precision_for<Number>, accuracy, timing.median, timing.spread(), 0.0, 0.0, 0.0,
      {}};
  {
    PartsClock const clock;
    auto const begin = std::chrono::steady_clock::now();
    forces.evaluate_forces();
    space.fence("apsis::benchmark::fmm_cost");
    cost.parts = sum_by_part(clock.seconds(), seconds_since(begin));
  }
  forces.evaluate();
  space.fence("apsis::benchmark::fmm_cost: the host reads");
  // Errors have a long tail: from 1000 bodies the 99th percentile is known to 10 or 20 %.
  constexpr double pairs = by_backend(2e9, 1e12);
  auto const few = static_cast<std::size_t>(pairs / static_cast<double>(count));
  cost.error_99 = forces.errors_by_pairs(std::clamp<std::size_t>(few, 300, 4000)).p99;
  cost.momentum = forces.momentum_error();
  auto const& leapfrog = integrators::integrators().get("leapfrog_kdk");
  auto const stepper =
      integrators::make_stepper<typename Number::Stored>(leapfrog, defaults(leapfrog.parameters));
  constexpr double time_step = 1e-6;  // [time]: practically no motion
  stepper->start(Context(space), forces.bodies(), forces.solver(), time_step);
  cost.seconds_step =
      measure_time(space, repeats, [&](int) {
        stepper->advance(Context(space), forces.bodies(), forces.solver(), time_step, {});
      }).median;
  return cost;
}

}  // namespace

FmmCost fmm_cost(std::size_t bodies, forces::Precision precision, double accuracy, int repeats) {
  return forces::in_precision(precision, [&]<class Number>(Number) {
    return measure_cost<Number>(bodies, accuracy, repeats);
  });
}

std::string fmm_cost_heading() {
  std::string heading =
      formatted("%10s %-9s %8s %9s %9s  %7s  %9s %9s  %9s |", "bodies", "precision", "accuracy",
                "99 %", "momentum", "spread", "ms force", "ms step", "bodies/s");
  for (auto const& part : parts()) heading += formatted(" %8s", part.name);
  return "Plummer sphere, softening 0.01; parts [ms] measured with a fence after each\n" + heading +
         "     rest\n";
}

std::string fmm_cost_line(FmmCost const& cost) {
  auto line =
      formatted("%10zu %-9s %8.0e %9.2e %9.1e  %6.1f%%  %9.4g %9.4g  %9.3g |", cost.bodies,
                forces::name_of(cost.precision).c_str(), cost.accuracy, cost.error_99,
                cost.momentum, cost.spread * 100.0, cost.seconds_force * 1e3,
                cost.seconds_step * 1e3, static_cast<double>(cost.bodies) / cost.seconds_force);
  for (auto const& [name, seconds] : cost.parts) line += formatted(" %8.3g", seconds * 1e3);
  return line + "\n";
}

std::string fmm_cost_json(std::vector<FmmCost> const& rows, bool complete) {
  std::vector<files::Record> records;
  for (auto const& cost : rows) {
    files::Record record{
        {"kernel", std::string("fmm")},
        {"bodies", static_cast<std::int64_t>(cost.bodies)},
        {"precision", forces::name_of(cost.precision)},
        {"accuracy", cost.accuracy},
        {"error_percentile_99", cost.error_99},
        {"momentum", cost.momentum},
        {"ms_force", cost.seconds_force * 1e3},
        {"ms_step", cost.seconds_step * 1e3},
        {"spread", cost.spread},
        {"bodies_per_second", static_cast<double>(cost.bodies) / cost.seconds_force},
    };
    for (auto const& [name, seconds] : cost.parts) record.emplace_back("ms_" + name, seconds * 1e3);
    records.push_back(std::move(record));
  }
  auto environment = environment_record();
  environment.emplace_back("complete", complete);
  return files::to_json(environment, records);
}

}  // namespace apsis::benchmark
