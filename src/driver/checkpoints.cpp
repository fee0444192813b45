// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/driver/checkpoints.hpp>

#include <algorithm>
#include <chrono>

namespace apsis::driver {

Checkpoints::Checkpoints(Configuration const& run, RunOutput& output)
    : run_(run),
      output_(output),
      store_(output.directory.checkpoints()),
      tolerance_("checkpoint", OnError::warn_a_few_times, output.warn) {}

bool Checkpoints::due(std::uint64_t step, double seconds) const {
  if (last_step_ == step) return false;
  if (run_.checkpoint_steps && step > 0 && step % *run_.checkpoint_steps == 0) return true;
  return run_.checkpoint_wall_interval && seconds - last_seconds_ >= *run_.checkpoint_wall_interval;
}

void Checkpoints::write(std::function<bool(SavedState&)> const& save, std::uint64_t step,
                        double seconds, Failure failure) {
  auto const begin = std::chrono::steady_clock::now();
  last_seconds_ = seconds;  // one that fails is not tried again at the next step
  auto const work = [&] {
    SavedState state;
    if (!save(state)) return;
    output_.sync();
    store_.commit(state.blocks());
    last_step_ = step;
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
    slowest_ = std::max(slowest_, took.count());
  };
  if (failure == Failure::end_the_run) return work();
  if (tolerance_.attempt(work)) tolerance_.succeeded();
}

double Checkpoints::reserve(double bytes) const {
  double const slow_disk = 50e6;  // [bytes / s]
  return 3.0 * (slowest_ > 0.0 ? slowest_ : 0.02 + bytes / slow_disk);
}

}  // namespace apsis::driver
