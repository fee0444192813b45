// SPDX-License-Identifier: Apache-2.0
#include "benchmark/compare.hpp"

#include "cli/benchmark_options.hpp"
#include "cli/commands.hpp"
#include "files/file.hpp"

#include <iostream>

namespace apsis::cli {

namespace {

struct CompareOptions {
  std::size_t bodies = 8191;
  std::vector<std::string> precisions;
  std::vector<std::string> kernels;
  std::string solver = "direct";
  std::optional<double> accuracy;
  std::string json;
  std::optional<int> threads;
};

ExitStatus compare_fmm(CompareOptions const& options) {
  auto const precisions = parse_precisions(options.precisions);
  double const accuracy = parse_accuracy(options.accuracy, true, precisions);
  auto const kokkos = kokkos_session(options.threads);
  check_bodies_fit({options.bodies}, "--bodies", "fmm");
  std::cout << benchmark::fmm_errors_heading(options.bodies, accuracy) << std::flush;
  std::vector<benchmark::FmmErrors> rows;
  std::size_t failed = 0;
  benchmark::compare_fmm(options.bodies, precisions, accuracy,
                         [&](benchmark::FmmErrors const& row) {
                           rows.push_back(row);
                           if (!row.passed()) ++failed;
                           std::cout << benchmark::fmm_errors_line(row) << std::flush;
                         });
  std::cout << benchmark::compare_verdict(rows.size(), failed);
  if (!options.json.empty()) files::write_file(options.json, benchmark::fmm_errors_json(rows));
  return failed == 0 ? ExitStatus::conserved : ExitStatus::not_conserved;
}

ExitStatus compare(CompareOptions const& options) {
  if (is_fmm(options.solver)) return compare_fmm(options);
  auto const kernels = parse_kernels(
      options.kernels.empty() ? std::vector<std::string>{"all"} : options.kernels, false);
  auto const precisions = parse_precisions(options.precisions);
  parse_accuracy(options.accuracy, false, precisions);
  auto const kokkos = kokkos_session(options.threads);
  check_bodies_fit({options.bodies}, "--bodies", "direct");
  std::cout << benchmark::compare_heading(options.bodies) << std::flush;
  std::vector<benchmark::Comparison> comparisons;
  std::size_t failed = 0;
  benchmark::compare(options.bodies, precisions, kernels,
                     [&](benchmark::Comparison const& comparison) {
                       comparisons.push_back(comparison);
                       if (!comparison.passed()) ++failed;
                       std::cout << benchmark::compare_line(comparison) << std::flush;
                     });
  std::cout << benchmark::compare_verdict(comparisons.size(), failed);
  if (!options.json.empty()) {
    files::write_file(options.json, benchmark::compare_json(options.bodies, comparisons));
  }
  return failed == 0 ? ExitStatus::conserved : ExitStatus::not_conserved;
}

}  // namespace

Command compare_command() {
  auto const options = std::make_shared<CompareOptions>();
  return {"compare",
          "Compare all force kernels, or the solver fmm, with a reference calculation",
          {{"--bodies", "Number of bodies; the reference takes O(N^2) time",
            IntegerRange<std::size_t>{&options->bodies, 1, std::size_t{1} << 40}, "N"},
           {"--precision", "Precision: single, double, mixed or all (default); repeatable",
            TextList{&options->precisions, true}},
           Option{"--kernel", "Force kernel (see the command list) or all (default); repeatable",
                  TextList{&options->kernels, true}}
               .has_effect_if([&solver = options->solver]() -> std::optional<Problem> {
                 if (solver != "fmm") return {};
                 return Problem{"", "contradicts --solver fmm", "kernels belong to 'direct'",
                                "leave one of them out"};
               }),
           solver_option(options->solver),
           accuracy_option(options->accuracy, options->solver),
           {"--json", "Write the results to this file as JSON", &options->json, "FILE"},
           threads_option(options->threads)},
          [options] { return compare(*options); }};
}

}  // namespace apsis::cli
