// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>
#include <apsis/driver/run_output.hpp>
#include <apsis/io/checkpoint.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace apsis::driver {

/// When a run writes checkpoints, and what it does if it cannot.
class Checkpoints {
 public:
  Checkpoints(Configuration const& run, RunOutput& output)
      : run_(run),
        output_(output),
        store_(output.directory.checkpoints()),
        tolerance_("checkpoint", OnError::warn_a_few_times, output.warn) {}

  /// Whether the deck's schedule asks for one: in simulated time, or by the clock, which says
  /// `seconds` since this process began the run.
  bool due(std::uint64_t step, double seconds) const {
    if (last_step_ == step) return false;
    if (run_.checkpoint_steps && step > 0 && step % *run_.checkpoint_steps == 0) return true;
    return run_.checkpoint_wall_interval &&
           seconds - last_seconds_ >= *run_.checkpoint_wall_interval;
  }

  enum class Failure { warn, end_the_run };

  /// Saves a state, unless `save` finds that it must not be committed and returns false, and writes
  /// a generation: what it relies on first, see io::CheckpointStore. A checkpoint that fails, by
  /// whatever error, is a warning, and ends the run if it is one too many in a row or the run
  /// cannot do without.
  void write(std::function<bool(SavedState&)> const& save, std::uint64_t step, double seconds,
             Failure failure) {
    auto const begin = std::chrono::steady_clock::now();
    last_seconds_ = seconds;  // one that fails is not tried again at the next step
    auto const work = [&] {
      SavedState state;
      if (!save(state)) return;
      output_.sync();
      store_.commit(state.blocks());
      last_step_ = step;
      whole_ = true;
      std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
      slowest_ = std::max(slowest_, took.count());
    };
    if (failure == Failure::end_the_run) return work();
    if (tolerance_.attempt(work)) tolerance_.succeeded();
  }

  /// The step of the newest generation that this process wrote or began with.
  std::optional<std::uint64_t> last_step() const { return last_step_; }
  /// Whether that is of this step and nothing beside it is damaged: a commit mends what is.
  bool holds(std::uint64_t step) const { return whole_ && last_step_ == step; }
  void begin_with(std::uint64_t step, io::Generation const& generation, bool whole) {
    last_step_ = step;
    whole_ = whole;
    store_.go_on_from(generation);
  }

  /// What to set aside for one before a limit of the clock [s]: three times the slowest so far, or
  /// what a slow disk takes for so many bytes.
  double reserve(double bytes) const {
    double const slow_disk = 50e6;  // [bytes / s]
    return 3.0 * (slowest_ > 0.0 ? slowest_ : 0.02 + bytes / slow_disk);
  }

 private:
  Configuration const& run_;
  RunOutput& output_;
  io::CheckpointStore store_;
  std::optional<std::uint64_t> last_step_;
  bool whole_ = false;
  double last_seconds_ = 0.0;
  double slowest_ = 0.0;  ///< [s]
  Tolerance tolerance_;
};

}  // namespace apsis::driver
