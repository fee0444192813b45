// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/io/file.hpp>

#include <cstdint>
#include <vector>

namespace apsis::driver {

/// The deck's limits that a run broke, each as its problem; empty if it is within all of them.
std::vector<Problem> broken_limits(Configuration const& run,
                                   diagnostics::Conservation const& conservation);

/// Holds every logged time against the limits and decides what becomes of the run. To retry is to
/// go back to the last time that was good, at most twice, and on from there with half the step, as
/// NBODY6 does (Aarseth 2003, Gravitational N-Body Simulations; its routine check.f).
template <class Real>
class EnergyGuard {
 public:
  static constexpr int most_retries = 2;

  enum class Verdict { go_on, go_back, stop };

  /// What a run goes back to, besides the bodies.
  struct State {
    std::uint64_t step = 0;
    diagnostics::Conservation conservation;
    io::LineFile::Written log;    ///< the conservation log
    std::uint64_t snapshots = 0;  ///< numbers used
  };

  /// Allocates room for positions and velocities if it may have to go back to them.
  EnergyGuard(ExecutionSpace const& space, Configuration const& run, std::size_t count);

  /// The verdict on a state that was just logged; a good one is kept to go back to.
  Verdict judge(ExecutionSpace const& space, Bodies<Real> const& bodies, State const& now);

  /// Gives positions and velocities of the last good state back to the bodies.
  State const& go_back(ExecutionSpace const& space, Bodies<Real> const& bodies);

  int retries() const { return retries_; }

  /// What it keeps, if it may have to go back.
  void exchange(ExecutionSpace const& space, SavedState& state);

 private:
  Configuration const& run_;
  VectorColumns<Real> position_, velocity_;
  State good_;
  int retries_ = 0;
};

extern template class EnergyGuard<float>;
extern template class EnergyGuard<double>;

}  // namespace apsis::driver
