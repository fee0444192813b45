// SPDX-License-Identifier: Apache-2.0
#include "core/signals.hpp"
#include "pacer.hpp"
#include "view/viewer_feed.hpp"
#include <apsis/simulation/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <thread>

namespace apsis::view {

namespace {

using Status = view::State::Status;

constexpr double frames_per_second = 60.0;
/// Longest sleep of a run that waits for its pace: signals and commands are handled that soon.
constexpr std::chrono::milliseconds longest_sleep{10};

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
    if (!viewers_.is_state_due(status)) return;
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

}  // namespace apsis::view
