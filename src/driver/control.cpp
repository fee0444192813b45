// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/control.hpp>
#include <apsis/driver/signals.hpp>

#include <algorithm>
#include <system_error>

namespace apsis::driver {

namespace {

Request stop_for(StopReason reason) {
  return {Request::Kind::stop, {reason}};
}

class SignalControl final : public Control {
 public:
  std::optional<Request> ask(RunClock const&) override {
    if (int const signal = Signals::stop()) {
      auto request = stop_for(StopReason::signal);
      request.stop.signal = signal;
      return request;
    }
    if (Signals::take_checkpoint_request()) return Request{Request::Kind::checkpoint};
    return std::nullopt;
  }
};

class WallTimeControl final : public Control {
 public:
  explicit WallTimeControl(double limit) : limit_(limit) {}

  std::optional<Request> ask(RunClock const& clock) override {
    // However long a checkpoint takes, half of the time is for the run itself.
    bool const over = clock.seconds >= limit_ - std::min(clock.reserve, 0.5 * limit_);
    return over ? std::optional(stop_for(StopReason::wall_time)) : std::nullopt;
  }

 private:
  double limit_;  ///< [s]
};

class JobEndControl final : public Control {
 public:
  explicit JobEndControl(double end) : end_(end) {}

  std::optional<Request> ask(RunClock const& clock) override {
    return unix_seconds() >= end_ - clock.reserve ? std::optional(stop_for(StopReason::job_end))
                                                  : std::nullopt;
  }

 private:
  double end_;  ///< [s of the Unix epoch]
};

class StopFileControl final : public Control {
 public:
  explicit StopFileControl(std::filesystem::path file) : file_(std::move(file)) {}

  std::optional<Request> ask(RunClock const& clock) override {
    // A look at a file system takes longer than a step of a few bodies.
    if (clock.seconds < next_look_) return std::nullopt;
    next_look_ = clock.seconds + 0.05;
    std::error_code ignored;
    if (!std::filesystem::exists(file_, ignored)) return std::nullopt;
    return stop_for(StopReason::stop_file);
  }

 private:
  std::filesystem::path file_;
  double next_look_ = 0.0;  ///< [s]
};

}  // namespace

Controls standard_controls(StopConditions const& conditions) {
  Controls controls;
  controls.push_back(std::make_unique<SignalControl>());
  if (auto const limit = conditions.max_wall_time) {
    controls.push_back(std::make_unique<WallTimeControl>(*limit));
  }
  if (auto const end = conditions.job_end) {
    controls.push_back(std::make_unique<JobEndControl>(*end));
  }
  if (!conditions.stop_file.empty()) {
    controls.push_back(std::make_unique<StopFileControl>(conditions.stop_file));
  }
  return controls;
}

}  // namespace apsis::driver
