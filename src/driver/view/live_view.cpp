// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/simulation.hpp>
#include <apsis/driver/viewer_feed.hpp>

namespace apsis::driver {

namespace {

using Status = view::State::Status;

class LiveView final : public Observer {
 public:
  LiveView(deck::Configuration const& run, ViewerFeed& viewers) : run_(run), viewers_(viewers) {}

  /// Logged states are due for the plot of conserved quantities. Frames may depend on the wall
  /// clock, because they are not written to files. The first and the last state are always shown,
  /// for viewers that connect later, and so is a state at which the run pauses.
  bool is_due(RunStatus const& run_status, Occasion occasion) const override {
    if (occasion != Occasion::scheduled) return true;
    return run_status.step % run_.output.conservation_steps == 0 || !shown_ ||
           viewers_.is_frame_due();
  }

  std::uint64_t next_step(std::uint64_t step) const override {
    return next_multiple(step, run_.output.conservation_steps);
  }

  void observe(Instant& now, RunStatus const& run_status, Occasion occasion) override {
    if (run_status.step % run_.output.conservation_steps == 0 && logged_step_ != run_status.step) {
      viewers_.add(run_status.time, *run_status.conserved);
      logged_step_ = run_status.step;
    }
    if (occasion == Occasion::scheduled && shown_ && !viewers_.is_frame_due()) return;
    viewers_.show(now);
    shown_ = true;
  }

  void update(Instant const& now, RunStatus const& run_status) override {
    // The step has not changed since the last update: the run is paused.
    bool const paused = updated_step_ == run_status.step;
    send_state(now, run_status, paused ? Status::paused : Status::running);
    updated_step_ = run_status.step;
  }

  void note(std::string const& line) override { viewers_.note(line); }

  void end(Instant const& now, RunStatus const& run_status) override {
    send_state(now, run_status, Status::finished);
  }

 private:
  void send_state(Instant const& now, RunStatus const& run_status, Status status) {
    if (!viewers_.is_state_due(status)) return;
    viewers_.send_state({.step = run_status.step,
                         .steps = run_status.steps,
                         .time = run_status.time,
                         .interactions = now.interactions()},
                        status);
  }

  deck::Configuration const& run_;
  ViewerFeed& viewers_;
  bool shown_ = false;
  std::uint64_t logged_step_ = ~std::uint64_t{0};   ///< last step in the plot
  std::uint64_t updated_step_ = ~std::uint64_t{0};  ///< step of the last update
};

}  // namespace

std::unique_ptr<Observer> live_view(deck::Configuration const& run, ViewerFeed& viewers) {
  return std::make_unique<LiveView>(run, viewers);
}

Control viewers(ViewerFeed& feed) {
  return [&feed](RunClock const&) -> std::optional<Request> {
    auto const command = feed.take();
    if (!command) return {};
    using Kind = view::Command::Kind;
    switch (command->kind) {
      case Kind::pause:
        return Request{Request::Kind::pause};
      case Kind::go_on:
        return Request{Request::Kind::go_on};
      case Kind::single_step:
        return Request{Request::Kind::single_step};
      case Kind::stop:
        return Request{Request::Kind::stop};
      case Kind::restart:
        return Request{Request::Kind::stop, Stop{StopReason::restart}};
      default:  // commands for the player
        return {};
    }
  };
}

}  // namespace apsis::driver
