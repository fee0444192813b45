// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cmath>
#include <optional>

namespace apsis::view {

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

  /// Restarts the clock, for example after a pause.
  void restart() { start_.reset(); }

 private:
  struct Start {
    Clock::time_point wall;
    double time;
  };
  double pace_;
  std::optional<Start> start_;
};

}  // namespace apsis::view
