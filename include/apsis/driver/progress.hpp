// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace apsis::driver {

/// What a run looks like while it runs.
struct ProgressState {
  std::uint64_t step;
  std::uint64_t steps;
  double time;  ///< simulated [time]
  double relative_energy_error;
  double interactions;
  double wall_seconds;
};

/// Interactions per second of wall time; 0 before any has passed.
double interactions_per_second(double interactions, double wall_seconds);

enum class ProgressStyle {
  none,
  terminal,  ///< one line, rewritten a few times a second
  lines,     ///< a plain line now and then, for pipes and batch logs
};

/// Shows step, time, percent, energy error, interactions per second and time left.
class Progress {
 public:
  Progress(ProgressStyle style, std::ostream& out) : style_(style), out_(out) {}

  /// Shows the state if it is time to; cheap to call at every step.
  void update(ProgressState const& state);
  /// Says something in a line of its own, now.
  void note(std::string const& line);
  /// Shows the last state and ends the line.
  void finish(ProgressState const& state);

 private:
  void show(ProgressState const& state);

  ProgressStyle style_;
  std::ostream& out_;
  double next_seconds_ = 0.0;
  std::uint64_t shown_step_ = ~std::uint64_t{0};
};

}  // namespace apsis::driver
