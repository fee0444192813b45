// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/broadcast.hpp>
#include <apsis/driver/simulation.hpp>

namespace apsis::driver {

namespace {

using Status = view::State::Status;

class LiveView final : public Observer {
 public:
  LiveView(Configuration const& run, Broadcast& to) : run_(run), to_(to) {}

  /// Frames are not written to files, so they may depend on the wall clock. The first and the last
  /// state are always shown for viewers that connect later, and so is a state at which the run
  /// pauses.
  bool due(Standing const& at, Occasion why) const override {
    if (why != Occasion::scheduled) return true;
    return at.step % run_.conservation_steps == 0 || !shown_ || to_.wants_frame();
  }

  void see(Instant& now, Standing const& at, Occasion why) override {
    if (at.step % run_.conservation_steps == 0 && logged_ != at.step) {
      to_.add(at.time, *at.conserved);
      logged_ = at.step;
    }
    if (why == Occasion::scheduled && shown_ && !to_.wants_frame()) return;
    to_.show(now);
    shown_ = true;
  }

  void pass(Instant const& now, Standing const& at) override {
    // The step has not changed since the last update: the run is paused.
    bool const paused = passed_ == at.step;
    tell_all(now, at, paused ? Status::paused : Status::running);
    passed_ = at.step;
  }

  void note(std::string const& line) override { to_.note(line); }

  void end(Instant const& now, Standing const& at) override { tell_all(now, at, Status::finished); }

 private:
  void tell_all(Instant const& now, Standing const& at, Status status) {
    if (!to_.has_to_tell(status)) return;
    to_.tell({at.step, at.steps, at.time, now.interactions()}, status);
  }

  Configuration const& run_;
  Broadcast& to_;
  bool shown_ = false;
  std::uint64_t logged_ = ~std::uint64_t{0};
  std::uint64_t passed_ = ~std::uint64_t{0};
};

}  // namespace

std::unique_ptr<Observer> live_view(Configuration const& run, Broadcast& to) {
  return std::make_unique<LiveView>(run, to);
}

Control viewers(Broadcast& of) {
  return [&of](RunClock const&) -> std::optional<Request> {
    auto const command = of.take();
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
