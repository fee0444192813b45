// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/driver/checkpoints.hpp>

#include <algorithm>
#include <chrono>

namespace apsis::driver {

Checkpoints::Checkpoints(Configuration const& run, RunOutput& output)
    : run_(run), output_(output), store_(output.directory.checkpoints()) {}

bool Checkpoints::due(std::uint64_t step, double seconds) const {
  if (last_step_ == step) return false;
  if (run_.checkpoint_steps && step > 0 && step % *run_.checkpoint_steps == 0) return true;
  return run_.checkpoint_wall_interval && seconds - last_seconds_ >= *run_.checkpoint_wall_interval;
}

bool Checkpoints::commit(SavedState const& state, std::uint64_t step, double seconds,
                         Failure failure) {
  auto const begin = std::chrono::steady_clock::now();
  last_seconds_ = seconds;  // one that fails is not tried again at the next step
  try {
    output_.sync();
    store_.commit(state.blocks());
  } catch (Error const& error) {
    ++failures_;
    bool const too_many = failures_ >= most_failures;
    if (failure == Failure::end_the_run || too_many) throw;
    auto problem = error.problems().front();
    problem.problem = "checkpoint failed: " + problem.problem;
    problem.advice = "the run goes on; " + problem.advice;
    output_.warn(problem);
    return false;
  }
  failures_ = 0;
  last_step_ = step;
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
  slowest_ = std::max(slowest_, took.count());
  return true;
}

double Checkpoints::reserve(double bytes) const {
  double const slow_disk = 50e6;  // [bytes / s]
  return 3.0 * (slowest_ > 0.0 ? slowest_ : 0.02 + bytes / slow_disk);
}

}  // namespace apsis::driver
