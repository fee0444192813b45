// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/checkpoint.hpp"
#include <apsis/deck/configuration.hpp>
#include <apsis/run/run_output.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace apsis::run {

/// Schedule of the checkpoints of a run, and the handling of failed checkpoints.
class Checkpoints {
 public:
  Checkpoints(deck::Configuration const& run, RunOutput& output)
      : run_(run),
        output_(output),
        store_(output.directory.checkpoints()),
        error_policy_("checkpoint", OnError::warn_a_few_times, output.warn) {}

  /// Whether a checkpoint is scheduled now, by step or by wall clock. `seconds`: wall time since
  /// this process started the run.
  bool is_due(std::uint64_t step, double seconds) const {
    if (last_step_ == step) return false;
    if (run_.output.checkpoint_steps && step > 0 && step % *run_.output.checkpoint_steps == 0)
      return true;
    return run_.output.checkpoint_wall_interval &&
           seconds - last_seconds_ >= *run_.output.checkpoint_wall_interval;
  }

  enum class Failure { warn, end_the_run };

  /// Writes a generation: first the files that it relies on, then the state, see
  /// files::CheckpointStore. Writes nothing if `save` returns false: the state must not be
  /// committed. A failed checkpoint is a warning. It ends the run with Failure::end_the_run, and
  /// after ErrorPolicy::most_failures failures in a row.
  void write(std::function<bool(SavedState&)> const& save, std::uint64_t step, double seconds,
             Failure failure) {
    auto const begin = std::chrono::steady_clock::now();
    last_seconds_ = seconds;  // also before a failure, so that the next step does not try again
    auto const work = [&] {
      SavedState state;
      if (!save(state)) return;
      output_.sync();
      store_.commit(state.blocks());
      last_step_ = step;
      is_intact_ = true;
      std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - begin;
      slowest_ = std::max(slowest_, elapsed.count());
    };
    if (failure == Failure::end_the_run) return work();
    if (error_policy_.attempt(work)) error_policy_.reset_failures();
  }

  /// Step of the newest generation that this process wrote or resumed from.
  std::optional<std::uint64_t> last_step() const { return last_step_; }
  /// Whether the newest generation is of this step and no generation is damaged; a commit repairs
  /// damage.
  bool holds(std::uint64_t step) const { return is_intact_ && last_step_ == step; }
  /// Continues after the generation that was resumed. `is_intact`: no generation is damaged.
  void begin_with(std::uint64_t step, files::Generation const& generation, bool is_intact) {
    last_step_ = step;
    is_intact_ = is_intact;
    store_.resume_from(generation);
  }

  /// Time to reserve for a checkpoint before a wall-clock limit [s]: three times the slowest one so
  /// far, or an estimate for a slow disk.
  double reserve(double bytes) const {
    double const slow_disk = 50e6;  // [bytes / s]
    return 3.0 * (slowest_ > 0.0 ? slowest_ : 0.02 + bytes / slow_disk);
  }

 private:
  deck::Configuration const& run_;
  RunOutput& output_;
  files::CheckpointStore store_;
  std::optional<std::uint64_t> last_step_;
  bool is_intact_ = false;     ///< no generation is damaged
  double last_seconds_ = 0.0;  ///< of the last attempt [s]
  double slowest_ = 0.0;       ///< longest time of a checkpoint [s]
  ErrorPolicy error_policy_;
};

}  // namespace apsis::run
