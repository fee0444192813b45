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
  /// Checkpoints in a row that may fail before the run ends for it.
  static constexpr int most_failures = 3;

  Checkpoints(Configuration const& run, RunOutput& output);

  /// Whether the deck's schedule asks for one: in simulated time, or by the clock, which says
  /// `seconds` since this process began the run.
  bool due(std::uint64_t step, double seconds) const;

  enum class Failure { warn, end_the_run };

  /// Writes a generation: what it relies on first, see io::CheckpointStore. A checkpoint that
  /// cannot be written is a warning, and an input/output error if it is one too many or the run
  /// cannot do without. Throws an internal error if the bodies are not those that the run began
  /// with.
  bool commit(SavedState const& state, std::uint64_t step, double seconds, Failure failure);

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
  int failures_ = 0;      ///< in a row
};

}  // namespace apsis::driver
