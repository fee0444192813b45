// SPDX-License-Identifier: Apache-2.0
#include "benchmark/bench.hpp"
#include "few_cost.hpp"
#include "files/record.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::benchmark {

namespace {

/// Processor time for an error, interpolated between the logarithms of two runs; "<" where the
/// coarsest run has a smaller error, "-" where none has.
std::string seconds_for(double error, std::vector<FewErrorCost> runs) {
  std::sort(runs.begin(), runs.end(),
            [](auto const& a, auto const& b) { return a.seconds < b.seconds; });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!(runs[i].error <= error)) continue;
    if (i == 0) return formatted("<%.3g", runs[0].seconds);
    auto const &coarse = runs[i - 1], &fine = runs[i];
    if (!std::isfinite(coarse.error)) return formatted("<%.3g", fine.seconds);
    double const part = std::log(coarse.error / error) / std::log(coarse.error / fine.error);
    return formatted("%.3g", coarse.seconds * std::pow(fine.seconds / coarse.seconds, part));
  }
  return "-";
}

}  // namespace

std::string few_step_heading() {
  return "A star and planets, steps of 0.01; processor time of one step [us]\n" +
         formatted("%6s  %-22s %-22s %9s %9s  %s\n", "bodies", "scheme", "code", "us/step",
                   "us/force", "over plain loop");
}

std::string few_step_line(FewStepCost const& cost) {
  auto line = formatted("%6zu  %-22s %-22s %9.3f", cost.bodies, cost.scheme.c_str(),
                        cost.code.c_str(), cost.seconds_step * 1e6);
  line += cost.forces_step > 0.0 ? formatted(" %9.3f", cost.seconds_step / cost.forces_step * 1e6)
                                 : formatted(" %9s", "");
  if (cost.over_plain) line += formatted("  %.2f", *cost.over_plain);
  return line + "\n";
}

std::string few_error_table(std::vector<FewErrorCost> const& runs) {
  std::string table;
  for (auto const& problem : few_body_cases()) {
    table += problem.title + "; processor time [s] for a position error at the end\n" +
             formatted("  %-24s %-22s %9s %9s %9s  %s\n", "scheme", "code", "1e-3", "1e-6", "1e-9",
                       "smallest error");
    std::vector<std::pair<std::string, std::string>> seen;
    for (auto const& first : runs) {
      std::pair const row{first.code, first.scheme};
      if (first.problem != problem.name) continue;
      if (std::find(seen.begin(), seen.end(), row) != seen.end()) continue;
      seen.push_back(row);
      std::vector<FewErrorCost> same;
      for (auto const& run : runs) {
        if (run.problem == problem.name && row == std::pair{run.code, run.scheme}) {
          same.push_back(run);
        }
      }
      auto const& best =
          *std::min_element(same.begin(), same.end(), [](auto const& a, auto const& b) {
            return a.error < b.error || (!std::isnan(a.error) && std::isnan(b.error));
          });
      table += formatted("  %-24s %-22s %9s %9s %9s  %.1e (%.3g s)\n", first.scheme.c_str(),
                         first.code.c_str(), seconds_for(1e-3, same).c_str(),
                         seconds_for(1e-6, same).c_str(), seconds_for(1e-9, same).c_str(),
                         best.error, best.seconds);
    }
  }
  return table;
}

std::string few_json(std::vector<FewStepCost> const& steps, std::vector<FewErrorCost> const& runs,
                     bool complete) {
  std::vector<files::Record> records;
  for (auto const& cost : steps) {
    files::Record record{{"table", std::string("steps")},
                         {"bodies", static_cast<std::int64_t>(cost.bodies)},
                         {"code", cost.code},
                         {"scheme", cost.scheme},
                         {"us_step", cost.seconds_step * 1e6}};
    if (cost.forces_step > 0.0) record.emplace_back("forces_step", cost.forces_step);
    if (cost.over_plain) record.emplace_back("over_plain_loop", *cost.over_plain);
    records.push_back(std::move(record));
  }
  for (auto const& run : runs) {
    records.push_back({{"table", std::string("errors")},
                       {"case", run.problem},
                       {"code", run.code},
                       {"scheme", run.scheme},
                       {"steps", static_cast<std::int64_t>(run.steps)},
                       {"seconds", run.seconds},
                       {"error", run.error}});
  }
  auto environment = environment_record();
  environment.emplace_back("complete", complete);
  return files::to_json(environment, records);
}

}  // namespace apsis::benchmark
