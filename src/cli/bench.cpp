// SPDX-License-Identifier: Apache-2.0
#include "benchmark_options.hpp"
#include "commands.hpp"
#include <apsis/benchmark/bench.hpp>
#include <apsis/benchmark/scaling.hpp>
#include <apsis/benchmark/solver_cost.hpp>
#include <apsis/core/decimal.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/file.hpp>

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
  bool strong = false;
  bool weak = false;
  std::vector<std::string> predict;
  bool share_gpus = false;
  std::optional<int> threads;
};

benchmark::Request request_of(BenchOptions const& options) {
  benchmark::Request request;
  if (!options.preset.empty()) {
    if (options.preset != "classroom") {
      usage_error("--preset " + options.preset, "unknown preset", "", "use 'classroom'");
    }
    request.bodies = {5, 50, 500, 5000, 50000, 500000};
  } else {
    constexpr std::size_t usual_in_pictures = 1000000;
    auto const usual = options.render ? usual_in_pictures : benchmark::usual_bodies();
    request.bodies =
        options.bodies.empty() ? std::vector<std::size_t>{usual} : body_counts(options.bodies);
  }
  request.precisions = chosen_precisions(options.precisions);
  auto const usual = std::vector<std::string>{options.sweep ? "all" : "auto"};
  request.kernels = chosen_kernels(options.kernels.empty() ? usual : options.kernels, true);
  request.sweep = options.sweep;
  request.repeats = std::max(10, options.steps);
  request.use_all_threads = options.threads.has_value();
  if (options.memory != "device" && options.memory != "host_pinned") {
    usage_error("--memory " + options.memory, "unknown place", "", "use 'device' or 'host_pinned'");
  }
  if (options.memory == "host_pinned") request.memory = benchmark::Memory::host_pinned;
  if (options.memory == "host_pinned" && !benchmark::has_host_pinned()) {
    usage_error("--memory host_pinned", "not available",
                "this backend computes in the host's memory", "leave the option out");
  }
  return request;
}

/// How many rows there will be at least, and what takes how long.
std::string announcement(benchmark::Request const& request, benchmark::FmaRates const& limits) {
  double all = 0.0, longest = 0.0;
  std::string what;
  for (auto const bodies : request.bodies) {
    for (auto const precision : request.precisions) {
      double const seconds = benchmark::expected_seconds(request, limits, bodies, precision);
      all += seconds;
      if (seconds <= longest) continue;
      longest = seconds;
      what = std::to_string(bodies) + " bodies in " + forces::name_of(precision);
    }
  }
  return "takes about " + duration_text(all) + ", " + duration_text(longest) + " of it for " +
         what + "\n";
}

/// Numbers of processes that a model is asked for.
std::vector<std::size_t> process_counts(std::vector<std::string> const& words) {
  std::vector<std::size_t> counts;
  for (auto const& word : words) {
    std::uint64_t count = 0;
    if (read_decimal(word, count) != Numeral::good || count < 1 || count > 1000000) {
      usage_error("--predict " + word, "is no number of processes", "",
                  "give whole numbers from 1 to 1000000, such as --predict 8,64");
    }
    counts.push_back(count);
  }
  return counts;
}

ExitStatus bench_scaling(BenchOptions const& options, benchmark::Request const& request,
                         Together const& with) {
  auto const predicted = process_counts(options.predict);
  bool const fmm = options.solver == "fmm";
  if (!predicted.empty() && !with.leader) {
    usage_error("--predict", "has no messages to measure", "this is one process",
                "start it with mpirun, on at least two");
  }
  if (with.leader) with.leader->begin({options.threads, options.share_gpus}, this_member(with));
  auto const messages = benchmark::message_cost(with.leader, request.repeats);
  if (with.leader) {
    std::cout << printable(with.leader->summary()) << "\n";
  }
  std::cout << benchmark::scaling_heading(messages, fmm) << std::flush;
  std::vector<benchmark::ScalingCost> costs;
  auto const write_down = [&](bool complete) {
    if (!options.json.empty()) {
      io::write_file(options.json, benchmark::scaling_json(costs, messages, predicted, complete));
    }
  };
  write_down(false);
  using benchmark::Scaling;
  for (auto const bodies : request.bodies) {
    for (auto const precision : request.precisions) {
      for (auto const scaling : {Scaling::strong, Scaling::weak}) {
        if (scaling == Scaling::weak ? !options.weak : options.weak && !options.strong) continue;
        benchmark::ScalingRequest of{scaling, bodies, precision, {}};
        if (fmm) of.fmm_accuracy = *options.accuracy;
        costs.push_back(
            benchmark::scaling_cost(with.leader, of, request.repeats, request.use_all_threads));
        std::cout << benchmark::scaling_line(costs.back());
        if (!predicted.empty()) {
          std::cout << benchmark::prediction_lines(costs.back(), messages, predicted);
        }
        std::cout << std::flush;
        write_down(false);
      }
    }
  }
  write_down(true);
  return ExitStatus::conserved;
}

ExitStatus bench_fmm(BenchOptions const& options, benchmark::Request const& request) {
  std::cout << benchmark::fmm_cost_heading() << std::flush;
  std::vector<benchmark::FmmCost> costs;
  auto const write_down = [&](bool complete) {
    if (!options.json.empty()) {
      io::write_file(options.json, benchmark::fmm_cost_json(costs, complete));
    }
  };
  write_down(false);
  for (auto const bodies : request.bodies) {
    for (auto const precision : request.precisions) {
      costs.push_back(benchmark::fmm_cost(bodies, precision, *options.accuracy, request.repeats));
      std::cout << benchmark::fmm_cost_line(costs.back()) << std::flush;
      write_down(false);
    }
  }
  write_down(true);
  return ExitStatus::conserved;
}

ExitStatus bench(BenchOptions options, Together const& with) {
  auto const request = request_of(options);
  bool const fmm = chooses_fmm(options.solver);
  options.accuracy = chosen_accuracy(options.accuracy, fmm, request.precisions);
  bool const whole_steps = options.strong || options.weak || !options.predict.empty();
  auto const kokkos = kokkos_session(options.threads, with);
  check_bodies_fit(request.bodies, "--bodies", options.solver);
  if (whole_steps) return bench_scaling(options, request, with);
  if (fmm) return bench_fmm(options, request);
  auto const limits = benchmark::measured_fma_rates();
  if (!options.render) {
    std::cout << announcement(request, limits) << benchmark::bench_heading(limits) << std::flush;
  }
  std::vector<benchmark::Row> rows;
  std::vector<benchmark::SnapshotCost> snapshots;
  std::vector<benchmark::PictureCost> pictures;
  // Whoever ends this early has what was measured so far.
  auto const write_down = [&](bool complete) {
    if (options.json.empty()) return;
    io::write_file(options.json, benchmark::bench_json(limits, options.memory, rows, snapshots,
                                                       pictures, complete));
  };
  write_down(false);
  if (options.render) {
    std::cout << benchmark::picture_cost_heading() << std::flush;
    for (auto const bodies : request.bodies) {
      benchmark::picture_costs(bodies, request.repeats, [&](benchmark::PictureCost const& cost) {
        pictures.push_back(cost);
        std::cout << benchmark::picture_cost_line(cost) << std::flush;
        write_down(false);
      });
    }
    write_down(true);
    return ExitStatus::conserved;
  }
  benchmark::bench(request, limits, [&](benchmark::Row const& row) {
    rows.push_back(row);
    std::cout << benchmark::bench_line(row) << std::flush;
    write_down(false);
  });
  if (options.sweep) std::cout << benchmark::best_of_sweep(rows);
  if (!options.snapshots.empty()) {
    std::cout << benchmark::snapshot_cost_heading() << std::flush;
    for (auto const bodies : request.bodies) {
      for (auto const precision : request.precisions) {
        snapshots.push_back(
            benchmark::snapshot_cost(bodies, precision, request.repeats, options.snapshots));
        std::cout << benchmark::snapshot_cost_line(snapshots.back()) << std::flush;
        write_down(false);
      }
    }
  }
  write_down(true);
  return ExitStatus::conserved;
}

}  // namespace

Command bench_command(Together const& with) {
  auto const options = std::make_shared<BenchOptions>();
  auto const not_of_fmm = [&solver = options->solver](char const* why, char const* advice) {
    return [&solver, why, advice]() -> std::optional<Problem> {
      if (solver != "fmm") return {};
      return Problem{"", "contradicts --solver fmm", why, advice};
    };
  };
  auto const of_kernels = [&](Option option) {
    return std::move(option)
        .excludes({"--strong", "--weak", "--predict"},
                  "they measure whole steps, as runs make them")
        .works_if(not_of_fmm("its own parts are measured", "leave one of them out"));
  };
  std::string const pictures = "pictures are measured instead of forces";
  return {
      "bench",
      "Measure the rates of the force kernels, or of the solver fmm",
      {{"--bodies",
        "Number of bodies, or first:last:factor (default: what keeps this backend busy)",
        &options->bodies, "N|A:B:FACTOR"},
       Option{"--preset", "classroom: 5, 50, 500, 5 000, 50 000 and 500 000 bodies",
              &options->preset, "NAME"}
           .excludes({"--bodies"}),
       Option{"--precision", "single, double, mixed or all (default); repeatable",
              Words{&options->precisions, true}}
           .excludes({"--render"}, pictures),
       of_kernels(Option{"--kernel",
                         "A kernel of the command list, 'jerk' or 'snap' (what Hermite schemes "
                         "ask for), 'reference' or 'reference_no_errno' (the textbook loop, host "
                         "only), 'reference_jerk' or 'reference_jerk_no_errno', or 'all' "
                         "(default: auto); repeatable",
                         Words{&options->kernels, true}}
                      .excludes({"--render"}, pictures)),
       {"--steps", "Repeats of each measurement; ten at least are made",
        Within<int>{&options->steps, 1, 1000000}},
       of_kernels(Option{"--memory", "Where the bodies are: device or host_pinned",
                         &options->memory, "PLACE"}
                      .excludes({"--render"}, pictures)),
       of_kernels(Option{"--sweep", "Time every compiled shape of the kernels and name the best",
                         &options->sweep}
                      .excludes({"--render"}, pictures)),
       of_kernels(
           Option{"--snapshots",
                  "Also measure what snapshots cost a run that writes them to this directory",
                  &options->snapshots, "DIR"}
               .excludes({"--render"}, pictures)),
       of_kernels(Option{"--render",
                         "Measure pictures instead, of a million bodies if --bodies is not given",
                         &options->render}),
       {"--strong", "Measure whole steps instead, on all processes that mpirun started and on one",
        &options->strong},
       {"--weak", "The same with as many pairs (fmm: bodies) for each process as for one",
        &options->weak},
       Option{"--predict",
              "The same, and what a model says of other numbers of processes; repeatable",
              Words{&options->predict, true}, "N,..."}
           .works_if(not_of_fmm("the model shares pairs, and makes no cells",
                                "measure with --strong or --weak")),
       share_gpus_option(options->share_gpus).needs({"--strong", "--weak", "--predict"}),
       solver_option(options->solver).excludes({"--render"}, pictures),
       accuracy_option(options->accuracy, options->solver),
       {"--json", "Write the numbers to this file", &options->json, "FILE"},
       threads_option(options->threads)},
      [options, with] { return bench(*options, with); }};
}

}  // namespace apsis::cli
