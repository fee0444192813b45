// SPDX-License-Identifier: Apache-2.0
#include "benchmark/timing.hpp"
#include "measures.hpp"
#include "run/directory/run_record.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/run/observer.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/simulation/simulation.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace apsis::benchmark {

namespace {

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

}  // namespace

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
         "time "
         "added to steps that continue meanwhile\n\n" +
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

}  // namespace apsis::benchmark
