// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/forces/solver.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace apsis::simulation {

/// Measures the wall time of one evaluation of a request for all bodies [s], extrapolated from a
/// subset of targets if that is cheaper. Restores the state of the solver. Fences.
template <class Real>
double time_forces(Context const& context, forces::Solver<Real>& solver,
                   forces::Request<Real> request) {
  constexpr double long_enough = 0.05;  // [s]
  std::size_t const own_count = request.targets.size();
  auto const shares = gather_values(context, std::vector{own_count});
  std::size_t const largest_share = *std::max_element(shares.begin(), shares.end());
  // Number of targets of each rank; ranks with fewer bodies evaluate all of theirs.
  std::size_t targets =
      solver.needs_full_sweep() ? largest_share : std::min<std::size_t>(largest_share, 64);
  // A solver that uses results of its previous evaluation makes one that is not timed, since it
  // has such results in most evaluations of a run.
  SavedState saved;
  solver.exchange(saved);
  if (solver.needs_full_sweep()) {
    request.counted = true;
    solver.evaluate(context, request);
    request.counted = false;
  }
  double seconds = 0.0;
  for (bool warm = false; targets > 0;) {
    std::size_t const own_targets = std::min(own_count, targets);
    request.targets.select(forces::BodyRows::range(0, own_targets), own_targets);
    auto const begin = std::chrono::steady_clock::now();
    solver.evaluate(context, request);
    context.space.fence("apsis::simulation::time_forces");
    std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - begin;
    seconds = gather_values(context, std::vector{elapsed.count()}).front();
    if (seconds > long_enough || (warm && targets == largest_share)) break;
    warm = targets == largest_share;
    targets = std::min(largest_share, 4 * targets);
  }
  SavedState restored(saved.blocks());
  solver.exchange(restored);
  restored.finish();
  if (targets == 0) return 0.0;
  return seconds * static_cast<double>(largest_share) / static_cast<double>(targets);
}

/// Measures the wall time of a request for a few targets of each rank [s].
template <class Real>
double time_few(Context const& context, forces::Solver<Real>& solver,
                forces::Request<Real> request) {
  std::size_t const few = std::min<std::size_t>(request.targets.size(), 8);
  request.targets.select(forces::BodyRows::range(0, few), few);
  double seconds = 0.0;
  // The first evaluation may load kernels and allocate memory; the second one counts.
  for (int evaluation = 0; evaluation < 2; ++evaluation) {
    Stopwatch const watch;
    solver.evaluate(context, request);
    context.space.fence("apsis::simulation::time_few");
    seconds = watch.seconds();
  }
  return seconds;
}

}  // namespace apsis::simulation
