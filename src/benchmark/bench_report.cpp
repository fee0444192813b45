// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"
#include "files/record.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <map>
#include <utility>

namespace apsis::benchmark {

namespace {

/// Floating-point operations per interaction as counted for treecodes (Warren & Salmon).
constexpr double treecode_flops = 38.0;

double gigabytes_per_second(Row const& row, double seconds) {
  return seconds > 0.0 ? row.bytes_moved / seconds * 1e-9 : 0.0;
}

}  // namespace

std::string bench_heading(ArithmeticLimits const& limits) {
  return device_name() + ", " + std::to_string(host_threads()) + " host threads\n" +
         formatted("measured limit: %.4g fused multiply-adds/s in single, %.4g in double",
                   limits.single_precision.multiply_adds, limits.double_precision.multiply_adds) +
         "\n" +
         formatted("with additions: %.4g instructions/s in single, %.4g in double",
                   limits.single_precision.mixed, limits.double_precision.mixed) +
         "\n" +
         wrapped(
             "force: median [ms]; step: a leapfrog step [ms]; inter./s: N^2 interactions per "
             "force, also for kernels that evaluate each pair once; limit: part of the rate that "
             "the measured rates of instructions allow this kernel; GF20/30: 20 flop per "
             "interaction in single and mixed, 30 in double, 60 with the jerk, 97 with the snap; "
             "GF38: 38 flop; potential: additional cost; (a): chosen by auto; *: a part of the "
             "targets was timed, and the step is the sum of its parts; !: the times differ by more "
             "than 20 %: other programs ran, or the clock changed",
             80, 0) +
         "\n" +
         formatted("%8s %-23s %-6s %9s %9s %10s %7s\n", "bodies", "kernel", "prec.", "force",
                   "step", "inter./s", "limit");
}

std::string bench_line(Row const& row) {
  constexpr double most_spread = 0.2;
  double const rate = row.interactions_per_second;
  auto name = row.picked != row.kernel ? row.picked + " (a)" : row.kernel;
  // The rows of Hermite schemes; kernels for these alone have it in their names.
  auto const derivative = std::string(row.derivatives == 1   ? "jerk"
                                      : row.derivatives == 2 ? "snap"
                                                             : "");
  if (name.find(derivative) == std::string::npos) name += " " + derivative;
  auto text = formatted("%8zu %-23s %-6s %9.4g %9.4g %9.3g%s %6.1f%%\n", row.bodies, name.c_str(),
                        forces::name_of(row.precision).c_str(), row.seconds_force * 1e3,
                        row.seconds_step * 1e3, rate, row.targets_timed < 1.0 ? "*" : " ",
                        100.0 * rate / row.limit);
  bool const is_noisy = row.spread > most_spread;
  // 0 was not timed; below 0, or where times differ much, it is lost among other differences.
  bool const has_potential = row.potential_cost > 0.0 && !is_noisy;
  auto details =
      formatted("GF20/30 %.4g, GF38 %.4g, ",
                rate * forces::field_flops(row.precision, row.derivatives) * 1e-9,
                rate * treecode_flops * 1e-9) +
      formatted("least %.4g ms, spread %.1f %%%s, ", row.seconds_force_least * 1e3,
                100.0 * row.spread, is_noisy ? " !" : "") +
      (has_potential ? formatted("potential %.1f %%", 100.0 * row.potential_cost) : "potential -");
  if (!row.shape.empty()) details += ", " + row.shape;
  if (row.seconds_to_device > 0.0) {
    details += formatted(", to device %.4g ms, to host %.4g ms", row.seconds_to_device * 1e3,
                         row.seconds_to_host * 1e3);
  }
  return text + wrapped(details, 80, 12);
}

std::string best_of_sweep(std::vector<Row> const& rows) {
  std::map<std::pair<forces::Precision, std::size_t>, std::vector<Row const*>> groups;
  for (auto const& row : rows) {
    auto& best = groups[{row.precision, row.bodies}];
    auto const same = std::find_if(best.begin(), best.end(),
                                   [&](auto const* other) { return other->kernel == row.kernel; });
    if (same == best.end()) {
      best.push_back(&row);
    } else if (row.interactions_per_second > (*same)->interactions_per_second) {
      *same = &row;
    }
  }
  std::string text = "\nbest shape of each kernel, the fastest kernel first\n";
  for (auto& [key, best] : groups) {
    std::sort(best.begin(), best.end(), [](auto const* a, auto const* b) {
      return a->interactions_per_second > b->interactions_per_second;
    });
    for (auto const* row : best) text += bench_line(*row);
  }
  return text;
}

std::string bench_json(ArithmeticLimits const& limits, std::string const& memory,
                       std::vector<Row> const& rows, std::vector<files::Record> others,
                       bool complete) {
  auto environment = environment_record();
  environment.emplace_back("complete", complete);
  environment.emplace_back("fma_per_second_single", limits.single_precision.multiply_adds);
  environment.emplace_back("fma_per_second_double", limits.double_precision.multiply_adds);
  environment.emplace_back("instructions_per_second_single", limits.single_precision.mixed);
  environment.emplace_back("instructions_per_second_double", limits.double_precision.mixed);
  std::vector<files::Record> records;
  for (auto const& row : rows) {
    double const rate = row.interactions_per_second;
    records.push_back({
        {"bodies", static_cast<std::int64_t>(row.bodies)},
        {"kernel", row.kernel},
        {"picked", row.picked},
        {"derivatives", std::int64_t{row.derivatives}},
        {"shape", row.shape},
        {"precision", forces::name_of(row.precision)},
        {"threads", std::int64_t{row.threads}},
        {"memory", memory},
        {"repeats", std::int64_t{row.repeats}},
        {"targets_timed", row.targets_timed},
        {"milliseconds_force", row.seconds_force * 1e3},
        {"milliseconds_force_least", row.seconds_force_least * 1e3},
        {"milliseconds_step", row.seconds_step * 1e3},
        {"interactions_per_second", rate},
        {"gflops_field", rate * forces::field_flops(row.precision, row.derivatives) * 1e-9},
        {"gflops_38", rate * treecode_flops * 1e-9},
        {"percent_of_limit", 100.0 * rate / row.limit},
        {"potential_cost", row.potential_cost},
        {"spread", row.spread},
        {"milliseconds_to_device", row.seconds_to_device * 1e3},
        {"milliseconds_to_host", row.seconds_to_host * 1e3},
        {"gigabytes_per_second_to_device", gigabytes_per_second(row, row.seconds_to_device)},
        {"gigabytes_per_second_to_host", gigabytes_per_second(row, row.seconds_to_host)},
    });
  }
  std::move(others.begin(), others.end(), std::back_inserter(records));
  return files::to_json(environment, records);
}

files::Record environment_record() {
  auto const build = build_info();
  std::time_t const now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char date[40];
  std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {{"backend", build.backend},
          {"device", device_name()},
          {"compiler", build.compiler},
          {"kokkos", build.kokkos},
          {"git", build.git},
          {"date", std::string(date)},
          {"version", build.version},
          {"simd", build.simd},
          {"threads", std::int64_t{host_threads()}}};
}

}  // namespace apsis::benchmark
