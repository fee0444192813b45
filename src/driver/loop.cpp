// SPDX-License-Identifier: Apache-2.0
#include "checkpoints.hpp"
#include "energy_guard.hpp"
#include <apsis/bodies/centre_of_mass.hpp>
#include <apsis/core/text.hpp>
#include <apsis/driver/estimate.hpp>
#include <apsis/driver/leader.hpp>
#include <apsis/driver/loop.hpp>
#include <apsis/driver/remarks.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/integrators/collision.hpp>

#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace apsis::driver {

namespace {

/// Steps that may pass before the host hears of a body that is not finite.
constexpr std::uint64_t steps_between_looks = 16;
/// Between two questions to the controls while a run pauses.
constexpr std::chrono::milliseconds nap{10};

/// Steps a simulation to its end: after each step it looks whether the state is sound, shows it to
/// those that are due, heeds the controls and writes checkpoints.
class Loop {
 public:
  Loop(Configuration const& run, std::unique_ptr<Simulation> simulation, RunOutput& output,
       Controls controls)
      : run_(run),
        simulation_(std::move(simulation)),
        output_(output),
        controls_(standard_controls(run.stop)),
        guard_(run),
        checkpoints_(run, output) {
    for (auto& control : controls) controls_.push_back(std::move(control));
    record_.bodies = simulation_->identity();
    simulation_->set_poll([this](double) { heed(); });
  }
  Loop(Loop const&) = delete;
  Loop& operator=(Loop const&) = delete;

  /// What the simulation was restored from; for a run that goes on, before go().
  void go_on_from(Resumption& from) {
    record_ = from.record;
    exchange(from.state);
    from.state.finish();
    expect_own_bodies();
    outcome_.steps = record_.step;
    outcome_.resumed = record_.step;
    outcome_.passage = simulation_->coarsest_passage();
    before_ = record_.wall_seconds;
    checkpoints_.begin_with(record_.step, from.generation, from.remarks.empty());
  }

  Outcome go() {
    record_.made_by = this_executable();
    announce();
    if (outcome_.resumed) {
      // All that was due at this step was done before the checkpoint, but for what a stop request
      // interrupted, and for the end of the run.
      auto stop = ending();
      if (output_.owes()) show_owed(stop);
      conclude(std::move(stop), is_logged(outcome_.steps));
    } else {
      look();
      say_drift();
    }
    while (running_) {
      if (paused_) {
        pause();
      } else {
        step();
        output_.each(&Observer::pass, *simulation_, standing());
      }
    }
    output_.each(&Observer::settle);
    tick();
    outcome_.wall_seconds = wall_seconds();
    outcome_.interactions = simulation_->interactions();
    outcome_.kernel = simulation_->kernel();
    outcome_.force_errors = simulation_->force_accuracy();
    outcome_.threads = simulation_->threads();
    outcome_.waiting_seconds = seconds_waiting() - waited_before_;
    outcome_.waiting_share = seconds_ > 0.0 ? outcome_.waiting_seconds / seconds_ : 0.0;
    outcome_.integrator_steps = simulation_->integrator_steps();
    outcome_.massless = simulation_->massless();
    outcome_.passage = simulation_->coarsest_passage();
    outcome_.retries = guard_.retries();
    outcome_.checkpoint = checkpoints_.last_step();
    if (outcome_.stop.reason != StopReason::restart) {
      output_.each(&Observer::end, *simulation_, standing());
    }
    if (outcome_.exit == ExitStatus::conserved) judge();
    expect_final_state();
    return outcome_;
  }

 private:
  using Failure = Checkpoints::Failure;

  /// The first step of many bodies takes so long that a user would wonder.
  void announce() {
    if (!output_.is_shown) return;
    auto const left = run_.steps - std::min(run_.steps, outcome_.steps);
    auto const expected = estimate(run_, *simulation_);
    expected_seconds_ = expected.total(left);
    output_.each(&Observer::note, std::to_string(run_.bodies()) + " bodies, " +
                                      std::to_string(left) + " steps: " + in_words(expected, left));
    first_step_ = outcome_.steps;
    tick();
    begun_seconds_ = seconds_;
  }

  void step() {
    bool const measured = is_logged(simulation_->step() + 1);
    paused_ = std::exchange(single_step_, false);
    try {
      simulation_->advance(1, measured ? Ask::measurement : Ask::nothing);
      look();
    } catch (integrators::Collision const& collision) {
      collided(collision);
    }
  }

  /// Looks at the state after a step: is it sound, what is to be shown of it, is it the last?
  void look() {
    measure_pace();
    auto const step = simulation_->step();
    outcome_.steps = step;
    say_fallback();
    auto stop = ending();
    bool const shown = output_.due(standing(), Occasion::scheduled);
    bool const heard =
        shown || stop || checkpoints_.due(step, seconds_) || step % steps_between_looks == 0;
    if (heard && !all_finite()) return;
    // What comes after a bad state says nothing about the run, not even that it is at its end.
    if (is_logged(step) && !measure(stop, true)) return;
    if (shown) show(Occasion::scheduled, is_logged(step));
    // The run goes on from here, and then ends for whatever reason it has.
    if (output_.owes()) stop = stop_asked_;
    conclude(stop, is_logged(step));
  }

  /// Shows what a stop request interrupted before this process went on, by the same forces.
  void show_owed(std::optional<Stop>& stop) {
    bool const logged = is_logged(outcome_.steps);
    if (logged) simulation_->advance(0, Ask::measurement);
    tick();
    output_.see_owed(*simulation_, standing());
    if (logged) output_.each(&Observer::keep);
    if (output_.owes()) stop = stop_asked_;
  }

  /// The rest of a look, after all that the schedules ask for: a checkpoint, and the end. Whatever
  /// is shown at a last step without being due comes after the checkpoint, so that a run that goes
  /// on from there never wrote it.
  void conclude(std::optional<Stop> stop, bool measured) {
    // What begins again is replaced: it needs no checkpoint to go on from.
    bool const again = stop && stop->reason == StopReason::restart;
    bool const interrupted = stop && stop->interrupted() && !again;
    bool const good = !stop || stop->reason != StopReason::violation;
    bool const asked = std::exchange(checkpoint_asked_, false);
    bool const due = checkpoints_.due(outcome_.steps, seconds_);
    bool const at_the_end =
        stop && good && !again && run_.final_state && !checkpoints_.holds(outcome_.steps);
    if (due || asked || interrupted || at_the_end) {
      if (!checkpoint(interrupted ? Failure::end_the_run : Failure::warn)) return;
      if (asked) output_.each(&Observer::note, "checkpoint " + now());
    }
    if (!stop) return;
    if (!measured && !again && !measure(stop, !interrupted)) return;
    if (again) return end(*stop);
    // What is interrupted at the end of a run is done again by one that goes on from there.
    may_interrupt_ = interrupted || checkpoints_.holds(outcome_.steps);
    show(interrupted ? Occasion::interruption : Occasion::end, true);
    may_interrupt_ = true;
    end(std::exchange(was_interrupted_, false) && stop_asked_ ? *stop_asked_ : *stop);
  }

  /// Heeds a stop request during a long measurement: whatever ends soon is waited for.
  void heed() {
    constexpr double patience = 0.5, rarely = 0.05;  // [s]
    tick();
    if (seconds_ - asked_seconds_ > rarely) ask_controls();
    if (!stop_asked_ || !may_interrupt_) return;
    if (seconds_ - stop_asked_seconds_ < patience) return;
    was_interrupted_ = true;
    throw Interrupted();
  }

  /// All pairs of a million bodies take hours instead of minutes: a user must hear why.
  void say_fallback() {
    if (simulation_->falls_back() == falls_back_) return;
    falls_back_ = !falls_back_;
    output_.each(
        &Observer::note,
        falls_back_ ? "note: the solver '" + run_.solver->name + "' sums all pairs (" +
                          simulation_->kernel() + ", O(N^2)) " + now() +
                          ": its cells cannot hold these bodies, since too many are in one "
                          "place, or some are far beyond all others"
                    : "note: the solver '" + run_.solver->name + "' uses its cells again " + now());
  }

  void say_drift() {
    if (outcome_.exit != ExitStatus::conserved) return;
    auto const remark = remark_on_drift(run_, simulation_->bodies());
    if (remark) output_.each(&Observer::note, "note: " + *remark);
  }

  void show(Occasion why, bool measured) {
    tick();
    output_.see(*simulation_, standing(), why);
    if (measured) output_.each(&Observer::keep);
  }

  /// Measures the conserved quantities, and judges them if that is wanted; false if nothing may
  /// come of this state: it is not finite, or the run went back.
  bool measure(std::optional<Stop>& stop, bool judged) {
    auto const& measurement = simulation_->measure();
    if (!measurement.is_finite()) {
      not_finite(simulation_->not_finite_measurement());
      return false;
    }
    outcome_.conservation.add(measurement);
    look_at_passages();
    using Verdict = EnergyGuard::Verdict;
    auto const verdict =
        judged ? guard_.judge(outcome_.conservation, outcome_.passage) : Verdict::go_on;
    if (verdict == Verdict::keep) simulation_->mark();
    if (verdict == Verdict::stop) stop = Stop{StopReason::violation};
    if (verdict == Verdict::go_back) go_back();
    return verdict != Verdict::go_back;
  }

  /// Takes the run back to the last logged time that was good, and on from there in finer steps.
  void go_back() {
    auto const broken =
        guard_.broken_limits(outcome_.conservation, outcome_.passage).front().problem;
    auto const from = now();
    outcome_.conservation = guard_.go_back();
    output_.each(&Observer::settle);
    output_.each(&Observer::forget);
    std::optional<integrators::Collision> collision;
    try {
      simulation_->go_back();
    } catch (integrators::Collision const& caught) {
      collision = caught;  // files are cut first
    }
    outcome_.passage = simulation_->coarsest_passage();
    outcome_.steps = simulation_->step();
    // A checkpoint that relies on files which are taken back now would be none.
    if (checkpoints_.last_step() && !checkpoint(Failure::warn)) return;
    output_.each(&Observer::cut);
    output_.each(&Observer::note, "retry " + std::to_string(guard_.retries()) + " of " +
                                      std::to_string(EnergyGuard::most_retries) + ": " + broken +
                                      " " + from + "; goes on with half the step " + now());
    if (collision) throw *collision;
  }

  /// Asks for the coarsest passage, and says so when one is beyond resolution for the first time.
  void look_at_passages() {
    bool const known = outcome_.passage && !outcome_.passage->is_resolved();
    outcome_.passage = simulation_->coarsest_passage();
    if (known || !outcome_.passage || outcome_.passage->is_resolved()) return;
    output_.each(&Observer::note, "note: " + passage_words(run_, *outcome_.passage));
  }

  /// Why the run ends after this step, if it does: what the bodies do comes first.
  std::optional<Stop> ending() {
    ask_controls();
    if (auto stop = stop_of(run_.stop, *simulation_)) return stop;
    // A run that is done cannot be interrupted.
    if (outcome_.steps == run_.steps) return Stop{StopReason::end};
    return stop_asked_;
  }

  void ask_controls() {
    asked_seconds_ = seconds_;
    RunClock const clock{seconds_, reserve()};
    for (auto const& control : controls_) {
      auto const request = control(clock);
      if (!request) continue;
      switch (request->kind) {
        case Request::Kind::stop:
          if (!stop_asked_) stop_asked_seconds_ = seconds_;
          if (!stop_asked_) stop_asked_ = request->stop;
          break;
        case Request::Kind::checkpoint:
          checkpoint_asked_ = true;
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

  /// Waits until a control asks for something else.
  void pause() {
    output_.each(&Observer::note, "pauses " + now());
    while (paused_ && running_) {
      std::this_thread::sleep_for(nap);
      tick();
      simulation_->hear_signals();
      ask_controls();
      output_.each(&Observer::pass, *simulation_, standing());
      if (stop_asked_ || checkpoint_asked_) conclude(stop_asked_, is_logged(outcome_.steps));
    }
    last_look_ = seconds_;
  }

  void end(Stop stop) {
    outcome_.stop = std::move(stop);
    running_ = false;
  }

  /// Writes a checkpoint; false if the state must not be gone on with, which ends the run.
  bool checkpoint(Failure failure) {
    if (!all_finite()) return false;
    output_.each(&Observer::settle);
    expect_own_bodies();
    tick();
    record_.step = outcome_.steps;
    record_.wall_seconds = wall_seconds();
    output_.tell(record_);
    std::optional<SavedState::NotFinite> bad;
    auto const save = [&](SavedState& state) {
      record_.exchange(state);
      simulation_->exchange(state);
      exchange(state);
      bad = state.not_finite();
      return !bad;
    };
    checkpoints_.write(save, outcome_.steps, seconds_, failure);
    if (!bad) return true;
    auto const bodies = std::max<std::size_t>(simulation_->count(), 1);
    not_finite({outcome_.steps, bad->index % bodies, bad->block});
    return false;
  }

  /// Everything besides the record and the simulation that changes what comes next.
  void exchange(SavedState& state) {
    outcome_.conservation.exchange(state);
    output_.exchange(state);
    guard_.exchange(state);
  }

  /// Bodies that were lost, doubled or changed on the way must not be committed.
  void expect_own_bodies() const {
    APSIS_EXPECT(simulation_->identity() == record_.bodies,
                 "bodies are not those that the run began with");
  }

  bool is_logged(std::uint64_t step) const { return step % run_.conservation_steps == 0; }

  bool all_finite() {
    auto const finding = simulation_->not_finite();
    if (finding) not_finite(*finding);
    return !finding;
  }

  /// Whether the bodies themselves overflow, not the way they were moved.
  bool has_extreme_numbers(NotFinite const& of) const {
    constexpr double most = 1e75;  // its fourth power is near the largest number
    auto const& mass = simulation_->bodies().mass;
    bool const heavy = std::any_of(mass.begin(), mass.end(), [&](double m) {
      return m > most || m * std::abs(run_.gravity.G) > most;
    });
    return of.step == 0 || heavy;
  }

  void not_finite(NotFinite const& of) {
    auto const& ids = simulation_->bodies().id;
    auto const id = of.index < ids.size() ? std::to_string(ids[of.index]) : "?";
    outcome_.exit = ExitStatus::internal;
    outcome_.steps = of.step;
    end({StopReason::non_finite});
    outcome_.problems.push_back(
        {"body " + std::to_string(of.index) + " (id " + id + ")", "not finite " + now(),
         of.what + " is NaN or infinite in " + name_of(run_.precision) + " precision",
         has_extreme_numbers(of)
             ? "choose units in which masses, lengths and velocities are nearer to 1"
             : "reduce integrator.time_step, or change gravity.softening or gravity.precision"});
  }

  /// Ends the run. The bodies are back at the beginning of the step in which two of them collided:
  /// that last good state is measured, saved and shown.
  void collided(integrators::Collision const& collision) {
    outcome_.steps = simulation_->step();
    outcome_.exit = ExitStatus::internal;
    outcome_.problems.push_back(collision_problem(run_, collision, now()));
    std::optional<Stop> stop = Stop{StopReason::collision};
    if (collision.pair) {
      stop->ids = {collision.pair->first, collision.pair->second};
      stop->distance = collision.pair->distance;
      stop->offset = collision.pair->time - simulation_->time();
    }
    bool const measured = is_logged(outcome_.steps);
    bool const saves = run_.final_state && !checkpoints_.holds(outcome_.steps);
    if (saves && !checkpoint(Failure::warn)) return;
    if (!measured && !measure(stop, false)) return;
    show(Occasion::end, true);
    end(std::move(*stop));
  }

  /// Holds a run that ended by itself against the deck's limits; one that was interrupted is to be
  /// judged at its end.
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

  /// A final state that the deck asks for and that was not written is an error, whatever the
  /// verdict: the warnings before it may be overlooked.
  void expect_final_state() {
    bool const judged =
        outcome_.exit == ExitStatus::conserved || outcome_.exit == ExitStatus::not_conserved;
    if (!run_.final_state || !judged) return;
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
         checkpoints_.last_step() ? "check free space, then go on with " + how_to_resume(directory)
                                  : "check free space, then start the run again with --force"});
  }

  std::string now() const {
    return "after step " + std::to_string(outcome_.steps) + " at time " +
           shortest(run_.time(outcome_.steps));
  }

  Standing standing() const {
    return {outcome_.steps,
            run_.steps,
            run_.time(outcome_.steps),
            outcome_.conservation.relative_energy_error,
            wall_seconds(),
            &outcome_.conservation,
            expected_seconds_,
            first_step_,
            seconds_ - begun_seconds_};
  }

  /// Looks at the clock, which is not looked at more often than somebody needs it.
  void tick() {
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  double wall_seconds() const { return before_ + seconds_; }
  /// For the other ranks so far, from the start of this process [s].
  double seconds_waiting() const { return run_.leader ? run_.leader->traffic().seconds : 0.0; }

  /// The longest time between two looks: no stop can be heeded sooner.
  void measure_pace() {
    tick();
    longest_step_ = std::max(longest_step_, seconds_ - last_look_);
    last_look_ = seconds_;
  }

  /// Time that an end by the clock takes [s]: the step on the way and a checkpoint.
  double reserve() const { return longest_step_ + checkpoints_.reserve(simulation_->bytes()); }

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Configuration const& run_;
  std::unique_ptr<Simulation> simulation_;
  RunOutput& output_;
  Controls controls_;
  EnergyGuard guard_;
  Checkpoints checkpoints_;
  RunRecord record_;  ///< of the last checkpoint, and what does not change between them
  bool running_ = true;
  bool paused_ = false;
  bool falls_back_ = false;   ///< whether it was said
  bool single_step_ = false;  ///< one step, and then a pause
  bool checkpoint_asked_ = false;
  std::optional<Stop> stop_asked_;
  double asked_seconds_ = 0.0;       ///< when the controls were asked last [s]
  double stop_asked_seconds_ = 0.0;  ///< when that was heard of [s]
  bool may_interrupt_ = true;        ///< whether a stop may end what is shown now
  bool was_interrupted_ = false;
  double expected_seconds_ = 0.0;  ///< of the steps from the first one on, as estimated [s]
  std::uint64_t first_step_ = 0;   ///< at which this process began
  double begun_seconds_ = 0.0;     ///< when it did, behind the estimate [s]
  double before_ = 0.0;            ///< wall time of the processes before this one [s]
  double waited_before_ = seconds_waiting();  ///< the run began [s]
  double seconds_ = 0.0;       ///< since this process began the run, at the last tick [s]
  double last_look_ = 0.0;     ///< [s]
  double longest_step_ = 0.0;  ///< [s]
  Outcome outcome_;
};

}  // namespace

Outcome simulate(Configuration const& run, HostBodies const& bodies, RunOutput& output,
                 Controls controls) {
  return simulate(run, make_simulation(run, bodies), output, std::move(controls));
}

Outcome simulate(Configuration const& run, std::unique_ptr<Simulation> simulation,
                 RunOutput& output, Controls controls) {
  return Loop(run, std::move(simulation), output, std::move(controls)).go();
}

Outcome resume(Configuration const& run, Resumption from, RunOutput& output, Controls controls) {
  Loop loop(run, restore_simulation(run, from.record.bodies.count, from.state), output,
            std::move(controls));
  loop.go_on_from(from);
  return loop.go();
}

}  // namespace apsis::driver
