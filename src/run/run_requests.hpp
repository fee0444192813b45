// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/run/control.hpp>

#include <optional>
#include <utility>

namespace apsis::run {

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

}  // namespace apsis::run
