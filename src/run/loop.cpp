// SPDX-License-Identifier: Apache-2.0
#include "apsis/run/loop.hpp"

#include "core/signals.hpp"
#include "loop_parts.hpp"
#include "run_in_progress.hpp"

#include <cmath>
#include <iterator>
#include <system_error>
#include <thread>

namespace apsis::run {

namespace {

/// Whether the values of the bodies are the likely cause, not the integration: they were not finite
/// at the start, or a mass is so large that its powers overflow.
bool has_extreme_numbers(deck::Configuration const& run, std::uint64_t step,
                         HostBodies const& bodies) {
  constexpr double huge = 1e75;  // its fourth power is near the largest double
  bool const has_huge_mass = std::any_of(bodies.mass.begin(), bodies.mass.end(), [&](double m) {
    return m > huge || m * std::abs(run.gravity.law.G) > huge;
  });
  return step == 0 || has_huge_mass;
}

using OptionalRequest = std::optional<Request>;

OptionalRequest stop_request(StopReason reason) {
  return Request{Request::Kind::stop, {reason}};
}

OptionalRequest signal_request(RunClock const&) {
  if (int const signal = Signals::stop_signal()) {
    return Request{Request::Kind::stop, {.reason = StopReason::signal, .signal = signal}};
  }
  return Signals::take_checkpoint_request() ? OptionalRequest(Request{Request::Kind::checkpoint})
                                            : std::nullopt;
}

/// Number of steps after which the host checks for bodies that are not finite.
constexpr std::uint64_t steps_between_checks = 16;
/// Interval between two polls of the controls while a run is paused.
constexpr std::chrono::milliseconds nap{10};

Controls all_controls(deck::Configuration const& run, Controls controls) {
  auto joined = standard_controls(run.stop);
  std::move(controls.begin(), controls.end(), std::back_inserter(joined));
  return joined;
}

/// Advances a simulation to its end. After each step it checks the state, calls the observers that
/// are due, polls the controls and writes checkpoints.
class Loop {
 public:
  Loop(deck::Configuration const& run, std::unique_ptr<simulation::Simulation> simulation,
       RunOutput& output, Controls controls)
      : run_(run),
        output_(output),
        requests_(all_controls(run, std::move(controls))),
        progress_(run, std::move(simulation), output) {
    progress_.simulation().set_poll([this](double) { poll_controls_in_measurement(); });
    progress_.simulation().set_step_poll([this](double) { poll_controls_in_step(); },
                                         simulation::Simulation::StepPoll::interrupt);
  }
  Loop(Loop const&) = delete;
  Loop& operator=(Loop const&) = delete;

  /// Continues from the checkpoint from which the simulation was restored. Call before run().
  void continue_from(Resumption& resumption) { progress_.continue_from(resumption); }

  Outcome run() {
    progress_.announce();
    if (progress_.outcome().resumed) {
      // Everything due at this step was done before the checkpoint, except observations that a stop
      // request interrupted and those of the end of the run.
      auto stop = stop_reason();
      if (output_.has_deferred()) progress_.observe_deferred();
      if (output_.has_deferred()) stop = requests_.stop();
      conclude(std::move(stop), progress_.is_logged(steps()));
    } else {
      check_state();
      progress_.note_drift();
    }
    while (!progress_.has_ended()) {
      if (requests_.is_pause()) {
        pause();
      } else {
        step();
        progress_.update_observers();
      }
    }
    return progress_.close();
  }

 private:
  using Failure = RunInProgress::Failure;

  /// Time for a measurement or a step to end after a stop request, and between two polls in it [s].
  static constexpr double patience = 0.5, poll_interval = 0.05;

  void step() {
    try {
      if (pass_quiet_steps()) return check_state();
      bool const measured = progress_.is_logged(progress_.simulation().step() + 1);
      requests_.begin_step();
      progress_.time_steps([&](simulation::Simulation& simulation) {
        simulation.advance(
            1, measured ? simulation::FollowUp::measurement : simulation::FollowUp::nothing);
        return 1;
      });
      if (!progress_.end_before_step()) check_state();
    } catch (integrators::Collision const& collision) {
      progress_.end_by_collision(collision);
    } catch (Interrupted const&) {
      // The bodies are those of the beginning of the step.
      progress_.take_step();
      conclude(requests_.stop(), progress_.is_logged(steps()));
    }
  }

  /// Makes quiet steps of few bodies for about a millisecond, so that the controls are polled that
  /// often; see Simulation::advance_quietly(). Returns whether it made any.
  bool pass_quiet_steps() {
    constexpr std::uint64_t most_steps = std::uint64_t{1} << 20;
    constexpr double shortest = 0.5e-3, longest = 2e-3;  // [s]
    auto const steps_before = std::min(quiet_steps(), quiet_batch_);
    if (steps_before == 0 || requests_.is_single_step()) return false;
    Stopwatch const watch;
    auto const passed = progress_.time_steps([&](simulation::Simulation& simulation) {
      return simulation.advance_quietly(steps_before, longest);
    });
    if (passed == 0) return false;
    double const seconds = watch.seconds();
    if (seconds > longest) quiet_batch_ = std::max<std::uint64_t>(1, quiet_batch_ / 2);
    if (seconds < shortest) quiet_batch_ = std::min(most_steps, quiet_batch_ * 2);
    return true;
  }

  /// Number of steps from here after which nothing is logged, observed or saved by its step.
  std::uint64_t quiet_steps() const {
    // These are compared after each step.
    if (run_.stop.encounter_distance || run_.stop.escape_radius || run_.events.any()) return 0;
    auto const step = steps();
    auto next = std::min(
        {run_.steps, next_multiple(step, run_.output.conservation_steps), output_.next_step(step)});
    if (run_.output.checkpoint_steps) {
      next = std::min(next, next_multiple(step, *run_.output.checkpoint_steps));
    }
    return next > step ? next - step - 1 : 0;
  }

  /// Checks the state after a step, calls due observers, and decides whether the run ends.
  void check_state() {
    progress_.take_step();
    auto const step = steps();
    auto const& checkpoints = progress_.checkpoints();
    auto stop = stop_reason();
    bool const due = output_.is_due(progress_.status(), Occasion::scheduled);
    bool const checked = due || stop || checkpoints.is_due(step, progress_.timer().seconds()) ||
                         step % steps_between_checks == 0;
    if (checked && !progress_.all_finite()) return;
    // If the state is bad, neither observations nor the end of the run are meaningful.
    if (progress_.is_logged(step) && !progress_.measure(stop, true)) return;
    if (due) progress_.show(Occasion::scheduled, progress_.is_logged(step));
    // After an interrupted observation the run stops as requested. The resumed run repeats the
    // observation and then applies its own stop conditions.
    if (output_.has_deferred()) stop = requests_.stop();
    conclude(stop, progress_.is_logged(step));
  }

  /// Handles checkpoints and the end of a step, after all scheduled observations. Observations of
  /// the last state that are not scheduled come after it: a resumed run has not written them.
  void conclude(std::optional<Stop> stop, bool measured) {
    auto const& checkpoints = progress_.checkpoints();
    // A run that begins again is replaced and needs no checkpoint.
    bool const begins_again = stop && stop->reason == StopReason::restart;
    bool const interrupted = stop && stop->interrupted() && !begins_again;
    bool const good = !stop || stop->reason != StopReason::violation;
    bool const requested = requests_.take_checkpoint();
    bool const due = checkpoints.is_due(steps(), progress_.timer().seconds());
    bool const at_end =
        stop && good && !begins_again && run_.output.final_state && !checkpoints.holds(steps());
    if (due || requested || interrupted || at_end) {
      if (!progress_.checkpoint(interrupted ? Failure::end_the_run : Failure::warn)) return;
      if (requested) progress_.note("checkpoint " + progress_.now());
    }
    if (!stop) return;
    if (!measured && !begins_again && !progress_.measure(stop, !interrupted)) return;
    if (begins_again) return progress_.end(*stop);
    // Observations interrupted at the end of a run are repeated by the resumed run.
    may_interrupt_ = interrupted || checkpoints.holds(steps());
    progress_.show(interrupted ? Occasion::interruption : Occasion::end, true);
    may_interrupt_ = true;
    progress_.end(std::exchange(was_interrupted_, false) && requests_.stop() ? *requests_.stop()
                                                                             : *stop);
  }

  /// Interrupts a long step if a stop was requested; a step that ends soon is awaited.
  void poll_controls_in_step() {
    progress_.timer().read();
    double const seconds = progress_.timer().seconds();
    if (seconds - requests_.last_poll() > poll_interval) poll_controls();
    auto const& stop = requests_.stop();
    if (stop && seconds - requests_.stop_time() > patience_of(*stop)) throw Interrupted();
  }

  /// Time for the present step to end after a stop request [s]. Those of a limited time leave time
  /// for a step as long as the longest so far.
  double patience_of(Stop const& stop) {
    double const longest_step = progress_.timer().longest_step();
    if (stop.reason == StopReason::job_end) return longest_step;
    if (stop.reason != StopReason::wall_time) return patience;
    return std::min(longest_step, 0.25 * run_.stop.max_wall_time.value_or(0.0));
  }

  /// Interrupts a long measurement if a stop was requested; measurements that end soon are awaited.
  void poll_controls_in_measurement() {
    progress_.timer().read();
    if (progress_.timer().seconds() - requests_.last_poll() > poll_interval) poll_controls();
    if (!requests_.stop() || !may_interrupt_) return;
    if (progress_.timer().seconds() - requests_.stop_time() < patience) return;
    was_interrupted_ = true;
    throw Interrupted();
  }

  /// Returns the reason why the run ends after this step; conditions on the bodies come first.
  std::optional<Stop> stop_reason() {
    poll_controls();
    if (auto stop = progress_.stop_by_event()) return stop;
    if (auto stop = stop_of(run_.stop, progress_.simulation())) return stop;
    // A completed run cannot be interrupted.
    if (steps() == run_.steps) return Stop{StopReason::end};
    return requests_.stop();
  }

  void poll_controls() {
    requests_.poll({.seconds = progress_.timer().seconds(), .reserve = progress_.reserve()});
  }

  /// Waits until a control requests something else.
  void pause() {
    progress_.note("pauses " + progress_.now());
    while (requests_.is_pause() && !progress_.has_ended()) {
      std::this_thread::sleep_for(nap);
      progress_.timer().read();
      progress_.simulation().receive_signals();
      poll_controls();
      progress_.update_observers();
      if (requests_.stop() || requests_.is_checkpoint())
        conclude(requests_.stop(), progress_.is_logged(steps()));
    }
    progress_.timer().skip_pause();
  }

  /// Completed steps of the deck.
  std::uint64_t steps() const { return progress_.outcome().steps; }

  deck::Configuration const& run_;
  RunOutput& output_;
  RunRequests requests_;
  RunInProgress progress_;
  bool may_interrupt_ = true;  ///< whether a stop request may interrupt the present observation
  bool was_interrupted_ = false;
  std::uint64_t quiet_batch_ = 16;  ///< most steps of pass_quiet_steps()
};

}  // namespace

Problem not_finite_problem(deck::Configuration const& run, NotFiniteBody const& body,
                           std::uint64_t step, HostBodies const& bodies, std::string const& when) {
  auto const id = body.id ? std::to_string(*body.id) : "?";
  return {"body " + std::to_string(body.index) + " (id " + id + ")", "not finite " + when,
          body.what + " is NaN or infinite in " + name_of(run.gravity.precision) + " precision",
          has_extreme_numbers(run, step, bodies)
              ? "choose units in which masses, lengths and velocities are nearer to 1"
              : "reduce integrator.time_step, or change gravity.softening or gravity.precision"};
}

Problem final_state_problem(MissingFinalState missing, std::filesystem::path const& directory,
                            bool resumable) {
  std::string const parts = missing.snapshot && missing.checkpoint ? "snapshot and its checkpoint"
                            : missing.snapshot                     ? "snapshot"
                                                                   : "checkpoint";
  return {directory.string(), "the final state was not written",
          "output.final_state asks for it, and its " + parts + " failed",
          resumable ? "check free space, then go on with " + resume_command(directory)
                    : "check free space, then start the run again with --force"};
}

std::string fallback_note(std::string const& solver, std::string const& kernel, bool falls_back,
                          std::string const& when) {
  std::string const subject = "note: the solver '" + solver + "' ";
  if (!falls_back) return subject + "uses its cells again " + when;
  return subject + "sums all pairs (" + kernel + ", O(N^2)) " + when +
         ": its cells cannot hold these bodies, since too many are in one place, or some are far "
         "beyond all others";
}

std::string retry_note(int retry, int most_retries, std::string const& problem,
                       std::string const& when, std::string const& continued) {
  return "retry " + std::to_string(retry) + " of " + std::to_string(most_retries) + ": " + problem +
         " " + when + "; goes on with half the step " + continued;
}

Controls standard_controls(deck::StopConditions const& conditions) {
  Controls controls{signal_request};
  if (auto const limit = conditions.max_wall_time) {
    controls.push_back([limit = *limit - conditions.wall_time_before](RunClock const& clock) {
      // At most half of the limit is reserved for the last step and a checkpoint.
      bool const over = clock.seconds >= limit - std::min(clock.reserve, 0.5 * limit);
      return over ? stop_request(StopReason::wall_time) : std::nullopt;
    });
  }
  if (auto const end = conditions.job_end) {
    controls.push_back([end = *end](RunClock const& clock) {
      return unix_seconds() >= end - clock.reserve ? stop_request(StopReason::job_end)
                                                   : std::nullopt;
    });
  }
  if (!conditions.stop_file.empty()) {
    controls.push_back(
        [file = conditions.stop_file, next_check = 0.0](RunClock const& clock) mutable {
          // A file system query takes longer than a step of few bodies.
          if (clock.seconds < next_check) return OptionalRequest();
          next_check = clock.seconds + 0.05;
          std::error_code ignored;
          return std::filesystem::exists(file, ignored) ? stop_request(StopReason::stop_file)
                                                        : OptionalRequest();
        });
  }
  return controls;
}

Outcome simulate(deck::Configuration const& run, HostBodies const& bodies, RunOutput& output,
                 Controls controls) {
  return simulate(run, simulation::make_simulation(run, bodies), output, std::move(controls));
}

Outcome simulate(deck::Configuration const& run, std::unique_ptr<simulation::Simulation> simulation,
                 RunOutput& output, Controls controls) {
  return Loop(run, std::move(simulation), output, std::move(controls)).run();
}

Outcome resume(deck::Configuration const& run, Resumption resumption, RunOutput& output,
               Controls controls) {
  Loop loop(run,
            simulation::restore_simulation(run, resumption.record.bodies.count, resumption.state),
            output, std::move(controls));
  loop.continue_from(resumption);
  return loop.run();
}

}  // namespace apsis::run
