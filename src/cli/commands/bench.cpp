// SPDX-License-Identifier: Apache-2.0
#include "benchmark/bench.hpp"

#include "benchmark/compare.hpp"
#include "cli/benchmark_options.hpp"
#include "cli/commands.hpp"
#include "files/file.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <iostream>

namespace apsis::cli {

namespace {

benchmark::Request make_request(BenchOptions const& options) {
  benchmark::Request request;
  if (!options.preset.empty()) {
    if (options.preset != "classroom") {
      usage_error("--preset " + options.preset, "unknown preset", "", "use 'classroom'");
    }
    request.bodies = {5, 50, 500, 5000, 50000, 500000};
  } else {
    constexpr std::size_t usual_in_pictures = 1000000;
    auto const usual = options.render ? usual_in_pictures : benchmark::default_bodies();
    request.bodies = options.bodies.empty() ? std::vector<std::size_t>{usual}
                                            : parse_body_counts(options.bodies);
  }
  request.precisions = parse_precisions(options.precisions);
  auto const usual = std::vector<std::string>{options.sweep ? "all" : "auto"};
  request.kernels = parse_kernels(options.kernels.empty() ? usual : options.kernels, true);
  request.sweep = options.sweep;
  request.repeats = std::max(10, options.steps);
  request.use_all_threads = options.threads.has_value();
  if (options.memory != "device" && options.memory != "host_pinned") {
    usage_error("--memory " + options.memory, "unknown memory", "",
                "use 'device' or 'host_pinned'");
  }
  if (options.memory == "host_pinned") request.memory = benchmark::Memory::host_pinned;
  if (options.memory == "host_pinned" && !benchmark::has_host_pinned()) {
    usage_error("--memory host_pinned", "not available", "this backend computes in host memory",
                "leave the option out");
  }
  return request;
}

/// Describes how long the measurement will take, and which row takes longest.
std::string describe_duration(benchmark::Request const& request,
                              benchmark::ArithmeticLimits const& limits) {
  double total = 0.0, longest = 0.0;
  std::string longest_row;
  for (auto const bodies : request.bodies) {
    for (auto const precision : request.precisions) {
      double const seconds = benchmark::expected_seconds(request, limits, bodies, precision);
      total += seconds;
      if (seconds <= longest) continue;
      longest = seconds;
      longest_row = std::to_string(bodies) + " bodies in " + forces::name_of(precision);
    }
  }
  return "takes about " + duration_text(total) + ", " + duration_text(longest) + " of it for " +
         longest_row + "\n";
}

ExitStatus bench_fmm(BenchOptions const& options, benchmark::Request const& request) {
  std::cout << benchmark::fmm_cost_heading() << std::flush;
  std::vector<benchmark::FmmCost> costs;
  auto const write_results = [&](bool complete) {
    if (!options.json.empty()) {
      files::write_file(options.json, benchmark::fmm_cost_json(costs, complete));
    }
  };
  write_results(false);
  for (auto const bodies : request.bodies) {
    for (auto const precision : request.precisions) {
      costs.push_back(benchmark::fmm_cost(bodies, precision, *options.accuracy, request.repeats));
      std::cout << benchmark::fmm_cost_line(costs.back()) << std::flush;
      write_results(false);
    }
  }
  write_results(true);
  return ExitStatus::conserved;
}

/// Returns the option that needs the program of bench/; empty if none does.
std::string option_of_program(BenchOptions const& options, benchmark::Request const& request) {
  std::pair<char const*, bool> const flags[]{{"--few", options.few},
                                             {"--strong", options.strong},
                                             {"--weak", options.weak},
                                             {"--predict", !options.predict.empty()},
                                             {"--render", options.render},
                                             {"--sweep", options.sweep},
                                             {"--snapshots", !options.snapshots.empty()}};
  for (auto const& [name, is_set] : flags) {
    if (is_set) return name;
  }
  for (auto const& kernel : request.kernels) {
    if (kernel.starts_with("reference")) return "--kernel " + kernel;
  }
  return "";
}

ExitStatus bench(BenchOptions options, RankContext const& ranks) {
  auto const request = make_request(options);
  bool const fmm = is_fmm(options.solver);
  options.accuracy = parse_accuracy(options.accuracy, fmm, request.precisions);
  auto const needs_program = option_of_program(options, request);
  if (!needs_program.empty() && ranks.measures == nullptr) refuse_without_program(needs_program);
  auto const kokkos = kokkos_session(options.threads, ranks);
  if (!options.few) check_bodies_fit(request.bodies, "--bodies", options.solver);
  if (!needs_program.empty()) return ranks.measures(options, request, ranks);
  return fmm ? bench_fmm(options, request) : bench_kernels(options, request);
}

}  // namespace

ExitStatus bench_kernels(BenchOptions const& options, benchmark::Request const& request,
                         std::function<void(AddRow const&)> const& others) {
  auto limits = benchmark::measure_arithmetic_limits();
  std::vector<benchmark::Row> rows;
  std::vector<files::Record> other_rows;
  // The results so far are written after each row, so that an early end loses nothing.
  auto const write_results = [&](bool complete) {
    if (options.json.empty()) return;
    files::write_file(options.json,
                      benchmark::bench_json(limits, options.memory, rows, other_rows, complete));
  };
  if (!options.render) {
    std::cout << describe_duration(request, limits) << benchmark::bench_heading(limits)
              << std::flush;
  }
  write_results(false);
  if (!options.render) {
    benchmark::bench(request, limits, [&](benchmark::Row const& row) {
      rows.push_back(row);
      std::cout << benchmark::bench_line(row) << std::flush;
      write_results(false);
    });
    if (options.sweep) std::cout << benchmark::best_of_sweep(rows);
  }
  if (others) {
    others([&](files::Record row) {
      other_rows.push_back(std::move(row));
      write_results(false);
    });
  }
  write_results(true);
  return ExitStatus::conserved;
}

Command bench_command(RankContext const& ranks) {
  auto const options = std::make_shared<BenchOptions>();
  auto const unless_fmm = [&solver = options->solver](char const* why, char const* advice) {
    return [&solver, why, advice]() -> std::optional<Problem> {
      if (solver != "fmm") return {};
      return Problem{"", "contradicts --solver fmm", why, advice};
    };
  };
  auto const kernel_option = [&](Option option) {
    return std::move(option)
        .excludes({"--strong", "--weak", "--predict"}, "those measure whole steps")
        .has_effect_if(
            unless_fmm("the parts of fmm are measured instead", "leave one of them out"));
  };
  std::string const pictures = "pictures are measured instead of forces";
  return {
      "bench",
      "Measure the speed of the force kernels, of the solver fmm, or of few bodies",
      {{"--bodies",
        "Number of bodies, or first:last:factor (default: enough to saturate this backend)",
        &options->bodies, "N|A:B:FACTOR"},
       Option{"--preset", "Numbers of bodies; classroom: 5, 50, 500, 5 000, 50 000 and 500 000",
              &options->preset, "NAME"}
           .excludes({"--bodies"}),
       Option{"--precision", "Precision: single, double, mixed or all (default); repeatable",
              TextList{&options->precisions, true}}
           .excludes({"--render"}, pictures),
       kernel_option(Option{
           "--kernel",
           "Force kernel (see the command list), 'jerk' or 'snap' (kernels of the Hermite "
           "integrators), 'reference' or 'reference_no_errno' (plain loop, host only), "
           "'reference_jerk' or 'reference_jerk_no_errno', or 'all' (default: auto); repeatable",
           TextList{&options->kernels, true}}
                         .excludes({"--render"}, pictures)),
       {"--steps", "Repetitions of each measurement, at least 10",
        IntegerRange<int>{&options->steps, 1, 1000000}},
       kernel_option(Option{"--memory", "Memory that holds the bodies: device or host_pinned",
                            &options->memory, "PLACE"}
                         .excludes({"--render"}, pictures)),
       kernel_option(Option{"--sweep",
                            "Time all compiled tile shapes of the kernels and print the best",
                            &options->sweep}
                         .excludes({"--render"}, pictures)),
       kernel_option(
           Option{"--snapshots",
                  "Also measure the time that writing snapshots to this directory costs a run",
                  &options->snapshots, "DIR"}
               .excludes({"--render"}, pictures)),
       kernel_option(Option{"--render",
                            "Measure the drawing of pictures instead (default: a million bodies)",
                            &options->render}),
       Option{"--few",
              "Measure steps of 2 to 10 bodies beside plain loops, and the time for an error in "
              "eight problems with known answers",
              &options->few}
           .excludes({"--bodies", "--preset", "--precision", "--kernel", "--memory", "--sweep",
                      "--snapshots", "--render", "--strong", "--weak", "--predict", "--solver",
                      "--accuracy"},
                     "the problems and their integrators are fixed"),
       Option{"--beside", "Another program that runs the same problems, see the manual",
              &options->beside, "COMMAND"}
           .needs({"--few"}),
       {"--strong", "Measure strong scaling of whole steps: on all ranks of mpirun and on one",
        &options->strong},
       {"--weak", "Measure weak scaling: as many pairs (fmm: bodies) per rank as on one rank",
        &options->weak},
       Option{"--predict",
              "Like --strong, and predict other numbers of ranks with a cost model; repeatable",
              TextList{&options->predict, true}, "N,..."}
           .has_effect_if(unless_fmm("the cost model covers direct summation only",
                                     "measure with --strong or --weak")),
       share_gpus_option(options->share_gpus).needs({"--strong", "--weak", "--predict"}),
       solver_option(options->solver).excludes({"--render"}, pictures),
       accuracy_option(options->accuracy, options->solver),
       {"--json", "Write the results to this file as JSON", &options->json, "FILE"},
       threads_option(options->threads)},
      [options, ranks] { return bench(*options, ranks); }};
}

}  // namespace apsis::cli
