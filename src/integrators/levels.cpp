// SPDX-License-Identifier: Apache-2.0
#include "block_levels.hpp"
#include <apsis/core/text.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/integrators/levels.hpp>

#include <cmath>

namespace apsis::integrators {

void expect_reachable(int level, double time_step) {
  if (level <= deepest_level) return;
  throw Collision(
      ExitStatus::internal,
      Problem{"integrator",
              "the time step would fall below " + shortest(std::ldexp(time_step, -deepest_level)),
              "two bodies all but collide",
              "set gravity.softening, a larger eta, or gravity.precision to 'double': derivatives "
              "of high order are rounding in single"});
}

std::size_t BlockLevels::list_due(ExecutionSpace const& space, std::uint64_t now) {
  std::size_t count = level_.extent(0);
  if (now == ticks) return count;
  auto const level = level_;
  auto const due = due_;
  Kokkos::parallel_scan(
      owner_ + "::list_due",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, count),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & place, bool final) {
        if (now % ticks_of(level(i)) != 0) return;
        if (final) due(place) = i;
        ++place;
      },
      count);
  return count;
}

}  // namespace apsis::integrators
