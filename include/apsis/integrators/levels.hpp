// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

/// Time steps in powers of two (McMillan 1986, in The Use of Supercomputers in Stellar Dynamics,
/// 156): the step of level k is the time between two synchronised times, divided by 2^k. Times
/// within an advance are integer numbers of ticks; they are exact and can be compared exactly. See
/// BlockLevels for a drawing of the schedule.
namespace apsis::integrators {

/// Largest number of halvings of a step; a body that needs more is about to collide.
inline constexpr int deepest_level = 40;
/// Ticks of one advance.
inline constexpr std::uint64_t ticks = std::uint64_t{1} << deepest_level;

/// Step of a level [ticks].
KOKKOS_INLINE_FUNCTION std::uint64_t ticks_of(int level) {
  return std::uint64_t{1} << (deepest_level - level);
}

/// Returns the lowest level with a step <= longest; deepest_level + 1 if there is none. Level 0 if
/// `longest` is NaN, which allows any step. The step of a backward run is negative.
KOKKOS_INLINE_FUNCTION int level_of(double longest, double time_step) {
  int level = 0;
  for (double dt = time_step < 0.0 ? -time_step : time_step; dt > longest && level <= deepest_level;
       dt *= 0.5)
    ++level;
  return level;
}

/// Returns the level of the step that begins at tick `now`. A step is shortened to the required
/// level at once. It is lengthened by at most one level, and only if `now` is a multiple of the
/// longer step.
KOKKOS_INLINE_FUNCTION int next_level(int level, int required, std::uint64_t now) {
  if (required >= level) return required;
  return level > 0 && now % ticks_of(level - 1) == 0 ? level - 1 : level;
}

/// Throws a Collision if level > deepest_level. `elapsed` is the time since the start of the
/// advance [time].
void expect_reachable(int level, double time_step, double elapsed);

}  // namespace apsis::integrators
