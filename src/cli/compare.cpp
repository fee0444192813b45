// SPDX-License-Identifier: Apache-2.0
#include "benchmark_options.hpp"
#include "commands.hpp"
#include <apsis/benchmark/compare.hpp>
#include <apsis/io/file.hpp>

#include <iostream>

namespace apsis::cli {

namespace {

struct CompareOptions {
  std::size_t bodies = 8191;
  std::vector<std::string> precisions;
  std::vector<std::string> kernels;
  std::string json;
  std::optional<int> threads;
};

ExitStatus compare(CompareOptions const& options) {
  auto const kernels = chosen_kernels(
      options.kernels.empty() ? std::vector<std::string>{"all"} : options.kernels, false);
  auto const precisions = chosen_precisions(options.precisions);
  auto const kokkos = kokkos_session(options.threads);
  check_bodies_fit({options.bodies}, "--bodies");
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
    io::write_file(options.json, benchmark::compare_json(options.bodies, comparisons));
  }
  return failed == 0 ? ExitStatus::conserved : ExitStatus::not_conserved;
}

}  // namespace

Command compare_command() {
  auto const options = std::make_shared<CompareOptions>();
  return {"compare",
          "Compare every force kernel with a reference on the host",
          {{"--bodies", "Number of bodies; the reference takes time of order N^2",
            Within<std::size_t>{&options->bodies, 1, std::size_t{1} << 40}, "N"},
           {"--precision", "single, double, mixed or all (default); repeatable",
            Words{&options->precisions, true}},
           {"--kernel", "A kernel of 'apsis list' or all (default); repeatable",
            Words{&options->kernels, true}},
           {"--json", "Write the numbers to this file", &options->json, "FILE"},
           threads_option(options->threads)},
          [options] { return compare(*options); }};
}

}  // namespace apsis::cli
