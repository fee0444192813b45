// SPDX-License-Identifier: Apache-2.0
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

}  // namespace apsis::integrators
