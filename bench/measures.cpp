// SPDX-License-Identifier: Apache-2.0
#include "measures.hpp"

#include "benchmark/textbook.hpp"
#include "candidate_code.hpp"
#include "cli/benchmark_options.hpp"
#include "core/decimal.hpp"
#include "few_cost.hpp"
#include "files/file.hpp"
#include "scaling.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <iostream>

namespace apsis::benchmark {

namespace {

template <class Number>
void add_candidates() {
  auto& codes = forces::candidate_codes<Number>();
  codes = forces::make_ladder_candidates<Number>();
  auto const more = forces::make_candidate_codes<Number>();
  codes.insert(codes.end(), more.begin(), more.end());
}

/// Parses the numbers of ranks for the cost model.
std::vector<std::size_t> parse_rank_counts(std::vector<std::string> const& words) {
  std::vector<std::size_t> counts;
  for (auto const& word : words) {
    std::uint64_t count = 0;
    if (read_decimal(word, count) != Numeral::good || count < 1 || count > 1000000) {
      cli::usage_error("--predict " + word, "invalid number of ranks", "",
                       "give whole numbers from 1 to 1000000, such as --predict 8,64");
    }
    counts.push_back(count);
  }
  return counts;
}

ExitStatus measure_scaling(cli::BenchOptions const& options, Request const& request,
                           cli::RankContext const& ranks) {
  auto const predicted = parse_rank_counts(options.predict);
  bool const fmm = options.solver == "fmm";
  if (!predicted.empty() && !ranks.leader) {
    cli::usage_error("--predict", "needs several ranks", "this is a single process",
                     "start it with mpirun on at least two ranks");
  }
  if (ranks.leader)
    ranks.leader->begin({options.threads, options.share_gpus}, cli::this_member(ranks));
  auto const messages = message_cost(ranks.leader, request.repeats);
  if (ranks.leader) {
    std::cout << printable(ranks.leader->summary()) << "\n";
  }
  std::cout << scaling_heading(messages, fmm) << std::flush;
  std::vector<ScalingCost> costs;
  auto const write_results = [&](bool complete) {
    if (!options.json.empty()) {
      files::write_file(options.json, scaling_json(costs, messages, predicted, complete));
    }
  };
  write_results(false);
  for (auto const bodies : request.bodies) {
    for (auto const precision : request.precisions) {
      for (auto const scaling : {Scaling::strong, Scaling::weak}) {
        if (scaling == Scaling::weak ? !options.weak : options.weak && !options.strong) continue;
        ScalingRequest scaling_request{scaling, bodies, precision, {}};
        if (fmm) scaling_request.fmm_accuracy = *options.accuracy;
        costs.push_back(
            scaling_cost(ranks.leader, scaling_request, request.repeats, request.use_all_threads));
        std::cout << scaling_line(costs.back());
        if (!predicted.empty()) {
          std::cout << prediction_lines(costs.back(), messages, predicted);
        }
        std::cout << std::flush;
        write_results(false);
      }
    }
  }
  write_results(true);
  return ExitStatus::conserved;
}

ExitStatus measure_few(cli::BenchOptions const& options) {
  std::vector<FewStepCost> steps;
  std::vector<FewErrorCost> runs;
  auto const write_results = [&](bool complete) {
    if (!options.json.empty()) {
      files::write_file(options.json, few_json(steps, runs, complete));
    }
  };
  write_results(false);
  std::cout << few_step_heading() << std::flush;
  few_costs(
      {.repeats = std::max(3, options.steps / 3), .beside = options.beside},
      [&](FewStepCost const& cost) {
        steps.push_back(cost);
        std::cout << few_step_line(cost) << std::flush;
        write_results(false);
      },
      [&](FewErrorCost const& run) {
        runs.push_back(run);
        write_results(false);
      });
  std::cout << few_error_table(runs);
  write_results(true);
  return ExitStatus::conserved;
}

void measure_pictures(Request const& request, cli::AddRow const& add_row) {
  std::cout << picture_cost_heading() << std::flush;
  for (auto const bodies : request.bodies) {
    picture_costs(bodies, request.repeats, [&](PictureCost const& cost) {
      std::cout << picture_cost_line(cost) << std::flush;
      add_row(picture_cost_record(cost));
    });
  }
}

void measure_snapshots(Request const& request, std::string const& directory,
                       cli::AddRow const& add_row) {
  std::cout << snapshot_cost_heading() << std::flush;
  for (auto const bodies : request.bodies) {
    for (auto const precision : request.precisions) {
      auto const cost = snapshot_cost(bodies, precision, request.repeats, directory);
      std::cout << snapshot_cost_line(cost) << std::flush;
      add_row(snapshot_cost_record(cost));
    }
  }
}

}  // namespace

ExitStatus measure(cli::BenchOptions const& options, Request const& request,
                   cli::RankContext const& ranks) {
  if (options.few) return measure_few(options);
  if (options.strong || options.weak || !options.predict.empty()) {
    return measure_scaling(options, request, ranks);
  }
  add_candidates<forces::Single>();
  add_candidates<forces::Double>();
  add_candidates<forces::Mixed>();
  Textbook const textbook;
  auto kernels = request;
  kernels.textbook = &textbook;
  return cli::bench_kernels(options, kernels, [&](cli::AddRow const& add_row) {
    if (options.render) measure_pictures(request, add_row);
    if (!options.snapshots.empty()) measure_snapshots(request, options.snapshots, add_row);
  });
}

}  // namespace apsis::benchmark
