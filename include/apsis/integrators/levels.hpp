// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

/// Time steps that are powers of two (McMillan 1986, in The Use of Supercomputers in Stellar
/// Dynamics, 156): level k is the time between two synchronised times, halved k times. Times within
/// it are whole numbers of ticks, so that they are exact and meet exactly.
namespace apsis::integrators {

/// Halvings that a step can have; a body that needs more is about to collide.
inline constexpr int deepest_level = 40;
inline constexpr std::uint64_t ticks = std::uint64_t{1} << deepest_level;

KOKKOS_INLINE_FUNCTION std::uint64_t ticks_of(int level) {
  return std::uint64_t{1} << (deepest_level - level);
}

/// The lowest level whose step is no longer than `longest`; deepest_level + 1 if there is none. A
/// `longest` that is no number allows any step.
KOKKOS_INLINE_FUNCTION int level_of(double longest, double time_step) {
  int level = 0;
  for (double dt = time_step; dt > longest && level <= deepest_level; dt *= 0.5) ++level;
  return level;
}

/// The level for the step that begins at tick `now`: as deep as it has to be at once, but higher by
/// one at most and only where the longer steps have one of their own times.
KOKKOS_INLINE_FUNCTION int next_level(int level, int wanted, std::uint64_t now) {
  if (wanted >= level) return wanted;
  return level > 0 && now % ticks_of(level - 1) == 0 ? level - 1 : level;
}

/// Throws a Collision if `level` is beyond the deepest, `elapsed` [time] after the beginning of the
/// advance.
void expect_reachable(int level, double time_step, double elapsed);

}  // namespace apsis::integrators
