// SPDX-License-Identifier: Apache-2.0
#include "run/estimate.hpp"

#include "render/photographer.hpp"
#include "sampled_steps.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/simulation/measurements.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace apsis::run {

namespace {

using Intervals = std::vector<std::uint64_t>;

/// Assumed write rate of a disk [bytes / s].
constexpr double disk_rate = 500e6;

/// Counts the multiples of `common` from 0 to `steps` that are also multiples of at least one of
/// the intervals from index `next` on, by inclusion and exclusion.
double count_multiples(Intervals const& intervals, std::size_t next, std::uint64_t common,
                       std::uint64_t steps) {
  double count = 0.0;
  for (std::size_t k = next; k < intervals.size(); ++k) {
    auto const factor = intervals[k] / std::gcd(intervals[k], common);
    // If the common multiple is beyond the last step, only step 0 remains.
    bool const is_beyond_end = factor > steps / common;
    auto const multiple = is_beyond_end ? steps + 1 : common * factor;
    count += static_cast<double>(steps / multiple + 1) -
             (is_beyond_end ? (k + 1 < intervals.size() ? 1.0 : 0.0)
                            : count_multiples(intervals, k + 1, multiple, steps));
  }
  return count;
}

/// Returns the measurements that the deck schedules, a set of Measured.
unsigned scheduled_measurements(deck::Configuration const& run) {
  unsigned measurements = simulation::measured_forces | simulation::measured_potential;
  for (auto const& plan : run.diagnostics) measurements |= plan.entry->measured;
  if (run.output.has_snapshots() || run.output.checkpoint_steps)
    measurements |= simulation::measured_bodies;
  return measurements;
}

/// Extrapolates times from a sample, which is `share` of all `count` bodies. The cost of the solver
/// grows as N^`exponent`.
simulation::MeasuredTimes extrapolate(simulation::MeasuredTimes times, double count, double share,
                                      double exponent) {
  double const sweeps = std::pow(share, -exponent), pairs = 1.0 / (share * share);
  times.forces *= sweeps;
  times.potential *= sweeps;
  times.density_centre *=
      diagnostics::neighbour_search_cost(count) / diagnostics::neighbour_search_cost(count * share);
  times.pair_distances *= pairs;
  times.bodies /= share;
  times.reference /= share;
  return times;
}

/// Wall time of a row without the measurements of all bodies [s], extrapolated linearly from few
/// bodies.
double row_time(deck::PlannedDiagnostic const& plan, simulation::Simulation& few, double count) {
  if (plan.entry->drawn != nullptr || few.count() == 0) return 0.0;
  try {
    plan.entry->rows(plan.values, few);  // fills the caches
    Stopwatch const watch;
    int rows = 0;
    while (rows < 20 && watch.seconds() < 1e-3) {
      plan.entry->rows(plan.values, few);
      ++rows;
    }
    return watch.seconds() / rows * count / static_cast<double>(few.count());
  } catch (Error const&) {
    return 0.0;  // the table refers to bodies outside this sample
  }
}

/// Wall time of a picture [s], extrapolated from bodies that are `share` of all.
double picture_time(render::Shot const& shot, simulation::Simulation& simulation, double share) {
  render::Photographer photographer(shot);
  try {
    return on_whole(simulation,
                    [&](Context const& context, auto const& bodies, auto const& species) {
                      Stopwatch const watch;
                      photographer.take(context, bodies, species, simulation.time());
                      return watch.seconds();
                    }) /
           share;
  } catch (Error const&) {
    return 0.0;  // the body that it follows is not in this sample
  }
}

class Estimator {
 public:
  /// `simulation`: of all `count` bodies of the run, or of a sample of them.
  Estimator(deck::Configuration const& run, simulation::Simulation& simulation, double count)
      : run_(run),
        simulation_(simulation),
        count_(count),
        share_(static_cast<double>(simulation.count()) / std::max(count, 1.0)) {}

  Estimate run() {
    Estimate result;
    result.at_least = run_.integrator.has_variable_steps();
    if (simulation_.count() == 0) return result;
    auto const sample_times =
        time_measurements(simulation_, scheduled_measurements(run_) | simulation::measured_few);
    times_ = extrapolate(sample_times, count_, share_, run_.gravity.solver->cost_exponent);
    result.step =
        seconds_of(sampled_steps(run_, simulation_, sample_times.forces, share_ == 1.0), times_);
    auto const few = make_sample_simulation(run_, sample_evenly(simulation_.bodies(), few_bodies));
    add_tables(*few);
    add_files();
    for (auto const& plan : run_.output.pictures) {
      add({plan.steps}, picture_time(plan.shot, simulation_, share_));
    }
    result.scheduled = std::move(scheduled_);
    return result;
  }

 private:
  void add(Intervals intervals, double seconds) {
    if (!intervals.empty() && seconds > 0.0) scheduled_.push_back({std::move(intervals), seconds});
  }

  /// Adds the rows of the log and of the tables. A measurement that several tables need at the same
  /// step is counted once.
  void add_tables(simulation::Simulation& few) {
    auto const intervals_of = [&](simulation::Measured measurement) {
      Intervals intervals;
      for (auto const& plan : run_.diagnostics) {
        if ((plan.entry->measured & measurement) != 0) intervals.push_back(plan.steps);
      }
      return intervals;
    };
    auto potential = intervals_of(simulation::measured_potential);
    if (times_.potential_with_forces) {
      constexpr double extra_cost = 0.1;  // of potentials, relative to the force evaluation
      add({run_.output.conservation_steps}, extra_cost * times_.forces);
      std::erase_if(potential,
                    [&](auto steps) { return steps % run_.output.conservation_steps == 0; });
    } else {
      potential.push_back(run_.output.conservation_steps);
    }
    add(potential, times_.potential);
    add(intervals_of(simulation::measured_bodies), times_.bodies);
    add(intervals_of(simulation::measured_density_centre), times_.density_centre);
    for (auto const& plan : run_.diagnostics) {
      auto const& entry = *plan.entry;
      double seconds = row_time(plan, few, count_);
      if ((entry.measured & simulation::measured_pair_distances) != 0)
        seconds += times_.pair_distances;
      if ((entry.measured & simulation::measured_neighbours) != 0) seconds += times_.density_centre;
      if ((entry.measured & simulation::measured_forces) != 0) seconds += times_.forces;
      if (entry.drawn != nullptr) {
        seconds +=
            std::min(count_, static_cast<double>(entry.drawn(plan.values))) * times_.reference;
      }
      add({plan.steps}, seconds);
    }
  }

  /// Adds snapshots and checkpoints. Snapshots are written in the background, so only the copies
  /// for them cost time. The run waits while a checkpoint is written.
  void add_files() {
    double const write_time = simulation_.info().bytes / share_ / disk_rate;
    if (run_.output.has_snapshots()) {
      auto const& content = run_.output.snapshot_content;
      double const copy_time = times_.bodies + (content.accelerations ? times_.forces : 0.0) +
                               (content.potentials ? times_.potential : 0.0);
      add({run_.output.snapshot_steps.value_or(never)}, copy_time);
    }
    if (run_.output.checkpoint_steps || run_.output.final_state) {
      add({run_.output.checkpoint_steps.value_or(never)}, times_.bodies + write_time);
    }
  }

  static constexpr std::uint64_t never = deck::never_due;

  deck::Configuration const& run_;
  simulation::Simulation& simulation_;
  double count_, share_;
  simulation::MeasuredTimes times_;
  std::vector<Estimate::Scheduled> scheduled_;
};

}  // namespace

double count_due(std::vector<std::uint64_t> const& intervals, std::uint64_t steps) {
  bool const last = std::any_of(intervals.begin(), intervals.end(),
                                [&](std::uint64_t interval) { return steps % interval == 0; });
  return count_multiples(intervals, 0, 1, steps) + (last ? 0.0 : 1.0);
}

double Estimate::scheduled_part(std::uint64_t steps) const {
  double sum = 0.0;
  for (auto const& entry : scheduled) sum += count_due(entry.intervals, steps) * entry.seconds;
  return sum;
}

double Estimate::total(std::uint64_t steps) const {
  return static_cast<double>(steps) * step + scheduled_part(steps);
}

Estimate estimate(deck::Configuration const& run, simulation::Simulation& whole) {
  return Estimator(run, whole, static_cast<double>(whole.count())).run();
}

Estimate estimate(deck::Configuration const& run, HostBodies const& sample, double count) {
  // A solver of linear cost cannot evaluate a part of the bodies, so it is timed on fewer bodies.
  constexpr std::size_t largest_linear_sample = 65536;
  auto const bodies = run.gravity.solver->cost_exponent == 1
                          ? sample_evenly(sample, largest_linear_sample)
                          : sample;
  auto const whole = static_cast<double>(bodies.size()) == count
                         ? simulation::make_simulation(run, bodies)
                         : make_sample_simulation(run, bodies);
  return Estimator(run, *whole, count).run();
}

std::string estimate_text(Estimate const& estimate, std::uint64_t steps) {
  double const total = estimate.total(steps), part = estimate.scheduled_part(steps);
  std::string const besides =
      part > 0.1 * total ? ", of which tables, pictures and files take " + duration_text(part) : "";
  return std::string(estimate.at_least ? "at least " : "about ") + duration_text(estimate.step) +
         " a step, " + duration_text(total) + " in all" + besides;
}

}  // namespace apsis::run
