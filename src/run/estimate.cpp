// SPDX-License-Identifier: Apache-2.0
#include "run/estimate.hpp"

#include "render/photographer.hpp"
#include <apsis/core/poll.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/measurements.hpp>
#include <apsis/simulation/simulation.hpp>
#include <apsis/simulation/whole_bodies.hpp>

namespace apsis::run {

namespace {

constexpr std::size_t few_bodies = 256;

/// Cost of a step of the deck, measured with a sample of the bodies of a run.
struct SampledSteps {
  double seconds = 0.0;      ///< wall time [s]
  double sweeps = 1.0;       ///< force evaluations of all bodies of the sample (interactions / N^2)
  double inner_steps = 1.0;  ///< steps of the integrator
  bool is_whole = false;     ///< all bodies of the run were stepped, not a sample
  bool is_inner = false;     ///< the integrator takes adaptive or block steps
};

constexpr double sufficient_time = 2e-3;  ///< sufficient time of whole steps [s]
constexpr double longest = 0.3;           ///< limit on the time of internal steps [s]
constexpr double longest_force = 0.05;  ///< limit on the force evaluation of the stepped bodies [s]
constexpr int most_steps = 20;

/// Returns the number of bodies that are stepped. With adaptive and block stepping the distribution
/// of the steps over all bodies matters, and a step of few bodies is not representative.
std::size_t sample_size(deck::Configuration const& run, std::size_t count, double forces) {
  // Ranks that share the bodies cannot interrupt each other, so they step few bodies in any case.
  bool const steps_few = !run.integrator.has_variable_steps() || run.leader != nullptr;
  if (count <= few_bodies || steps_few) return std::min(count, few_bodies);
  if (forces <= longest_force) return count;
  double const part = std::pow(longest_force / forces, 1.0 / run.gravity.solver->cost_exponent);
  return std::max(few_bodies, static_cast<std::size_t>(part * static_cast<double>(count)));
}

/// Returns at most `most` of the bodies, evenly spaced in their order and including the heaviest
/// one. Their masses are scaled to the total mass of all bodies.
HostBodies sample_evenly(HostBodies const& bodies, std::size_t most) {
  std::size_t const count = bodies.size(), chosen = std::min(count, most);
  if (chosen == count) return bodies;
  HostBodies sample(chosen);
  double total_mass = 0.0, mass = 0.0;
  for (double const m : bodies.mass) total_mass += m;
  // Some integrators need the body with the largest mass.
  auto const heaviest = static_cast<std::size_t>(
      std::max_element(bodies.mass.begin(), bodies.mass.end()) - bodies.mass.begin());
  auto const heaviest_row = std::min(chosen - 1, (heaviest * chosen + count - 1) / count);
  for (std::size_t k = 0; k < chosen; ++k) {
    auto const evenly = static_cast<std::size_t>(
        static_cast<double>(k) * static_cast<double>(count) / static_cast<double>(chosen));
    auto const i = k == heaviest_row ? heaviest : evenly;
    mass += sample.mass[k] = bodies.mass[i];
    sample.position[k] = bodies.position[i];
    sample.velocity[k] = bodies.velocity[i];
    sample.id[k] = bodies.id[i];
    if (!bodies.radius.empty()) sample.radius.push_back(bodies.radius[i]);
    if (!bodies.species.empty()) sample.species.push_back(bodies.species[i]);
    if (!bodies.name.empty()) sample.name.push_back(bodies.name[i]);
  }
  for (double& m : sample.mass) m *= mass > 0.0 ? total_mass / mass : 1.0;
  return sample;
}

/// Makes a simulation of a sample of the bodies of a run. The bodies that forces besides gravity
/// name may be missing in the sample, so these forces are left out. Other ranks would still apply
/// them, so then the sample has no more bodies than the leader rank moves alone.
std::unique_ptr<simulation::Simulation> make_sample_simulation(deck::Configuration const& run,
                                                               HostBodies const& sample) {
  if (run.forces.empty()) return simulation::make_simulation(run, sample);
  auto gravity_alone = run;
  gravity_alone.forces.clear();
  return simulation::make_simulation(gravity_alone,
                                     run.leader ? sample_evenly(sample, fixed_sum_block) : sample);
}

/// Steps a copy of the bodies of a simulation, or a sample of them, for at most some tenths of a
/// second; adaptive and block stepping are interrupted between internal steps. `forces`: wall time
/// of one force evaluation [s]. `has_all_bodies`: the simulation has all bodies of the run.
SampledSteps sampled_steps(deck::Configuration const& run, simulation::Simulation& simulation,
                           double forces, bool has_all_bodies) {
  auto const count = simulation.count();
  auto const bodies = sample_evenly(simulation.bodies(), sample_size(run, count, forces));
  SampledSteps result;
  result.is_whole = has_all_bodies && bodies.size() == count;
  result.is_inner = run.integrator.has_variable_steps();
  auto const sample = result.is_whole ? simulation::make_simulation(run, bodies)
                                      : make_sample_simulation(run, bodies);

  /// Position of the simulation [steps of the deck] and its counters.
  struct Sample {
    double position, interactions, inner_steps;
    Stopwatch watch{};
  };
  std::optional<Sample> first, last;
  double seconds = 0.0, whole_steps = 0.0;
  // The first internal step is not timed: it loads kernels and allocates memory.
  auto const record = [&](double fraction) {
    Sample const now{whole_steps + fraction, sample->interactions(),
                     static_cast<double>(sample->state().integrator_steps)};
    if (!first) {
      first = now;
      return;
    }
    last = now;
    seconds = first->watch.seconds();
    if (seconds > longest) throw Interrupted();
  };
  sample->set_step_poll(record);
  try {
    sample->advance(0);
    while (whole_steps <= most_steps && seconds < sufficient_time) {
      sample->advance(1);
      sample->not_finite();  // waits for the device
      whole_steps += 1.0;
      record(0.0);
    }
  } catch (Interrupted const&) {
  } catch (integrators::Collision const&) {
    // The run reports the collision itself.
  }
  if (!first || !last || !(last->position > first->position)) return result;
  double const steps = last->position - first->position;
  double const pairs = static_cast<double>(sample->count()) * static_cast<double>(sample->count());
  result.seconds = seconds / steps;
  result.sweeps = (last->interactions - first->interactions) / (pairs * steps);
  result.inner_steps = (last->inner_steps - first->inner_steps) / steps;
  // At the end of a step of the deck the forces on all bodies are evaluated together.
  if (whole_steps < 1.0) {
    result.seconds += forces * (result.is_whole ? 1.0 : 0.0);
    result.sweeps += 1.0;
  }
  return result;
}

/// Wall time of a step of the deck for all bodies [s]. `times`: of the forces on all bodies.
double seconds_of(SampledSteps const& steps, simulation::MeasuredTimes const& times) {
  if (steps.is_whole) return steps.seconds;
  if (!steps.is_inner) return steps.seconds + steps.sweeps * times.forces;
  // Each internal step has at least the cost of a few bodies.
  return steps.inner_steps * times.few + steps.sweeps * std::max(0.0, times.forces - times.few);
}

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

/// Extrapolates times from a `share` of all `count` bodies. The solver costs N^`exponent`.
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

/// Wall time of a row without the measurements of all bodies [s], extrapolated linearly.
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

  /// Adds the rows of log and tables. A measurement that several need at a step counts once.
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
