// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"
#include "compare.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>

namespace apsis::benchmark {

std::string compare_heading(std::size_t bodies) {
  return device_name() + ", Plummer sphere of " + std::to_string(bodies) +
         " bodies, softening 0.01\n"
         "relative errors of all bodies against compensated sums in double on the host\n\n" +
         formatted("%-10s  %-9s  %-15s  %9s %9s %9s  %15s  %s\n", "place", "precision", "kernel",
                   "median", "99 %", "worst", "potential worst", "");
}

std::string compare_line(Comparison const& c) {
  char const* const verdict = !c.limits ? "no limit" : c.passed() ? "pass" : "FAIL";
  return formatted("%-10s  %-9s  %-15s  %9.2g %9.2g %9.2g  %15.2g  %s\n", c.configuration.c_str(),
                   forces::name_of(c.precision).c_str(), c.kernel.c_str(), c.acceleration.median,
                   c.acceleration.p99, c.acceleration.maximum, c.potential.maximum, verdict);
}

std::string compare_verdict(std::size_t comparisons, std::size_t failed) {
  if (failed == 0) return formatted("\nall %zu comparisons are within their limits\n", comparisons);
  return formatted("\n%zu of %zu comparisons are outside their limits\n", failed, comparisons);
}

std::string compare_json(std::size_t bodies, std::vector<Comparison> const& comparisons) {
  std::vector<files::Record> rows;
  for (auto const& c : comparisons) {
    files::Record row{
        {"bodies", static_cast<std::int64_t>(bodies)},
        {"configuration", c.configuration},
        {"kernel", c.kernel},
        {"precision", forces::name_of(c.precision)},
        {"median", c.acceleration.median},
        {"percentile_99", c.acceleration.p99},
        {"worst", c.acceleration.maximum},
        {"potential_median", c.potential.median},
        {"potential_percentile_99", c.potential.p99},
        {"potential_worst", c.potential.maximum},
    };
    if (c.limits) {
      row.insert(row.end(), {{"limit_median", c.limits->acceleration.median},
                             {"limit_percentile_99", c.limits->acceleration.p99},
                             {"limit_worst", c.limits->acceleration.maximum},
                             {"limit_potential_worst", c.limits->potential}});
    }
    row.emplace_back("passed", c.passed());
    rows.push_back(std::move(row));
  }
  return files::to_json(environment_record(), rows);
}

}  // namespace apsis::benchmark
