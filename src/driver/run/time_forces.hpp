// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/core/context.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/forces/solver.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace apsis::driver {

/// Measures the wall time of one evaluation of a request for all bodies [s], extrapolated from a
/// subset of targets if that is cheaper. Restores the state of the solver. Fences.
template <class Real>
double time_forces(Context const& context, forces::Solver<Real>& solver,
                   forces::Request<Real> request) {
  constexpr double long_enough = 0.05;  // [s]
  // Number of targets of each rank, limited by the number of its bodies.
  std::size_t const own_count = request.targets.size();
  auto const shares = gather_values(context, std::vector{own_count});
  std::size_t const most = *std::max_element(shares.begin(), shares.end());
  std::size_t targets = solver.needs_full_sweep() ? most : std::min<std::size_t>(most, 64);
  // In a run most evaluations can use the results of the previous one. A solver that does so gets
  // an evaluation before the first that is timed.
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
    context.space.fence("apsis::driver::time_forces");
    std::chrono::duration<double> const passed = std::chrono::steady_clock::now() - begin;
    seconds = gather_values(context, std::vector{passed.count()}).front();
    if (seconds > long_enough || (warm && targets == most)) break;
    warm = targets == most;
    targets = std::min(most, 4 * targets);
  }
  SavedState restored(saved.blocks());
  solver.exchange(restored);
  restored.finish();
  if (targets == 0) return 0.0;
  return seconds * static_cast<double>(most) / static_cast<double>(targets);
}

/// Wall time of a request for a few targets of each rank [s].
template <class Real>
double time_few(Context const& context, forces::Solver<Real>& solver,
                forces::Request<Real> request) {
  std::size_t const few = std::min<std::size_t>(request.targets.size(), 8);
  request.targets.select(forces::BodyRows::range(0, few), few);
  double seconds = 0.0;
  for (int turn = 0; turn < 2; ++turn) {
    Stopwatch const watch;
    solver.evaluate(context, request);
    context.space.fence("apsis::driver::time_few");
    seconds = watch.seconds();
  }
  return seconds;
}

}  // namespace apsis::driver
