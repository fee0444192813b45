// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conservation_guard.hpp"
#include "core/profiling_region.hpp"
#include "forces/evaluation_time.hpp"
#include "run/directory/checkpoints.hpp"
#include "run/directory/run_record.hpp"
#include "run/estimate.hpp"
#include "run_messages.hpp"
#include "run_timer.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/remarks.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/run/loop.hpp>
#include <apsis/simulation/leader.hpp>
#include <apsis/simulation/measurements.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace apsis::run {

/// A run between two steps: the simulation, its observers, its checkpoints and its verdict so far.
/// Measures, judges, saves and rolls back the present state, and ends the run with a reason; the
/// loop decides when. Members that return false have ended the run or rolled it back.
class RunInProgress {
 public:
  using Failure = Checkpoints::Failure;

  RunInProgress(deck::Configuration const& run, std::unique_ptr<simulation::Simulation> simulation,
                RunOutput& output)
      : run_(run),
        simulation_(std::move(simulation)),
        output_(output),
        guard_(run),
        checkpoints_(run, output),
        bytes_(simulation_->info().bytes) {
    record_.bodies = identity_of(*simulation_);
    record_.executable = this_executable();
    record_.uuid = make_uuid();
    record_.start = utc_now();
  }

  simulation::Simulation& simulation() { return *simulation_; }
  RunTimer& timer() { return timer_; }
  Checkpoints const& checkpoints() const { return checkpoints_; }
  Outcome const& outcome() const { return outcome_; }
  bool has_ended() const { return ended_; }

  void note(std::string const& line) { output_.notify(&Observer::note, line); }
  void update_observers() { output_.notify(&Observer::update, *simulation_, status()); }

  /// Continues from the checkpoint from which the simulation was restored.
  void continue_from(Resumption& resumption) {
    auto const fresh = std::exchange(record_, resumption.record);
    record_.executable = this_executable();
    if (record_.uuid.empty()) {  // the checkpoint is older than these
      record_.uuid = fresh.uuid;
      record_.start = fresh.start;
    }
    exchange(resumption.state);
    resumption.state.finish();
    check_bodies();
    outcome_.steps = record_.step;
    outcome_.resumed = record_.step;
    outcome_.passage = simulation_->coarsest_passage();
    timer_.add_previous_processes(record_.wall_seconds);
    checkpoints_.begin_with(record_.step, resumption.generation, resumption.remarks.empty());
  }

  /// Prints an estimate, because the first step of many bodies takes long.
  void announce() {
    if (!output_.is_shown) return;
    auto const left = run_.steps - std::min(run_.steps, outcome_.steps);
    auto const expected = estimate(run_, *simulation_);
    expected_seconds_ = expected.total(left);
    note(std::to_string(run_.bodies.count()) + " bodies, " + std::to_string(left) +
         " steps: " + estimate_text(expected, left));
    first_step_ = outcome_.steps;
    timer_.read();
    start_seconds_ = timer_.seconds();
  }

  /// Calls work(simulation), which makes steps, and measures its parts.
  template <class Work>
  auto time_steps(Work const& work) {
    double const evaluations = forces::seconds_in_evaluations();
    double steps = 0.0;
    auto const result = [&] {
      PartTimer const timer(steps);
      return work(*simulation_);
    }();
    double const evaluated = forces::seconds_in_evaluations() - evaluations;
    outcome_.parts.forces += evaluated;
    outcome_.parts.kicks_and_drifts += steps - evaluated;
    return result;
  }

  /// Takes over the present state of the simulation; call after each step.
  void take_step() {
    timer_.check();
    auto const state = simulation_->state();
    outcome_.steps = state.step;
    record_events();
    if (state.falls_back == falls_back_) return;
    falls_back_ = state.falls_back;
    note(fallback_note(run_.gravity.solver->name, simulation_->info().kernel, falls_back_, now()));
  }

  bool is_logged(std::uint64_t step) const { return step % run_.output.conservation_steps == 0; }

  bool all_finite() {
    PartTimer const timer(outcome_.parts.device);
    auto const finding = simulation_->not_finite();
    if (finding) end_not_finite(*finding);
    return !finding;
  }

  void show(Occasion occasion, bool measured) {
    timer_.read();
    ProfilingRegion const region("apsis::output");
    output_.observe(*simulation_, status(), occasion);
    if (measured) commit_rows();
  }

  /// Repeats the observations that a stop request interrupted before this process resumed the run,
  /// with the same forces.
  void observe_deferred() {
    bool const logged = is_logged(outcome_.steps);
    if (logged) simulation_->advance(0, simulation::FollowUp::measurement);
    timer_.read();
    output_.observe_deferred(*simulation_, status());
    if (logged) commit_rows();
  }

  /// Measures the conserved quantities and judges them if `judged`. Returns false if the state must
  /// not be used: it is not finite, or the run has rolled back.
  bool measure(std::optional<Stop>& stop, bool judged) {
    auto const& measurement = [&]() -> auto const& {
      PartTimer const timer(outcome_.parts.diagnostics);
      ProfilingRegion const region("apsis::diagnostics");
      return simulation_->measure();
    }
    ();
    if (!measurement.is_finite()) {
      end_not_finite(not_finite_measurement(*simulation_));
      return false;
    }
    outcome_.conservation.add(measurement);
    update_passage();
    using Verdict = ConservationGuard::Verdict;
    auto const verdict =
        judged ? guard_.judge(outcome_.conservation, outcome_.passage) : Verdict::go_on;
    if (verdict == Verdict::mark) simulation_->mark();
    if (verdict == Verdict::stop) stop = Stop{StopReason::violation};
    if (verdict == Verdict::roll_back) roll_back();
    return verdict != Verdict::roll_back;
  }

  void end(Stop stop) {
    outcome_.stop = std::move(stop);
    ended_ = true;
  }

  /// Writes a checkpoint; returns false if the state is not finite, which ends the run.
  bool checkpoint(Failure failure) {
    if (!all_finite()) return false;
    wait_for_files();
    check_bodies();
    timer_.read();
    record_.step = outcome_.steps;
    record_.wall_seconds = timer_.wall_seconds();
    output_.record_progress(record_);
    std::optional<SavedState::NotFinite> not_finite_field;
    auto& parts = outcome_.parts;
    double const copies_before = parts.copies;
    auto const save = [&](SavedState& state) {
      PartTimer const timer(parts.copies);
      record_.exchange(state);
      simulation_->exchange(state);
      exchange(state);
      not_finite_field = state.not_finite();
      return !not_finite_field;
    };
    {
      PartTimer const timer(parts.files);
      checkpoints_.write(save, outcome_.steps, timer_.seconds(), failure);
    }
    parts.files -= parts.copies - copies_before;
    if (!not_finite_field) return true;
    auto const bodies = std::max<std::size_t>(simulation_->count(), 1);
    end_not_finite({.step = outcome_.steps,
                    .index = not_finite_field->index % bodies,
                    .what = not_finite_field->block});
    return false;
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
    end_in_last_state(std::move(stop));
  }

  /// Ends the run if a collision of the deck's section `collisions` prevents the step that was
  /// tried. The event is recorded after the checkpoint, so that a resumed run records it again.
  bool end_before_step() {
    auto const& events = simulation_->events();
    if (events.empty() || !events.back().ends_step()) return false;
    auto const event = events.back();
    timer_.check();
    outcome_.steps = simulation_->step();
    end_in_last_state(stop_of(StopReason::collision, event, *simulation_));
    output_.notify(&Observer::record, event);
    outcome_.events.add(event);
    return true;
  }

  /// Returns the reason to end the run after a step with the events that were recorded.
  std::optional<Stop> stop_by_event() {
    return stop_of(run_.events, *simulation_, outcome_.events.collisions);
  }

  /// Completes and judges a run that has ended.
  Outcome close() {
    wait_for_files();
    complete_outcome();
    if (outcome_.stop.reason != StopReason::restart) {
      output_.notify(&Observer::end, *simulation_, status());
    }
    if (outcome_.exit == ExitStatus::conserved) judge();
    check_final_state();
    return outcome_;
  }

  void note_drift() {
    if (outcome_.exit != ExitStatus::conserved) return;
    auto const remark = remark_on_drift(run_, simulation_->bodies());
    if (remark) note("note: " + *remark);
  }

  std::string now() const {
    return "after step " + std::to_string(outcome_.steps) + " at time " +
           shortest(run_.time(outcome_.steps));
  }

  RunStatus status() const {
    return {.step = outcome_.steps,
            .steps = run_.steps,
            .time = run_.time(outcome_.steps),
            .relative_energy_error = outcome_.conservation.relative_energy_error,
            .wall_seconds = timer_.wall_seconds(),
            .conserved = &outcome_.conservation,
            .expected_seconds = expected_seconds_,
            .first_step = first_step_,
            .own_wall_seconds = timer_.seconds() - start_seconds_};
  }

  /// Time needed to end in order [s]: the current step and a checkpoint.
  double reserve() const { return timer_.longest_step() + checkpoints_.reserve(bytes_); }

 private:
  /// Waits for files that are written in the background.
  void wait_for_files() {
    PartTimer const timer(outcome_.parts.files);
    output_.notify(&Observer::wait);
  }

  /// Writes the rows of the present state.
  void commit_rows() {
    PartTimer const timer(outcome_.parts.files);
    output_.notify(&Observer::commit);
  }

  /// Measures, saves and observes the last good state, in which the run ends.
  void end_in_last_state(std::optional<Stop> stop) {
    bool const measured = is_logged(outcome_.steps);
    bool const needs_checkpoint = run_.output.final_state && !checkpoints_.holds(outcome_.steps);
    if (needs_checkpoint && !checkpoint(Failure::warn)) return;
    if (!measured && !measure(stop, false)) return;
    show(Occasion::end, true);
    end(std::move(*stop));
  }

  /// Records the events of the last step.
  void record_events() {
    bool has_fewer = false;
    for (auto const& event : simulation_->events()) {
      output_.notify(&Observer::record, event);
      outcome_.events.add(event);
      has_fewer |= event.kind == simulation::EventKind::merge ||
                   event.kind == simulation::EventKind::removal;
    }
    if (has_fewer) record_.bodies = identity_of(*simulation_);
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
    note(retry_note(guard_.retries(), ConservationGuard::most_retries, broken, violation_time,
                    now()));
    if (collision) throw *collision;
  }

  /// Updates the coarsest passage, and notes the first one that is not resolved.
  void update_passage() {
    bool const known = outcome_.passage && !outcome_.passage->is_resolved();
    outcome_.passage = simulation_->coarsest_passage();
    if (known || !outcome_.passage || outcome_.passage->is_resolved()) return;
    note("note: " + passage_words(run_, *outcome_.passage));
  }

  /// Saves or restores all state besides the record and the simulation.
  void exchange(SavedState& state) {
    outcome_.conservation.exchange(state);
    output_.exchange(state);
    guard_.exchange(state);
    if (run_.events.any()) outcome_.events.exchange(state);
  }

  /// Bodies that were lost, duplicated or changed must not be committed.
  void check_bodies() const {
    APSIS_EXPECT(identity_of(*simulation_) == record_.bodies,
                 "bodies are not those that the run began with");
  }

  void end_not_finite(simulation::NotFinite const& finding) {
    outcome_.exit = ExitStatus::internal;
    outcome_.steps = finding.step;
    auto const& ids = simulation_->bodies().id;
    outcome_.not_finite = {.index = finding.index, .id = {}, .what = finding.what};
    if (finding.index < ids.size()) outcome_.not_finite->id = ids[finding.index];
    outcome_.problems.push_back(
        not_finite_problem(run_, *outcome_.not_finite, finding.step, simulation_->bodies(), now()));
    end({StopReason::non_finite});
  }

  void complete_outcome() {
    timer_.read();
    auto const state = simulation_->state();
    auto info = simulation_->info();
    outcome_.wall_seconds = timer_.wall_seconds();
    outcome_.earlier_seconds = timer_.wall_seconds() - timer_.seconds();
    outcome_.parts += output_.parts;
    outcome_.interactions = state.interactions;
    outcome_.kernel = std::move(info.kernel);
    outcome_.uuid = record_.uuid;
    outcome_.start = record_.start;
    outcome_.force_errors = info.force_errors;
    outcome_.threads = info.threads;
    outcome_.waiting_seconds = seconds_waiting() - initial_waiting_seconds_;
    outcome_.waiting_share =
        timer_.seconds() > 0.0 ? outcome_.waiting_seconds / timer_.seconds() : 0.0;
    outcome_.integrator_steps = state.integrator_steps;
    outcome_.massless = info.massless;
    outcome_.passage = simulation_->coarsest_passage();
    outcome_.retries = guard_.retries();
    outcome_.checkpoint = checkpoints_.last_step();
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
    MissingFinalState const missing{.snapshot = output_.failed_last("snapshot"),
                                    .checkpoint = outcome_.stop.reason != StopReason::violation &&
                                                  !checkpoints_.holds(outcome_.steps)};
    if (!missing.snapshot && !missing.checkpoint) return;
    outcome_.exit = ExitStatus::input_output;
    outcome_.problems.push_back(final_state_problem(missing, output_.directory.current_path(),
                                                    checkpoints_.last_step().has_value()));
  }

  /// Time this process has waited for the other ranks so far [s].
  double seconds_waiting() const { return run_.leader ? run_.leader->traffic().seconds : 0.0; }

  RunTimer timer_;
  deck::Configuration const& run_;
  std::unique_ptr<simulation::Simulation> simulation_;
  RunOutput& output_;
  ConservationGuard guard_;
  Checkpoints checkpoints_;
  double bytes_;      ///< memory of the simulation
  RunRecord record_;  ///< of the last checkpoint; before the first one, its constant fields only
  bool ended_ = false;
  bool falls_back_ = false;        ///< as last reported
  double expected_seconds_ = 0.0;  ///< estimate for the steps from first_step_ on [s]
  std::uint64_t first_step_ = 0;   ///< step at which this process began
  double start_seconds_ = 0.0;     ///< when it began, after the estimate [s]
  double initial_waiting_seconds_ = seconds_waiting();  ///< before the run began [s]
  Outcome outcome_;
};

}  // namespace apsis::run
