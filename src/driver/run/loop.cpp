// SPDX-License-Identifier: Apache-2.0
#include "checkpoints.hpp"
#include "energy_guard.hpp"
#include <apsis/bodies/centre_of_mass.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/remarks.hpp>
#include <apsis/driver/estimate.hpp>
#include <apsis/driver/leader.hpp>
#include <apsis/driver/loop.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/integrators/collision.hpp>

#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace apsis::driver {

namespace {

/// Number of steps after which the host checks for bodies that are not finite.
constexpr std::uint64_t steps_between_checks = 16;
/// Interval between two polls of the controls while a run is paused.
constexpr std::chrono::milliseconds nap{10};

/// Advances a simulation to its end. After each step it checks the state, calls the observers that
/// are due, polls the controls and writes checkpoints.
class Loop {
 public:
  Loop(deck::Configuration const& run, std::unique_ptr<Simulation> simulation, RunOutput& output,
       Controls controls)
      : run_(run),
        simulation_(std::move(simulation)),
        output_(output),
        controls_(standard_controls(run.stop)),
        guard_(run),
        checkpoints_(run, output) {
    for (auto& control : controls) controls_.push_back(std::move(control));
    record_.bodies = simulation_->identity();
    simulation_->set_poll([this](double) { poll_controls_in_measurement(); });
  }
  Loop(Loop const&) = delete;
  Loop& operator=(Loop const&) = delete;

  /// Continues from the checkpoint from which the simulation was restored. Call before run().
  void continue_from(Resumption& resumption) {
    record_ = resumption.record;
    exchange(resumption.state);
    resumption.state.finish();
    check_bodies();
    outcome_.steps = record_.step;
    outcome_.resumed = record_.step;
    outcome_.passage = simulation_->coarsest_passage();
    previous_wall_seconds_ = record_.wall_seconds;
    checkpoints_.begin_with(record_.step, resumption.generation, resumption.remarks.empty());
  }

  Outcome run() {
    record_.executable = this_executable();
    announce();
    if (outcome_.resumed) {
      // Everything due at this step was done before the checkpoint, except observations that a stop
      // request interrupted and those of the end of the run.
      auto stop = stop_reason();
      if (output_.has_deferred()) observe_pending(stop);
      conclude(std::move(stop), is_logged(outcome_.steps));
    } else {
      check_state();
      note_drift();
    }
    while (running_) {
      if (paused_) {
        pause();
      } else {
        step();
        output_.notify(&Observer::update, *simulation_, standing());
      }
    }
    output_.notify(&Observer::wait);
    tick();
    outcome_.wall_seconds = wall_seconds();
    outcome_.interactions = simulation_->interactions();
    outcome_.kernel = simulation_->kernel();
    outcome_.force_errors = simulation_->force_accuracy();
    outcome_.threads = simulation_->threads();
    outcome_.waiting_seconds = seconds_waiting() - initial_waiting_seconds_;
    outcome_.waiting_share = seconds_ > 0.0 ? outcome_.waiting_seconds / seconds_ : 0.0;
    outcome_.integrator_steps = simulation_->integrator_steps();
    outcome_.massless = simulation_->massless();
    outcome_.passage = simulation_->coarsest_passage();
    outcome_.retries = guard_.retries();
    outcome_.checkpoint = checkpoints_.last_step();
    if (outcome_.stop.reason != StopReason::restart) {
      output_.notify(&Observer::end, *simulation_, standing());
    }
    if (outcome_.exit == ExitStatus::conserved) judge();
    check_final_state();
    return outcome_;
  }

 private:
  using Failure = Checkpoints::Failure;

  /// Prints an estimate, because the first step of many bodies takes long.
  void announce() {
    if (!output_.is_shown) return;
    auto const left = run_.steps - std::min(run_.steps, outcome_.steps);
    auto const expected = estimate(run_, *simulation_);
    expected_seconds_ = expected.total(left);
    output_.notify(&Observer::note, std::to_string(run_.bodies.count()) + " bodies, " +
                                        std::to_string(left) +
                                        " steps: " + estimate_text(expected, left));
    first_step_ = outcome_.steps;
    tick();
    start_seconds_ = seconds_;
  }

  void step() {
    bool const measured = is_logged(simulation_->step() + 1);
    paused_ = std::exchange(single_step_, false);
    try {
      simulation_->advance(1, measured ? FollowUp::measurement : FollowUp::nothing);
      check_state();
    } catch (integrators::Collision const& collision) {
      end_by_collision(collision);
    }
  }

  /// Checks the state after a step, calls the observers that are due, and decides whether the run
  /// ends.
  void check_state() {
    measure_pace();
    auto const step = simulation_->step();
    outcome_.steps = step;
    note_fallback();
    auto stop = stop_reason();
    bool const due = output_.is_due(standing(), Occasion::scheduled);
    bool const checked =
        due || stop || checkpoints_.is_due(step, seconds_) || step % steps_between_checks == 0;
    if (checked && !all_finite()) return;
    // If the state is bad, neither observations nor the end of the run are meaningful.
    if (is_logged(step) && !measure(stop, true)) return;
    if (due) show(Occasion::scheduled, is_logged(step));
    // After an interrupted observation the run stops as requested. The resumed run repeats the
    // observation and then applies its own stop conditions.
    if (output_.has_deferred()) stop = requested_stop_;
    conclude(stop, is_logged(step));
  }

  /// Repeats the observations that a stop request interrupted before this process resumed the run,
  /// with the same forces.
  void observe_pending(std::optional<Stop>& stop) {
    bool const logged = is_logged(outcome_.steps);
    if (logged) simulation_->advance(0, FollowUp::measurement);
    tick();
    output_.observe_deferred(*simulation_, standing());
    if (logged) output_.notify(&Observer::commit);
    if (output_.has_deferred()) stop = requested_stop_;
  }

  /// Handles checkpoints and the end of a step, after all scheduled observations. Observations of
  /// the last state that are not scheduled come after the checkpoint, so that a resumed run has
  /// never written them.
  void conclude(std::optional<Stop> stop, bool measured) {
    // A run that begins again is replaced and needs no checkpoint.
    bool const begins_again = stop && stop->reason == StopReason::restart;
    bool const interrupted = stop && stop->interrupted() && !begins_again;
    bool const good = !stop || stop->reason != StopReason::violation;
    bool const requested = std::exchange(checkpoint_requested_, false);
    bool const due = checkpoints_.is_due(outcome_.steps, seconds_);
    bool const at_end = stop && good && !begins_again && run_.output.final_state &&
                        !checkpoints_.holds(outcome_.steps);
    if (due || requested || interrupted || at_end) {
      if (!checkpoint(interrupted ? Failure::end_the_run : Failure::warn)) return;
      if (requested) output_.notify(&Observer::note, "checkpoint " + now());
    }
    if (!stop) return;
    if (!measured && !begins_again && !measure(stop, !interrupted)) return;
    if (begins_again) return end(*stop);
    // Observations interrupted at the end of a run are repeated by the resumed run.
    may_interrupt_ = interrupted || checkpoints_.holds(outcome_.steps);
    show(interrupted ? Occasion::interruption : Occasion::end, true);
    may_interrupt_ = true;
    end(std::exchange(was_interrupted_, false) && requested_stop_ ? *requested_stop_ : *stop);
  }

  /// Interrupts a long measurement if a stop was requested; measurements that end soon are awaited.
  void poll_controls_in_measurement() {
    constexpr double patience = 0.5, poll_interval = 0.05;  // [s]
    tick();
    if (seconds_ - last_poll_seconds_ > poll_interval) poll_controls();
    if (!requested_stop_ || !may_interrupt_) return;
    if (seconds_ - stop_request_seconds_ < patience) return;
    was_interrupted_ = true;
    throw Interrupted();
  }

  /// Tells the user that the solver has begun, or ceased, to sum all pairs: for a million bodies
  /// that takes hours instead of minutes.
  void note_fallback() {
    if (simulation_->falls_back() == falls_back_) return;
    falls_back_ = !falls_back_;
    output_.notify(
        &Observer::note,
        falls_back_
            ? "note: the solver '" + run_.gravity.solver->name + "' sums all pairs (" +
                  simulation_->kernel() + ", O(N^2)) " + now() +
                  ": its cells cannot hold these bodies, since too many are in one "
                  "place, or some are far beyond all others"
            : "note: the solver '" + run_.gravity.solver->name + "' uses its cells again " + now());
  }

  void note_drift() {
    if (outcome_.exit != ExitStatus::conserved) return;
    auto const remark = remark_on_drift(run_, simulation_->bodies());
    if (remark) output_.notify(&Observer::note, "note: " + *remark);
  }

  void show(Occasion occasion, bool measured) {
    tick();
    output_.observe(*simulation_, standing(), occasion);
    if (measured) output_.notify(&Observer::commit);
  }

  /// Measures the conserved quantities and judges them if `judged`. Returns false if the state must
  /// not be used: it is not finite, or the run has rolled back.
  bool measure(std::optional<Stop>& stop, bool judged) {
    auto const& measurement = simulation_->measure();
    if (!measurement.is_finite()) {
      not_finite(simulation_->not_finite_measurement());
      return false;
    }
    outcome_.conservation.add(measurement);
    update_passage();
    using Verdict = EnergyGuard::Verdict;
    auto const verdict =
        judged ? guard_.judge(outcome_.conservation, outcome_.passage) : Verdict::go_on;
    if (verdict == Verdict::mark) simulation_->mark();
    if (verdict == Verdict::stop) stop = Stop{StopReason::violation};
    if (verdict == Verdict::roll_back) roll_back();
    return verdict != Verdict::roll_back;
  }

  /// Rolls the run back to the last good logged time; it continues with half the step.
  void roll_back() {
    auto const broken =
        guard_.broken_limits(outcome_.conservation, outcome_.passage).front().problem;
    auto const violation_time = now();
    outcome_.conservation = guard_.roll_back();
    output_.notify(&Observer::wait);
    output_.notify(&Observer::discard);
    std::optional<integrators::Collision> collision;
    try {
      simulation_->roll_back();
    } catch (integrators::Collision const& error) {
      collision = error;  // files are cut back first
    }
    outcome_.passage = simulation_->coarsest_passage();
    outcome_.steps = simulation_->step();
    // A checkpoint that relies on files which are now cut back would be invalid.
    if (checkpoints_.last_step() && !checkpoint(Failure::warn)) return;
    output_.notify(&Observer::truncate);
    output_.notify(&Observer::note, "retry " + std::to_string(guard_.retries()) + " of " +
                                        std::to_string(EnergyGuard::most_retries) + ": " + broken +
                                        " " + violation_time + "; goes on with half the step " +
                                        now());
    if (collision) throw *collision;
  }

  /// Updates the coarsest passage, and notes the first one that is not resolved.
  void update_passage() {
    bool const known = outcome_.passage && !outcome_.passage->is_resolved();
    outcome_.passage = simulation_->coarsest_passage();
    if (known || !outcome_.passage || outcome_.passage->is_resolved()) return;
    output_.notify(&Observer::note, "note: " + passage_words(run_, *outcome_.passage));
  }

  /// Returns the reason why the run ends after this step; conditions on the bodies come first.
  std::optional<Stop> stop_reason() {
    poll_controls();
    if (auto stop = stop_of(run_.stop, *simulation_)) return stop;
    // A completed run cannot be interrupted.
    if (outcome_.steps == run_.steps) return Stop{StopReason::end};
    return requested_stop_;
  }

  void poll_controls() {
    last_poll_seconds_ = seconds_;
    RunClock const clock{seconds_, reserve()};
    for (auto const& control : controls_) {
      auto const request = control(clock);
      if (!request) continue;
      switch (request->kind) {
        case Request::Kind::stop:
          if (!requested_stop_) stop_request_seconds_ = seconds_;
          if (!requested_stop_) requested_stop_ = request->stop;
          break;
        case Request::Kind::checkpoint:
          checkpoint_requested_ = true;
          break;
        case Request::Kind::pause:
          paused_ = true;
          break;
        case Request::Kind::single_step:
          paused_ = false;
          single_step_ = true;
          break;
        case Request::Kind::go_on:
          paused_ = single_step_ = false;
          break;
      }
    }
  }

  /// Waits until a control requests something else.
  void pause() {
    output_.notify(&Observer::note, "pauses " + now());
    while (paused_ && running_) {
      std::this_thread::sleep_for(nap);
      tick();
      simulation_->receive_signals();
      poll_controls();
      output_.notify(&Observer::update, *simulation_, standing());
      if (requested_stop_ || checkpoint_requested_)
        conclude(requested_stop_, is_logged(outcome_.steps));
    }
    last_check_ = seconds_;
  }

  void end(Stop stop) {
    outcome_.stop = std::move(stop);
    running_ = false;
  }

  /// Writes a checkpoint; returns false if the state is not finite, which ends the run.
  bool checkpoint(Failure failure) {
    if (!all_finite()) return false;
    output_.notify(&Observer::wait);
    check_bodies();
    tick();
    record_.step = outcome_.steps;
    record_.wall_seconds = wall_seconds();
    output_.record_progress(record_);
    std::optional<SavedState::NotFinite> not_finite_field;
    auto const save = [&](SavedState& state) {
      record_.exchange(state);
      simulation_->exchange(state);
      exchange(state);
      not_finite_field = state.not_finite();
      return !not_finite_field;
    };
    checkpoints_.write(save, outcome_.steps, seconds_, failure);
    if (!not_finite_field) return true;
    auto const bodies = std::max<std::size_t>(simulation_->count(), 1);
    not_finite({outcome_.steps, not_finite_field->index % bodies, not_finite_field->block});
    return false;
  }

  /// Saves or restores all state besides the record and the simulation.
  void exchange(SavedState& state) {
    outcome_.conservation.exchange(state);
    output_.exchange(state);
    guard_.exchange(state);
  }

  /// Bodies that were lost, duplicated or changed must not be committed.
  void check_bodies() const {
    APSIS_EXPECT(simulation_->identity() == record_.bodies,
                 "bodies are not those that the run began with");
  }

  bool is_logged(std::uint64_t step) const { return step % run_.output.conservation_steps == 0; }

  bool all_finite() {
    auto const finding = simulation_->not_finite();
    if (finding) not_finite(*finding);
    return !finding;
  }

  /// Whether the numbers of the bodies themselves overflow, not those of the integration.
  bool has_extreme_numbers(NotFinite const& finding) const {
    constexpr double most = 1e75;  // its fourth power is near the largest double
    auto const& mass = simulation_->bodies().mass;
    bool const heavy = std::any_of(mass.begin(), mass.end(), [&](double m) {
      return m > most || m * std::abs(run_.gravity.law.G) > most;
    });
    return finding.step == 0 || heavy;
  }

  void not_finite(NotFinite const& finding) {
    auto const& ids = simulation_->bodies().id;
    auto& body = outcome_.not_finite.emplace();
    body.index = finding.index;
    body.what = finding.what;
    if (finding.index < ids.size()) body.id = ids[finding.index];
    auto const id = body.id ? std::to_string(*body.id) : "?";
    outcome_.exit = ExitStatus::internal;
    outcome_.steps = finding.step;
    end({StopReason::non_finite});
    outcome_.problems.push_back(
        {"body " + std::to_string(finding.index) + " (id " + id + ")", "not finite " + now(),
         finding.what + " is NaN or infinite in " + name_of(run_.gravity.precision) + " precision",
         has_extreme_numbers(finding)
             ? "choose units in which masses, lengths and velocities are nearer to 1"
             : "reduce integrator.time_step, or change gravity.softening or gravity.precision"});
  }

  /// Ends the run. The bodies were restored to the beginning of the step of the collision; this
  /// last good state is measured, saved and observed.
  void end_by_collision(integrators::Collision const& collision) {
    outcome_.steps = simulation_->step();
    outcome_.exit = ExitStatus::internal;
    outcome_.problems.push_back(collision_problem(run_, collision, now()));
    outcome_.collision = collision.pair;
    std::optional<Stop> stop = Stop{StopReason::collision};
    if (collision.pair) {
      stop->ids = {collision.pair->first, collision.pair->second};
      stop->distance = collision.pair->distance;
      stop->offset = collision.pair->time - simulation_->time();
    }
    bool const measured = is_logged(outcome_.steps);
    bool const needs_checkpoint = run_.output.final_state && !checkpoints_.holds(outcome_.steps);
    if (needs_checkpoint && !checkpoint(Failure::warn)) return;
    if (!measured && !measure(stop, false)) return;
    show(Occasion::end, true);
    end(std::move(*stop));
  }

  /// Judges a completed run by the limits of the deck; an interrupted run is judged at its end.
  void judge() {
    if (outcome_.stop.interrupted()) {
      outcome_.exit = ExitStatus::stopped;
      outcome_.problems.push_back(
          interruption(run_.stop, outcome_.stop, now(), output_.directory.current_path()));
      return;
    }
    outcome_.problems = guard_.broken_limits(outcome_.conservation, outcome_.passage);
    if (!outcome_.problems.empty()) outcome_.exit = ExitStatus::not_conserved;
  }

  /// A requested final state that was not written is an error whatever the verdict, since the
  /// earlier warnings may be overlooked.
  void check_final_state() {
    bool const judged =
        outcome_.exit == ExitStatus::conserved || outcome_.exit == ExitStatus::not_conserved;
    if (!run_.output.final_state || !judged) return;
    bool const without_snapshot = output_.failed_last("snapshot");
    bool const without_checkpoint =
        outcome_.stop.reason != StopReason::violation && !checkpoints_.holds(outcome_.steps);
    if (!without_snapshot && !without_checkpoint) return;
    auto const directory = output_.directory.current_path();
    outcome_.exit = ExitStatus::input_output;
    outcome_.problems.push_back(
        {directory.string(), "the final state was not written",
         std::string("output.final_state asks for it, and its ") +
             (without_snapshot && without_checkpoint ? "snapshot and its checkpoint"
              : without_snapshot                     ? "snapshot"
                                                     : "checkpoint") +
             " failed",
         checkpoints_.last_step() ? "check free space, then go on with " + resume_command(directory)
                                  : "check free space, then start the run again with --force"});
  }

  std::string now() const {
    return "after step " + std::to_string(outcome_.steps) + " at time " +
           shortest(run_.time(outcome_.steps));
  }

  RunStatus standing() const {
    return {outcome_.steps,
            run_.steps,
            run_.time(outcome_.steps),
            outcome_.conservation.relative_energy_error,
            wall_seconds(),
            &outcome_.conservation,
            expected_seconds_,
            first_step_,
            seconds_ - start_seconds_};
  }

  /// Reads the clock. Called only where the time is needed.
  void tick() {
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  double wall_seconds() const { return previous_wall_seconds_ + seconds_; }
  /// Time this process has waited for the other ranks so far [s].
  double seconds_waiting() const { return run_.leader ? run_.leader->traffic().seconds : 0.0; }

  /// Updates the longest time between two checks: a stop request cannot be handled sooner.
  void measure_pace() {
    tick();
    longest_step_ = std::max(longest_step_, seconds_ - last_check_);
    last_check_ = seconds_;
  }

  /// Time needed to end by the clock [s]: the current step and a checkpoint.
  double reserve() const { return longest_step_ + checkpoints_.reserve(simulation_->bytes()); }

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  deck::Configuration const& run_;
  std::unique_ptr<Simulation> simulation_;
  RunOutput& output_;
  Controls controls_;
  EnergyGuard guard_;
  Checkpoints checkpoints_;
  RunRecord record_;  ///< of the last checkpoint; before the first one, its constant fields only
  bool running_ = true;
  bool paused_ = false;
  bool falls_back_ = false;   ///< as last reported
  bool single_step_ = false;  ///< take one step, then pause
  bool checkpoint_requested_ = false;
  std::optional<Stop> requested_stop_;
  double last_poll_seconds_ = 0.0;     ///< of the last poll of the controls [s]
  double stop_request_seconds_ = 0.0;  ///< when the stop request arrived [s]
  bool may_interrupt_ = true;  ///< whether a stop request may interrupt the present observation
  bool was_interrupted_ = false;
  double expected_seconds_ = 0.0;       ///< estimate for the steps from first_step_ on [s]
  std::uint64_t first_step_ = 0;        ///< step at which this process began
  double start_seconds_ = 0.0;          ///< when it began, after the estimate [s]
  double previous_wall_seconds_ = 0.0;  ///< wall time of the previous processes [s]
  double initial_waiting_seconds_ = seconds_waiting();  ///< before the run began [s]
  double seconds_ = 0.0;     ///< wall time since this process started the run, at the last tick [s]
  double last_check_ = 0.0;  ///< [s]
  double longest_step_ = 0.0;  ///< [s]
  Outcome outcome_;
};

}  // namespace

Outcome simulate(deck::Configuration const& run, HostBodies const& bodies, RunOutput& output,
                 Controls controls) {
  return simulate(run, make_simulation(run, bodies), output, std::move(controls));
}

Outcome simulate(deck::Configuration const& run, std::unique_ptr<Simulation> simulation,
                 RunOutput& output, Controls controls) {
  return Loop(run, std::move(simulation), output, std::move(controls)).run();
}

Outcome resume(deck::Configuration const& run, Resumption resumption, RunOutput& output,
               Controls controls) {
  Loop loop(run, restore_simulation(run, resumption.record.bodies.count, resumption.state), output,
            std::move(controls));
  loop.continue_from(resumption);
  return loop.run();
}

}  // namespace apsis::driver
