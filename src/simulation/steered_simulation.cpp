// SPDX-License-Identifier: Apache-2.0
#include "apsis/simulation/steered_simulation.hpp"

#include "deck/bodies_in_place.hpp"
#include "files/checkpoint.hpp"
#include "render/caption.hpp"
#include "render/photographer.hpp"
#include "snapshot_file.hpp"
#include <apsis/core/saved_state.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/formats/snapshot.hpp>
#include <apsis/simulation/leader.hpp>
#include <apsis/simulation/measurements.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace apsis::simulation {

namespace {

constexpr double poll_interval = 1.0 / 30;  // [s]
constexpr double whole_step_error = 1e-9;   // [steps]

/// Returns the time step that leads from `begin` to exactly `end`, or to the nearest number: the
/// difference is rounded if the two are of very different size.
double step_between(double begin, double end) {
  double step = end - begin;
  for (int tries = 0; tries < 4 && begin + step != end; ++tries) {
    step = std::nextafter(step, begin + step < end ? HUGE_VAL : -HUGE_VAL);
  }
  return step;
}

/// While it exists, `poll`, unless empty, is called within steps, at most 30 times per second.
class StepPollScope {
 public:
  StepPollScope(Simulation& simulation, Poll const& poll) : simulation_(simulation) {
    if (!poll) return;
    simulation_.set_step_poll(
        [poll, since_poll = Stopwatch()](double fraction) mutable {
          if (since_poll.seconds() < poll_interval) return;
          poll(fraction);
          since_poll = Stopwatch();
        },
        Simulation::StepPoll::interrupt);
  }
  ~StepPollScope() { simulation_.set_step_poll({}); }
  StepPollScope(StepPollScope const&) = delete;
  StepPollScope& operator=(StepPollScope const&) = delete;

 private:
  Simulation& simulation_;
};

/// Steps between two comparisons with the limits of a deck, those of the log of its run; never_due
/// without limits, or if the deck has neither a run nor an interval. A call is then judged at its
/// end.
std::uint64_t steps_between_judgements(deck::Configuration const& run) {
  bool const is_limited = run.limits.max_relative_energy_error || run.limits.max_momentum_error;
  bool const has_log = run.steps > 0 || run.output.conservation_steps > 1;
  return is_limited && has_log ? run.output.conservation_steps : deck::never_due;
}

}  // namespace

SteeredSimulation::SteeredSimulation(deck::ConfiguredDeck deck) : deck_(std::move(deck)) {
  auto const& run = deck_.configuration;
  simulation_ = make_simulation(run, make_bodies(run));
}

void SteeredSimulation::begin_call() {
  events_.clear();
  stop_.reset();
  if (conservation_.first || simulation_->step() > 0) return;
  judge();
  if (step_observer_) step_observer_(*simulation_);
}

bool SteeredSimulation::follows_steps() const {
  auto const& run = deck_.configuration;
  return step_observer_ || run.stop.encounter_distance || run.stop.escape_radius ||
         run.events.any();
}

bool SteeredSimulation::make_step() {
  auto const before = simulation_->state().step;
  simulation_->advance(1);
  auto const& events = simulation_->events();
  events_.insert(events_.end(), events.begin(), events.end());
  for (auto const& event : events) counts_.add(event);
  if (simulation_->state().step != before) return true;
  // The event that ends the step is the last one.
  stop_ = stop_of(StopReason::collision, events.back(), *simulation_);
  return false;
}

void SteeredSimulation::judge() {
  auto const& limits = deck_.configuration.limits;
  if (!limits.max_relative_energy_error && !limits.max_momentum_error) return;
  auto const& measurement = simulation_->measure();
  if (!measurement.is_finite()) return;  // the caller finds the body
  conservation_.add(measurement);
  if (limits.on_violation == deck::OnViolation::report) return;
  if (broken_limits(limits, conservation_, simulation_->coarsest_passage()).any()) {
    stop_ = Stop{StopReason::violation};
  }
}

bool SteeredSimulation::has_ended(bool is_judged) {
  auto const& run = deck_.configuration;
  if (step_observer_) step_observer_(*simulation_);
  // A later call goes on after the last collision of collisions.at_most.
  if (!simulation_->events().empty()) {
    stop_ = stop_of(run.events, *simulation_, counts_.collisions);
  }
  if (!stop_) stop_ = stop_of(run.stop, *simulation_);
  if (!stop_ && is_judged) judge();
  return stop_.has_value();
}

std::uint64_t SteeredSimulation::advance(std::uint64_t steps, Poll const& poll,
                                         Poll const& step_poll) {
  StepPollScope const scope(*simulation_, step_poll);
  begin_call();
  if (steps == 0) simulation_->advance(0);
  auto const log_steps = steps_between_judgements(deck_.configuration);
  bool const may_be_quiet = !follows_steps();
  Stopwatch since_poll;
  double last_poll = 0.0;
  std::uint64_t completed = 0;
  while (completed < steps) {
    auto const to_log = log_steps - simulation_->step() % log_steps;
    auto const quiet = may_be_quiet ? simulation_->advance_quietly(
                                          std::min(steps - completed, to_log), poll_interval / 2)
                                    : 0;
    if (quiet > 0 && simulation_->not_finite()) return completed;
    if (quiet == 0 && !make_step()) return completed;
    completed += std::max<std::uint64_t>(quiet, 1);
    bool const is_last = completed == steps;
    bool const is_judged =
        log_steps == deck::never_due ? is_last : simulation_->step() % log_steps == 0;
    if ((quiet == 0 || is_judged || is_last) && has_ended(is_judged)) return completed;
    if (poll && completed < steps && since_poll.seconds() - last_poll > poll_interval) {
      poll(static_cast<double>(completed) / static_cast<double>(steps));
      last_poll = since_poll.seconds();
    }
  }
  return completed;
}

bool SteeredSimulation::advance_to(double time, Poll const& poll, Poll const& step_poll) {
  auto const start = simulation_->state();
  double const steps = (time - start.time) / start.time_step;
  if (!std::isfinite(time) || steps < -whole_step_error) {
    throw Error(ExitStatus::usage, {"time " + shortest(time), "cannot be reached",
                                    "the simulation is at " + shortest(start.time) +
                                        " and its time step is " + shortest(start.time_step),
                                    "give a time ahead, or reverse the direction of time"});
  }
  double const nearest = std::round(steps);
  bool const is_whole = std::abs(steps - nearest) <= whole_step_error;
  double const whole = is_whole ? nearest : std::floor(steps);
  if (whole >= 0x1p63) {
    throw Error(ExitStatus::usage, {"time " + shortest(time), "cannot be reached",
                                    "it is more than 2^63 steps away", "give a nearer time"});
  }
  auto const count = static_cast<std::uint64_t>(std::max(whole, 0.0));
  if (count > 0 && (advance(count, poll, step_poll) < count || (stop_ && !is_whole))) return false;
  if (is_whole) {
    if (count == 0) advance(0);
    return true;
  }
  if (count == 0) begin_call();
  double const time_step = simulation_->state().time_step;
  simulation_->set_time_step(step_between(simulation_->time(), time));
  bool reached = false;
  try {
    StepPollScope const scope(*simulation_, step_poll);
    reached = make_step();
  } catch (...) {
    simulation_->set_time_step(time_step);
    throw;
  }
  if (reached) has_ended(steps_between_judgements(deck_.configuration) == deck::never_due);
  simulation_->set_time_step(time_step);
  return reached;
}

void SteeredSimulation::set_bodies(HostBodies const& bodies) {
  // The other ranks know the deck alone, not its present time and time step.
  if (deck_.configuration.leader) {
    throw Error(ExitStatus::usage,
                {"bodies", "cannot be replaced", "several ranks share the simulation",
                 "make another simulation of the changed bodies"});
  }
  auto const make = [&](deck::Configuration& run) {
    run.start_time = simulation_->time();
    run.integrator.time_step = simulation_->state().time_step;
    return make_simulation(run, make_bodies(run));
  };
  if (auto file = deck::bodies_in_place(deck_, bodies)) {
    auto& run = deck_.configuration;
    auto const earlier = std::exchange(run.bodies.file, std::move(file));
    double const start_time = run.start_time, time_step = run.integrator.time_step;
    try {
      simulation_ = make(run);
    } catch (...) {
      run.bodies.file = earlier;
      run.start_time = start_time;
      run.integrator.time_step = time_step;
      throw;
    }
  } else {
    auto deck = deck::with_bodies(deck_, bodies);
    simulation_ = make(deck.configuration);
    deck_ = std::move(deck);
  }
  events_.clear();
  stop_.reset();
  counts_ = {};
  conservation_ = {};
}

std::string SteeredSimulation::picture(std::string const& look) {
  auto const interval = shortest(std::abs(deck_.configuration.integrator.time_step));
  auto const deck =
      deck::configure(deck_.resolved, "picture",
                      {"output.render=[" + look + "]", "output.render[0].interval=" + interval},
                      deck::BodiesFiles::leave);
  auto const& shot = deck.configuration.output.pictures.at(0).shot;
  render::Photographer photographer(shot);
  auto image =
      on_whole(*simulation_, [&](Context const& context, auto const& bodies, auto const& species) {
        return photographer.take(context, bodies, species, simulation_->time(),
                                 *simulation_->whole().names);
      });
  if (shot.label) {
    auto const& run = deck_.configuration;
    render::Lettering lettering;
    write_caption(image, lettering,
                  {run.title, deck_.resolved, run.units, simulation_->time(), simulation_->step(),
                   simulation_->bodies().size(), photographer.camera(), photographer.colour_range(),
                   shot.palette, photographer.legend()});
  }
  return render::png_of(image, {});
}

void SteeredSimulation::write_snapshot(std::filesystem::path const& path,
                                       deck::SnapshotContent const& content) {
  HostColumns copies;
  copy_columns(*simulation_, copies, content);
  auto const state = simulation_->state();
  simulation::write_snapshot(
      path, snapshot_header(deck_.configuration, deck_.resolved, state.time, state.step), copies);
}

std::string SteeredSimulation::save() {
  SavedState state;
  state.exchange("steered/deck", deck_.resolved);
  std::uint64_t count = simulation_->state().count;
  state.exchange("steered/count", count);
  simulation_->exchange(state);
  counts_.exchange(state);
  conservation_.exchange(state);
  return files::encode_checkpoint(state.blocks());
}

SteeredSimulation SteeredSimulation::restore(std::string_view bytes,
                                             std::shared_ptr<Leader> const& leader) {
  SavedState state(files::decode_checkpoint(bytes, "saved simulation"));
  SteeredSimulation steered;
  std::string resolved;
  state.exchange("steered/deck", resolved);
  std::uint64_t count = 0;
  state.exchange("steered/count", count);
  steered.deck_ = deck::configure(resolved, "saved simulation", {}, deck::BodiesFiles::leave);
  set_leader(steered.deck_, leader);
  steered.simulation_ = restore_simulation(steered.deck_.configuration, count, state);
  steered.counts_.exchange(state);
  steered.conservation_.exchange(state);
  state.finish();
  return steered;
}

}  // namespace apsis::simulation
