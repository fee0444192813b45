// SPDX-License-Identifier: Apache-2.0
#include "core/signals.hpp"
#include "run/directory/summary.hpp"
#include "view/viewer_feed.hpp"
#include <apsis/core/text.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <thread>

namespace apsis::view {

namespace {

using Status = view::State::Status;

constexpr double frames_per_second = 60.0;
/// Longest sleep of a run that waits for its pace: signals and commands are handled that soon.
constexpr std::chrono::milliseconds longest_sleep{10};

/// Slows a run down, so that simulated time passes at a chosen pace. Decides how long to wait only:
/// steps and their bits do not depend on it.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  /// `pace`: simulated time per second of wall time [time / s], > 0; 0: unlimited.
  explicit Pacer(double pace) : pace_(pace) {}

  bool is_limited() const { return pace_ > 0.0; }

  /// Returns the moment until which the run should wait at `time` [time]; `now` if it is late. Time
  /// lost by more than 0.2 s is not made up for.
  Clock::time_point due(double time, Clock::time_point now) {
    if (!is_limited()) return now;
    constexpr std::chrono::milliseconds tolerance{200};
    if (start_) {
      std::chrono::duration<double> const elapsed{std::abs(time - start_->time) / pace_};
      // A wait of more than a day is cut, so that the clock cannot overflow.
      constexpr std::chrono::duration<double> longest{86400.0};
      auto const due = start_->wall + std::chrono::duration_cast<Clock::duration>(
                                          elapsed < longest ? elapsed : longest);
      if (due + tolerance >= now) return due > now ? due : now;
    }
    start_ = Start{now, time};
    return now;
  }

  void restart() { start_.reset(); }

 private:
  struct Start {
    Clock::time_point wall;
    double time;
  };
  double pace_;
  std::optional<Start> start_;
};

class LiveView final : public run::Observer {
 public:
  LiveView(deck::Configuration const& run, ViewerFeed& viewers, double pace)
      : run_(run), viewers_(viewers), pacer_(pace) {
    double const steps = pace / (frames_per_second * run.integrator.time_step);
    if (pacer_.is_limited()) {
      frame_steps_ = static_cast<std::uint64_t>(std::clamp(std::abs(steps), 1.0, 1e15));
    }
  }

  /// Logged states are due for the plot of conserved quantities. Frames may depend on the wall
  /// clock, because they are not written to files. The first and the last state are always shown,
  /// for viewers that connect later, and so is a state at which the run pauses.
  bool is_due(run::RunStatus const& run_status, run::Occasion occasion) const override {
    if (occasion != run::Occasion::scheduled) return true;
    return run_status.step % run_.output.conservation_steps == 0 || !shown_ ||
           viewers_.is_frame_due();
  }

  std::uint64_t next_step(std::uint64_t step) const override {
    auto const next_logged = run::next_multiple(step, run_.output.conservation_steps);
    return frame_steps_ ? std::min(next_logged, step + *frame_steps_) : next_logged;
  }

  void observe(simulation::Instant& now, run::RunStatus const& run_status,
               run::Occasion occasion) override {
    if (run_status.step % run_.output.conservation_steps == 0 && logged_step_ != run_status.step) {
      viewers_.add(run_status.time, *run_status.conserved);
      logged_step_ = run_status.step;
    }
    if (occasion == run::Occasion::scheduled && shown_ && !viewers_.is_frame_due()) return;
    if (!shown_) viewers_.count_from(run_status.first_step, now.interactions());
    viewers_.show(now);
    shown_ = true;
  }

  void update(simulation::Instant const& now, run::RunStatus const& run_status) override {
    // The step has not changed since the last update: the run is paused.
    bool const paused = updated_step_ == run_status.step;
    send_state(now, run_status, paused ? Status::paused : Status::running);
    updated_step_ = run_status.step;
    if (paused) {
      pacer_.restart();
    } else {
      keep_pace(run_status.time);
    }
  }

  void note(std::string const& line) override { viewers_.note(line); }

  void end(simulation::Instant const& now, run::RunStatus const& run_status) override {
    send_state(now, run_status, Status::finished);
  }

 private:
  /// Waits until `time` is due, a signal arrives or a viewer sends a command.
  void keep_pace(double time) {
    auto const due = pacer_.due(time, Pacer::Clock::now());
    while (!viewers_.has_command() && Signals::stop_signal() == 0) {
      auto const rest = due - Pacer::Clock::now();
      if (rest <= rest.zero()) return;
      std::this_thread::sleep_for(std::min<Pacer::Clock::duration>(rest, longest_sleep));
    }
  }

  void send_state(simulation::Instant const& now, run::RunStatus const& run_status, Status status) {
    viewers_.send_state({.step = run_status.step,
                         .steps = run_status.steps,
                         .time = run_status.time,
                         .interactions = now.interactions()},
                        status);
  }

  deck::Configuration const& run_;
  ViewerFeed& viewers_;
  Pacer pacer_;
  std::optional<std::uint64_t> frame_steps_;  ///< steps between two frames at the pace
  bool shown_ = false;
  std::uint64_t logged_step_ = ~std::uint64_t{0};   ///< last step in the plot
  std::uint64_t updated_step_ = ~std::uint64_t{0};  ///< step of the last update
};

using Verdict = view::Over::Verdict;

/// Reason of an end before the last step, such as "signal SIGTERM".
std::string cause_of(run::Stop const& stop) {
  switch (stop.reason) {
    case run::StopReason::signal:
      return "signal " + signal_name(stop.signal);
    case run::StopReason::request:
      return "request of a viewer";
    case run::StopReason::wall_time:
      return "limit of wall time";
    case run::StopReason::job_end:
      return "end of the job";
    case run::StopReason::stop_file:
      return "stop file";
    default:
      return name_of(stop.reason);
  }
}

/// Returns ", energy conserved to 4.7e-13, limit 1e-12", or what else is known of the energy error.
std::string energy_words(deck::Configuration const& run, run::Outcome const& outcome) {
  auto const error = formatted("%.2g", outcome.conservation.max_relative_energy_error);
  if (!conserved_sums(outcome).energy) return ", energy not judged: forces besides gravity do work";
  auto const limit = run.limits.max_relative_energy_error;
  if (!limit) return ", energy error " + error + ", no limit";
  bool const is_within = outcome.conservation.max_relative_energy_error <= *limit;
  return (is_within ? ", energy conserved to " : ", energy error ") + error +
         (is_within ? ", limit " : ", above the limit ") + shortest(*limit);
}

}  // namespace

double watchable_pace(deck::Configuration const& run) {
  constexpr double longest_run = 600.0;  // [s]
  double const duration = std::abs(run.time(run.steps) - run.time(0));
  return std::max(frames_per_second * std::abs(run.integrator.time_step), duration / longest_run);
}

std::unique_ptr<run::Observer> live_view(deck::Configuration const& run, ViewerFeed& viewers,
                                         double pace) {
  return std::make_unique<LiveView>(run, viewers, pace);
}

run::Control viewers(ViewerFeed& feed) {
  return [&feed](run::RunClock const&) -> std::optional<run::Request> {
    auto const command = feed.take();
    if (!command) return {};
    using Kind = view::Command::Kind;
    switch (command->kind) {
      case Kind::pause:
        return run::Request{run::Request::Kind::pause};
      case Kind::go_on:
        return run::Request{run::Request::Kind::go_on};
      case Kind::single_step:
        return run::Request{run::Request::Kind::single_step};
      case Kind::stop:
        return run::Request{run::Request::Kind::stop};
      case Kind::restart:
        return run::Request{run::Request::Kind::stop, run::Stop{run::StopReason::restart}};
      default:  // commands for the player
        return {};
    }
  };
}

view::Over verdict_of(deck::Configuration const& run, run::Outcome const& outcome) {
  auto const time =
      "t = " + run.units.with_short_unit(shortest(run.time(outcome.steps)), dimension::time);
  auto const problem = outcome.problems.empty() ? "" : ": " + outcome.problems.front().problem;
  switch (outcome.exit) {
    case ExitStatus::conserved: {
      bool const is_judged = status_word(run, outcome) == "conserved";
      auto const cause =
          outcome.stop.reason == run::StopReason::end ? "" : " by " + name_of(outcome.stop.reason);
      return {"done" + cause + ": " + time + energy_words(run, outcome),
              is_judged ? Verdict::good : Verdict::unjudged};
    }
    case ExitStatus::not_conserved:
      return {"not conserved: " + time + energy_words(run, outcome), Verdict::bad};
    case ExitStatus::stopped:
      return {"stopped by " + cause_of(outcome.stop) + " after step " +
                  std::to_string(outcome.steps) + ", " + time + energy_words(run, outcome),
              Verdict::stopped};
    default:
      return {"ended by " + cause_of(outcome.stop) + " after step " +
                  std::to_string(outcome.steps) + ", " + time + problem,
              Verdict::bad};
  }
}

}  // namespace apsis::view
