// SPDX-License-Identifier: Apache-2.0
#include "measures.hpp"

#include "benchmark/textbook.hpp"
#include "benchmark/timing.hpp"
#include "candidate_code.hpp"
#include "cli/benchmark_options.hpp"
#include "core/decimal.hpp"
#include "few_cost.hpp"
#include "files/file.hpp"
#include "files/record.hpp"
#include "render/photographer.hpp"
#include "run/directory/run_record.hpp"
#include "scaling.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/run/observer.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
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
  if (ranks.leader) std::cout << printable(ranks.leader->summary()) << "\n";
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
        if (!predicted.empty()) std::cout << prediction_lines(costs.back(), messages, predicted);
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
    if (!options.json.empty()) files::write_file(options.json, few_json(steps, runs, complete));
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

// Rows of pictures and snapshots in the file of results have the "kernel" picture or snapshot.

struct PictureCost {
  std::size_t bodies;
  int width, height;
  bool coloured;           ///< by speed; otherwise the density is shown
  double seconds_picture;  ///< median, from bodies on the device to pixels on the host
  double spread;
  double seconds_png;  ///< time to encode the file, in another thread
  double bytes;        ///< size of the file
};

/// Times pictures of a Plummer sphere in two sizes and two colourings, and reports each.
void picture_costs(std::size_t count, int repeats,
                   std::function<void(PictureCost const&)> const& report) {
  auto const deck = deck::configure(
      R"({"bodies": {"generator": "plummer"}, "gravity": {"softening": 0.01},
          "integrator": {"time_step": 0.001}, "run": {"steps": 1}})",
      "bench", {"bodies.count=" + std::to_string(count)});
  ExecutionSpace const space;
  auto const bodies = to_device<float>(space, simulation::make_bodies(deck.configuration));
  for (auto const& size : {render::Size{1920, 1080}, render::Size{3840, 2160}}) {
    for (auto const colour : {render::ColourBy::density, render::ColourBy::speed}) {
      render::Shot shot;
      shot.size = size;
      shot.colour = colour;
      render::Photographer photographer(shot);
      render::Image image({0, 0});
      auto const take = [&](int repeat) {
        image = photographer.take(Context(space), bodies, {}, repeat);
      };
      auto const timing = measure_time(space, repeats, take);
      auto const begin = std::chrono::steady_clock::now();
      auto const bytes = render::png_of(image, {}).size();
      report({count, size.width, size.height, colour == render::ColourBy::speed, timing.median,
              timing.spread(), seconds_since(begin), static_cast<double>(bytes)});
    }
  }
}

std::string picture_cost_heading() {
  return "     bodies       pixels  colour   ms picture  spread    ms PNG      MB\n";
}

std::string picture_cost_line(PictureCost const& cost) {
  return formatted("%11zu  %5dx%-5d  %-7s  %10.2f  %5.1f%%  %8.1f  %6.2f\n", cost.bodies,
                   cost.width, cost.height, cost.coloured ? "speed" : "density",
                   cost.seconds_picture * 1e3, cost.spread * 100.0, cost.seconds_png * 1e3,
                   cost.bytes * 1e-6);
}

files::Record picture_cost_record(PictureCost const& cost) {
  return {{"bodies", static_cast<std::int64_t>(cost.bodies)},
          {"kernel", "picture"},
          {"width", std::int64_t{cost.width}},
          {"height", std::int64_t{cost.height}},
          {"colour", std::string(cost.coloured ? "speed" : "density")},
          {"milliseconds_picture", cost.seconds_picture * 1e3},
          {"spread", cost.spread},
          {"milliseconds_png", cost.seconds_png * 1e3},
          {"megabytes", cost.bytes * 1e-6}};
}

/// Cost of a snapshot for a run of `bodies` bodies; times are medians.
struct SnapshotCost {
  std::size_t bodies;
  forces::Precision precision;
  double bytes;          ///< size of the file
  double seconds_step;   ///< of leapfrog
  double seconds_copy;   ///< time that the run waits
  double seconds_write;  ///< from the copy until the file is on disk, without other work
  double seconds_added;  ///< added by a snapshot to steps that take at least as long as writing it
};

double seconds_of(std::function<void()> const& work) {
  auto const begin = std::chrono::steady_clock::now();
  work();
  return seconds_since(begin);
}

SnapshotCost measure_cost(deck::ConfiguredDeck const& deck, run::RunDirectory const& directory,
                          int repeats) {
  auto const& run = deck.configuration;
  auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
  run::WarningHandler const warn = [](Problem const&) {};
  run::ErrorPolicy tolerance("snapshot", run::OnError::end_the_run, warn);
  auto const snapshots = run::snapshots({run, directory, deck.resolved}, tolerance);
  auto const steps = [&](int count) {
    simulation->advance(static_cast<std::uint64_t>(count));
    Kokkos::fence("apsis::benchmark::snapshot_cost: the clock reads");
  };
  auto const write = [&] { snapshots->observe(*simulation, {}, run::Occasion::scheduled); };
  auto const finish_write = [&] { snapshots->wait(); };
  steps(1);
  for (int i = 0; i < 2; ++i) {  // allocates both sets of copies
    write();
    finish_write();
  }

  SnapshotCost cost{};
  cost.bodies = simulation->count();
  cost.precision = run.gravity.precision;
  std::vector<double> step, copy, rest, added;
  for (int r = 0; r < repeats; ++r) {
    step.push_back(seconds_of([&] { steps(1); }));
    copy.push_back(seconds_of(write));
    rest.push_back(seconds_of(finish_write));
  }
  cost.seconds_step = median(step);
  cost.seconds_copy = median(copy);
  cost.seconds_write = median(rest);
  // Enough steps to hide the writing, alternately with and without a snapshot.
  auto const step_count = static_cast<int>(
      std::min(1000.0, std::ceil(1.2 * cost.seconds_write / cost.seconds_step) + 1.0));
  for (int r = 0; r < repeats; ++r) {
    double const seconds_without = seconds_of([&] { steps(step_count); });
    double const seconds_with = seconds_of([&] {
      write();
      steps(step_count);
      finish_write();
    });
    added.push_back(seconds_with - seconds_without);
  }
  cost.seconds_added = median(added);
  run::RunRecord record;
  snapshots->record_progress(record);
  std::error_code ignored;
  cost.bytes = static_cast<double>(
      std::filesystem::file_size(directory.snapshot(record.snapshots - 1), ignored));
  return cost;
}

/// Times leapfrog steps of a Plummer sphere with and without a snapshot being written to
/// `directory`, as in a run (run::snapshots). Leaves no files there.
SnapshotCost snapshot_cost(std::size_t bodies, forces::Precision precision, int repeats,
                           std::filesystem::path const& directory) {
  auto const deck = deck::configure(
      R"({"bodies": {"generator": "plummer"}, "gravity": {"softening": 0.01},
          "integrator": {"time_step": 0.001}, "run": {"steps": 1},
          "output": {"snapshot_interval": 0.001}})",
      "bench",
      {"bodies.count=" + std::to_string(bodies),
       "gravity.precision=" + forces::name_of(precision)});
  std::error_code ignored;
  std::filesystem::create_directories(directory, ignored);
  auto path = (directory / "apsis_bench_XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) {
    throw Error(ExitStatus::input_output, Problem{directory.string(), "cannot be written to",
                                                  std::strerror(errno), "name another directory"});
  }
  struct Removal {
    std::string const& path;
    ~Removal() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  } const removal{path};
  run::RunDirectory run_directory(path, run::Existing::replace);
  run_directory.prepare();
  return measure_cost(deck, run_directory, repeats);
}

std::string snapshot_cost_heading() {
  return "\nsnapshots: copy: time that the run waits; write: until the file is on disk; added: "
         "time added to steps that continue meanwhile\n\n" +
         formatted("%9s %-9s %10s %12s %10s %10s %8s %10s %8s\n", "bodies", "precision", "MB",
                   "step ms", "copy ms", "write ms", "GB/s", "added ms", "hidden");
}

std::string snapshot_cost_line(SnapshotCost const& cost) {
  double const whole = cost.seconds_copy + cost.seconds_write;
  return formatted("%9zu %-9s %10.4g %12.5g %10.4g %10.4g %8.3g %10.4g %7.1f%%\n", cost.bodies,
                   forces::name_of(cost.precision).c_str(), cost.bytes * 1e-6,
                   cost.seconds_step * 1e3, cost.seconds_copy * 1e3, cost.seconds_write * 1e3,
                   cost.bytes / whole * 1e-9, cost.seconds_added * 1e3,
                   100.0 * (1.0 - cost.seconds_added / whole));
}

files::Record snapshot_cost_record(SnapshotCost const& cost) {
  return {{"bodies", static_cast<std::int64_t>(cost.bodies)},
          {"kernel", "snapshot"},
          {"precision", forces::name_of(cost.precision)},
          {"megabytes", cost.bytes * 1e-6},
          {"milliseconds_step", cost.seconds_step * 1e3},
          {"milliseconds_copy", cost.seconds_copy * 1e3},
          {"milliseconds_write", cost.seconds_write * 1e3},
          {"milliseconds_added", cost.seconds_added * 1e3}};
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
