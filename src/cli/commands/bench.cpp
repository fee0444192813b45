// SPDX-License-Identifier: Apache-2.0
#include "benchmark/bench.hpp"

#include "benchmark/few/few_cost.hpp"
#include "benchmark/scaling.hpp"
#include "benchmark/solver_cost.hpp"
#include "cli/benchmark_options.hpp"
#include "cli/commands.hpp"
#include "core/decimal.hpp"
#include "files/file.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <iostream>

namespace apsis::cli {

namespace {

struct BenchOptions {
  std::string bodies;
  std::string preset;
  std::vector<std::string> precisions;
  std::vector<std::string> kernels;
  std::string memory = "device";
  std::string solver = "direct";
  std::optional<double> accuracy;
  std::string json;
  int steps = 10;
  std::string snapshots;
  bool sweep = false;
  bool render = false;
  bool few = false;
  std::string beside;
  bool strong = false;
  bool weak = false;
  std::vector<std::string> predict;
  bool share_gpus = false;
  std::optional<int> threads;
};

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

/// Parses the numbers of ranks for the cost model.
std::vector<std::size_t> parse_rank_counts(std::vector<std::string> const& words) {
  std::vector<std::size_t> counts;
  for (auto const& word : words) {
    std::uint64_t count = 0;
    if (read_decimal(word, count) != Numeral::good || count < 1 || count > 1000000) {
      usage_error("--predict " + word, "invalid number of ranks", "",
                  "give whole numbers from 1 to 1000000, such as --predict 8,64");
    }
    counts.push_back(count);
  }
  return counts;
}

ExitStatus bench_scaling(BenchOptions const& options, benchmark::Request const& request,
                         RankContext const& ranks) {
  auto const predicted = parse_rank_counts(options.predict);
  bool const fmm = options.solver == "fmm";
  if (!predicted.empty() && !ranks.leader) {
    usage_error("--predict", "needs several ranks", "this is a single process",
                "start it with mpirun on at least two ranks");
  }
  if (ranks.leader) ranks.leader->begin({options.threads, options.share_gpus}, this_member(ranks));
  auto const messages = benchmark::message_cost(ranks.leader, request.repeats);
  if (ranks.leader) {
    std::cout << printable(ranks.leader->summary()) << "\n";
  }
  std::cout << benchmark::scaling_heading(messages, fmm) << std::flush;
  std::vector<benchmark::ScalingCost> costs;
  auto const write_results = [&](bool complete) {
    if (!options.json.empty()) {
      files::write_file(options.json,
                        benchmark::scaling_json(costs, messages, predicted, complete));
    }
  };
  write_results(false);
  using benchmark::Scaling;
  for (auto const bodies : request.bodies) {
    for (auto const precision : request.precisions) {
      for (auto const scaling : {Scaling::strong, Scaling::weak}) {
        if (scaling == Scaling::weak ? !options.weak : options.weak && !options.strong) continue;
        benchmark::ScalingRequest scaling_request{scaling, bodies, precision, {}};
        if (fmm) scaling_request.fmm_accuracy = *options.accuracy;
        costs.push_back(benchmark::scaling_cost(ranks.leader, scaling_request, request.repeats,
                                                request.use_all_threads));
        std::cout << benchmark::scaling_line(costs.back());
        if (!predicted.empty()) {
          std::cout << benchmark::prediction_lines(costs.back(), messages, predicted);
        }
        std::cout << std::flush;
        write_results(false);
      }
    }
  }
  write_results(true);
  return ExitStatus::conserved;
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

ExitStatus bench_few(BenchOptions const& options) {
  std::vector<benchmark::FewStepCost> steps;
  std::vector<benchmark::FewErrorCost> runs;
  auto const write_results = [&](bool complete) {
    if (!options.json.empty()) {
      files::write_file(options.json, benchmark::few_json(steps, runs, complete));
    }
  };
  write_results(false);
  std::cout << benchmark::few_step_heading() << std::flush;
  benchmark::few_costs(
      {.repeats = std::max(3, options.steps / 3), .beside = options.beside},
      [&](benchmark::FewStepCost const& cost) {
        steps.push_back(cost);
        std::cout << benchmark::few_step_line(cost) << std::flush;
        write_results(false);
      },
      [&](benchmark::FewErrorCost const& run) {
        runs.push_back(run);
        write_results(false);
      });
  std::cout << benchmark::few_error_table(runs);
  write_results(true);
  return ExitStatus::conserved;
}

ExitStatus bench(BenchOptions options, RankContext const& ranks) {
  auto const request = make_request(options);
  bool const fmm = is_fmm(options.solver);
  options.accuracy = parse_accuracy(options.accuracy, fmm, request.precisions);
  bool const whole_steps = options.strong || options.weak || !options.predict.empty();
  auto const kokkos = kokkos_session(options.threads, ranks);
  if (options.few) return bench_few(options);
  check_bodies_fit(request.bodies, "--bodies", options.solver);
  if (whole_steps) return bench_scaling(options, request, ranks);
  if (fmm) return bench_fmm(options, request);
  auto limits = benchmark::measure_arithmetic_limits();
  if (!options.render) {
    std::cout << describe_duration(request, limits) << benchmark::bench_heading(limits)
              << std::flush;
  }
  std::vector<benchmark::Row> rows;
  std::vector<benchmark::SnapshotCost> snapshots;
  std::vector<benchmark::PictureCost> pictures;
  // The results so far are written after each row, so that an early end loses nothing.
  auto const write_results = [&](bool complete) {
    if (options.json.empty()) return;
    files::write_file(options.json, benchmark::bench_json(limits, options.memory, rows, snapshots,
                                                          pictures, complete));
  };
  write_results(false);
  if (options.render) {
    std::cout << benchmark::picture_cost_heading() << std::flush;
    for (auto const bodies : request.bodies) {
      benchmark::picture_costs(bodies, request.repeats, [&](benchmark::PictureCost const& cost) {
        pictures.push_back(cost);
        std::cout << benchmark::picture_cost_line(cost) << std::flush;
        write_results(false);
      });
    }
    write_results(true);
    return ExitStatus::conserved;
  }
  benchmark::bench(request, limits, [&](benchmark::Row const& row) {
    rows.push_back(row);
    std::cout << benchmark::bench_line(row) << std::flush;
    write_results(false);
  });
  if (options.sweep) std::cout << benchmark::best_of_sweep(rows);
  if (!options.snapshots.empty()) {
    std::cout << benchmark::snapshot_cost_heading() << std::flush;
    for (auto const bodies : request.bodies) {
      for (auto const precision : request.precisions) {
        snapshots.push_back(
            benchmark::snapshot_cost(bodies, precision, request.repeats, options.snapshots));
        std::cout << benchmark::snapshot_cost_line(snapshots.back()) << std::flush;
        write_results(false);
      }
    }
  }
  write_results(true);
  return ExitStatus::conserved;
}

}  // namespace

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
  return {"bench",
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
           kernel_option(
               Option{"--kernel",
                      "Force kernel (see the command list), 'jerk' or 'snap' (kernels of the "
                      "Hermite integrators), 'reference' or 'reference_no_errno' (plain loop, "
                      "host only), 'reference_jerk' or 'reference_jerk_no_errno', or 'all' "
                      "(default: auto); repeatable",
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
           kernel_option(Option{
               "--render", "Measure the drawing of pictures instead (default: a million bodies)",
               &options->render}),
           Option{"--few",
                  "Measure steps of 2 to 10 bodies beside plain loops, and the time for an error "
                  "in eight problems with known answers",
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
