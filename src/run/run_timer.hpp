// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/poll.hpp>

#include <algorithm>

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

}  // namespace apsis::run
