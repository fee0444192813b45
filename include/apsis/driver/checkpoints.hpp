// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>
#include <apsis/driver/run_output.hpp>
#include <apsis/io/checkpoint.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace apsis::driver {

/// When a run writes checkpoints, and what it does if it cannot.
class Checkpoints {
 public:
  Checkpoints(Configuration const& run, RunOutput& output);

  /// Whether the deck's schedule asks for one: in simulated time, or by the clock, which says
  /// `seconds` since this process began the run.
  bool due(std::uint64_t step, double seconds) const;

  enum class Failure { warn, end_the_run };

  /// Saves a state, unless `save` finds that it must not be committed and returns false, and writes
  /// a generation: what it relies on first, see io::CheckpointStore. A checkpoint that fails, by
  /// whatever error, is a warning, and ends the run if it is one too many in a row or the run
  /// cannot do without.
  void write(std::function<bool(SavedState&)> const& save, std::uint64_t step, double seconds,
             Failure failure);

  /// The step of the newest generation that this process wrote or began with.
  std::optional<std::uint64_t> last_step() const { return last_step_; }
  void begin_with(std::uint64_t step, io::Generation const& generation) {
    last_step_ = step;
    store_.go_on_from(generation);
  }

  /// What to set aside for one before a limit of the clock [s]: three times the slowest so far, or
  /// what a slow disk takes for so many bytes.
  double reserve(double bytes) const;

 private:
  Configuration const& run_;
  RunOutput& output_;
  io::CheckpointStore store_;
  std::optional<std::uint64_t> last_step_;
  double last_seconds_ = 0.0;
  double slowest_ = 0.0;  ///< [s]
  Tolerance tolerance_;
};

}  // namespace apsis::driver
