// SPDX-License-Identifier: Apache-2.0
#include "apsis/integrators/levels.hpp"

#include "block_levels.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/text.hpp>
#include <apsis/integrators/collision.hpp>

#include <cmath>
#include <utility>

namespace apsis::integrators {

Collision::Collision(double shortest_step, double elapsed)
    : Error(ExitStatus::internal,
            Problem{"integrator", "the time step would fall below " + shortest(shortest_step),
                    "two bodies are about to collide", "set gravity.softening"}),
      shortest_step_(shortest_step),
      elapsed_(elapsed) {}

Collision::Collision(Problem cause, double elapsed)
    : Error(ExitStatus::internal, cause),
      shortest_step_(0.0),
      elapsed_(elapsed),
      cause_(std::move(cause)) {}

bool Collision::is_caused_by_rounding() const {
  // A criterion with a usual eta takes steps of 0.01 to 1 dynamical time.
  constexpr double max_steps_per_dynamical_time = 1e4;
  // Derivatives of high order are differences of forces. They are meaningless if the distance is
  // resolved by fewer spacings of the coordinates than this.
  constexpr double min_spacings = 1e4;
  return pair && (pair->dynamical_time > max_steps_per_dynamical_time * shortest_step_ ||
                  pair->distance < min_spacings * pair->spacing);
}

void expect_reachable(int level, double time_step, double elapsed) {
  if (level <= deepest_level) return;
  throw Collision(std::ldexp(std::abs(time_step), -deepest_level), elapsed);
}

forces::BodyRows BlockLevels::list_due(ExecutionSpace const& space, std::uint64_t now) {
  std::size_t const bodies = level_.extent(0);
  std::size_t count = 0;
  if (now == ticks) return forces::BodyRows::all(bodies);
  auto const level = level_;
  auto const due = due_;
  if constexpr (bodies_on_host) {
    if (is_loop_faster(bodies)) {
      for (std::size_t i = 0; i < bodies; ++i) {
        if (now % ticks_of(level(i)) == 0) due(count++) = i;
      }
      return due_rows(count);
    }
  }
  Kokkos::parallel_scan(
      owner_ + "::list_due", index_range(space, 0, bodies),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & row, bool final) {
        if (now % ticks_of(level(i)) != 0) return;
        if (final) due(row) = i;
        ++row;
      },
      count);
  return due_rows(count);
}

forces::BodyRows BlockLevels::due_rows(std::size_t count) const {
  std::size_t const bodies = level_.extent(0);
  return count == bodies ? forces::BodyRows::all(bodies) : forces::BodyRows::listed(due_, count);
}

}  // namespace apsis::integrators
