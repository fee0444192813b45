// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/saved_state.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/driver/configuration.hpp>

#include <vector>

namespace apsis::driver {

/// The deck's limits that a run broke, each as its problem; empty if it is within all of them.
std::vector<Problem> broken_limits(Configuration const& run,
                                   diagnostics::Conservation const& conservation);

/// Holds every logged time against the limits and decides what becomes of the run. To retry is to
/// go back to the last time that was good, at most twice, and on from there with half the step, as
/// NBODY6 does (Aarseth 2003, Gravitational N-Body Simulations; its routine check.f).
class EnergyGuard {
 public:
  static constexpr int most_retries = 2;

  /// What is to be done: nothing, keep this time to go back to, go back, or end the run.
  enum class Verdict { go_on, keep, go_back, stop };

  /// `run` must outlive it.
  explicit EnergyGuard(Configuration const& run) : run_(run) {}

  /// The verdict on a time that was just measured.
  Verdict judge(diagnostics::Conservation const& now);

  /// Counts a retry: what was conserved up to the time that was kept.
  diagnostics::Conservation const& go_back();

  int retries() const { return retries_; }

  void exchange(SavedState& state);

 private:
  Configuration const& run_;
  diagnostics::Conservation kept_;
  int retries_ = 0;
};

}  // namespace apsis::driver
