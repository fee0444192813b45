// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/checkpoint.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/deck/remarks.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/run/control.hpp>
#include <apsis/run/loop.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/run/run_output.hpp>
#include <apsis/run/stop_conditions.hpp>
#include <apsis/simulation/events.hpp>
#include <apsis/simulation/simulation.hpp>
#include <apsis/simulation/stop.hpp>

namespace apsis::run {

/// Wall time of a run [s], as of the last reading of the clock. It is read only where the time is
/// needed, since a step may take only a microsecond.
class RunTimer {
 public:
  void read() { seconds_ = watch_.seconds(); }
  double seconds() const { return seconds_; }  ///< since this process started the run
  double wall_seconds() const { return previous_seconds_ + seconds_; }  ///< of all processes
  void add_previous_processes(double seconds) { previous_seconds_ = seconds; }

  /// Reads the clock at a check between two steps.
  void check() {
    read();
    longest_step_ = std::max(longest_step_, seconds_ - last_check_);
    last_check_ = seconds_;
  }
  /// Leaves out the time since the last check, in which the run was paused.
  void skip_pause() { last_check_ = seconds_; }
  /// Longest time between two checks: a stop request cannot be handled sooner.
  double longest_step() const { return longest_step_; }

 private:
  Stopwatch watch_;
  double seconds_ = 0.0;
  double previous_seconds_ = 0.0;
  double last_check_ = 0.0;
  double longest_step_ = 0.0;
};

/// Requests of the controls of a run that are not yet fulfilled.
class RunRequests {
 public:
  explicit RunRequests(Controls controls) : controls_(std::move(controls)) {}

  void poll(RunClock const& clock) {
    last_poll_ = clock.seconds;
    for (auto const& control : controls_) {
      if (auto const request = control(clock)) receive(*request, clock.seconds);
    }
  }
  double last_poll() const { return last_poll_; }  ///< time of the last poll [s]

  /// The first stop request; it is never withdrawn.
  std::optional<Stop> const& stop() const { return stop_; }
  double stop_time() const { return stop_time_; }  ///< when it arrived [s]

  bool is_checkpoint() const { return checkpoint_; }
  bool take_checkpoint() { return std::exchange(checkpoint_, false); }

  bool is_pause() const { return paused_; }
  bool is_single_step() const { return single_step_; }
  /// Call before a step: after a single step the run pauses again.
  void begin_step() { paused_ = std::exchange(single_step_, false); }

 private:
  void receive(Request const& request, double seconds) {
    switch (request.kind) {
      case Request::Kind::stop:
        if (stop_) break;
        stop_ = request.stop;
        stop_time_ = seconds;
        break;
      case Request::Kind::checkpoint:
        checkpoint_ = true;
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

  Controls controls_;
  double last_poll_ = 0.0;
  std::optional<Stop> stop_;
  double stop_time_ = 0.0;
  bool checkpoint_ = false;
  bool paused_ = false;
  bool single_step_ = false;  ///< take one step, then pause
};

/// Schedule of the checkpoints of a run, and the handling of failed checkpoints.
class Checkpoints {
 public:
  Checkpoints(deck::Configuration const& run, RunOutput& output)
      : run_(run),
        output_(output),
        store_(output.directory.checkpoints()),
        error_policy_("checkpoint", OnError::warn_a_few_times, output.warn) {}

  /// Whether a checkpoint is due, by step or by wall clock. `seconds`: since this process began.
  bool is_due(std::uint64_t step, double seconds) const {
    if (last_step_ == step) return false;
    if (run_.output.checkpoint_steps && step > 0 && step % *run_.output.checkpoint_steps == 0)
      return true;
    return run_.output.checkpoint_wall_interval &&
           seconds - last_seconds_ >= *run_.output.checkpoint_wall_interval;
  }

  enum class Failure { warn, end_the_run };

  /// Writes a generation: first the files that it relies on, then the state, see
  /// files::CheckpointStore. Writes nothing if `save` returns false: the state must not be
  /// committed. A failed checkpoint is a warning. It ends the run with Failure::end_the_run, and
  /// after ErrorPolicy::most_failures failures in a row.
  void write(std::function<bool(SavedState&)> const& save, std::uint64_t step, double seconds,
             Failure failure) {
    auto const begin = std::chrono::steady_clock::now();
    last_seconds_ = seconds;  // also before a failure, so that the next step does not try again
    auto const work = [&] {
      SavedState state;
      if (!save(state)) return;
      output_.sync();
      store_.commit(state.blocks());
      last_step_ = step;
      is_intact_ = true;
      std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - begin;
      slowest_ = std::max(slowest_, elapsed.count());
    };
    if (failure == Failure::end_the_run) return work();
    if (error_policy_.attempt(work)) error_policy_.reset_failures();
  }

  /// Step of the newest generation that this process wrote or resumed from.
  std::optional<std::uint64_t> last_step() const { return last_step_; }
  /// Whether the newest generation is of this step and none is damaged; a commit repairs damage.
  bool holds(std::uint64_t step) const { return is_intact_ && last_step_ == step; }
  /// Continues after the generation that was resumed. `is_intact`: no generation is damaged.
  void begin_with(std::uint64_t step, files::Generation const& generation, bool is_intact) {
    last_step_ = step;
    is_intact_ = is_intact;
    store_.resume_from(generation);
  }

  /// Time to reserve for a checkpoint before a wall-clock limit [s]: three times the slowest one so
  /// far, or an estimate for a slow disk.
  double reserve(double bytes) const {
    double const slow_disk = 50e6;  // [bytes / s]
    return 3.0 * (slowest_ > 0.0 ? slowest_ : 0.02 + bytes / slow_disk);
  }

 private:
  deck::Configuration const& run_;
  RunOutput& output_;
  files::CheckpointStore store_;
  std::optional<std::uint64_t> last_step_;
  bool is_intact_ = false;     ///< no generation is damaged
  double last_seconds_ = 0.0;  ///< of the last attempt [s]
  double slowest_ = 0.0;       ///< longest time of a checkpoint [s]
  ErrorPolicy error_policy_;
};

/// Compares each logged time with the limits of the deck and decides how the run continues. With
/// "retry" the run rolls back to the last time within the limits and continues with half the step,
/// at most twice, as in NBODY6 (Aarseth 2003, Gravitational N-Body Simulations; routine check.f).
class ConservationGuard {
 public:
  static constexpr int most_retries = 2;

  /// Decision: continue, save this state for a roll-back, roll back, or end the run.
  enum class Verdict { go_on, mark, roll_back, stop };

  /// `run` must outlive this object.
  explicit ConservationGuard(deck::Configuration const& run) : run_(run) {}

  /// Returns one problem for each limit that the run exceeds; empty if there are none.
  std::vector<Problem> broken_limits(
      diagnostics::Conservation const& now,
      std::optional<simulation::CoarsestPassage> const& passage = {}) const {
    auto const is_broken = simulation::broken_limits(run_.limits, now, passage);
    std::vector<Problem> broken;
    auto const add = [&](std::string const& name, double error, std::optional<double> limit,
                         std::string const& key, std::string const& measure,
                         std::string const& advice) {
      broken.push_back({"conservation." + key,
                        name + " " + shortest(error) + " exceeds the limit " + shortest(*limit),
                        "largest of the times in conservation.csv" + measure, advice});
    };
    if (is_broken.energy) {
      add("relative energy error", now.max_relative_energy_error,
          run_.limits.max_relative_energy_error, "max_relative_energy_error",
          ", over " + formula_of(now.energy_scale.measure) + " " + frame_of(now),
          "reduce " + step_key() + (is_unsoftened(run_) ? ", set gravity.softening" : "") +
              " or raise the limit");
    }
    if (is_broken.passage) {
      broken.push_back(
          {"conservation.max_relative_energy_error", passage_words(run_, *passage),
           "massless bodies add nothing to the energy, so the energy error does not show this",
           passage->kind == simulation::CoarsestPassage::Kind::encounter
               ? std::string("choose another integrator, such as 'gauss_radau15'")
               : "reduce " + step_key() +
                     (is_unsoftened(run_) ? " or set gravity.softening" : "")});
    }
    if (is_broken.momentum) {
      add("momentum error", now.max_momentum_error, run_.limits.max_momentum_error,
          "max_momentum_error", "",
          conserves_momentum_to_rounding()
              ? "raise the limit (this error is rounding, whatever the step)"
              : "reduce " + step_key() + " or raise the limit");
    }
    return broken;
  }

  /// Whether momentum changes only by rounding: all pairs are kicked equally.
  bool conserves_momentum_to_rounding() const {
    return run_.integrator.entry != nullptr && run_.integrator.entry->derivatives == 0 &&
           !run_.integrator.has_block_steps();
  }

  /// Returns the key that shortens the steps: with a criterion time_step is only the longest step.
  std::string step_key() const {
    if (has_own_steps()) return "integrator.stepping.epsilon";
    return run_.integrator.has_variable_steps() ? "integrator.stepping.eta"
                                                : "integrator.time_step";
  }

  Verdict judge(diagnostics::Conservation const& now,
                std::optional<simulation::CoarsestPassage> const& passage = {}) {
    if (run_.limits.on_violation == deck::OnViolation::report) return Verdict::go_on;
    bool const can_retry =
        run_.limits.on_violation == deck::OnViolation::retry && retries_ < most_retries;
    if (!broken_limits(now, passage).empty()) return can_retry ? Verdict::roll_back : Verdict::stop;
    if (!can_retry) return Verdict::go_on;
    marked_ = now;
    return Verdict::mark;
  }

  /// Counts a retry and returns the conservation up to the saved state.
  diagnostics::Conservation const& roll_back() {
    ++retries_;
    return marked_;
  }

  int retries() const { return retries_; }

  void exchange(SavedState& state) {
    if (run_.limits.on_violation != deck::OnViolation::retry) return;
    state.exchange("guard/retries", retries_);
    marked_.exchange(state);
  }

 private:
  bool has_own_steps() const {
    return run_.integrator.entry != nullptr && run_.integrator.entry->has_own_steps();
  }

  deck::Configuration const& run_;
  diagnostics::Conservation marked_;
  int retries_ = 0;
};

/// Problem of a run that ends at `step` because a body is not finite.
Problem not_finite_problem(deck::Configuration const& run, NotFiniteBody const& body,
                           std::uint64_t step, HostBodies const& bodies, std::string const& when);

/// Parts of the final state that could not be written.
struct MissingFinalState {
  bool snapshot = false, checkpoint = false;
};
/// Problem of a run with output.final_state. `resumable`: an earlier checkpoint was written.
Problem final_state_problem(MissingFinalState missing, std::filesystem::path const& directory,
                            bool resumable);

/// Note that the solver began, or ceased, to sum all pairs with `kernel`: it takes hours then.
std::string fallback_note(std::string const& solver, std::string const& kernel, bool falls_back,
                          std::string const& when);

/// Note that the run rolled back because of `problem` and continues `continued`.
std::string retry_note(int retry, int most_retries, std::string const& problem,
                       std::string const& when, std::string const& continued);

}  // namespace apsis::run
