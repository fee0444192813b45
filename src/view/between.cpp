// SPDX-License-Identifier: Apache-2.0
#include "between.hpp"

#include <apsis/core/backend.hpp>

namespace apsis::view {

void interpolate_bodies(ExecutionSpace const& space, Bodies<double> const& before,
                        Bodies<double> const& after, double dt, double s,
                        Bodies<double> const& now) {
  double const t = 1.0 - s;
  // Cubic Hermite polynomials and their derivatives.
  double const h00 = (1.0 + 2.0 * s) * t * t, h10 = s * t * t * dt;
  double const h01 = s * s * (3.0 - 2.0 * s), h11 = -s * s * t * dt;
  double const d = 6.0 * s * t / dt;
  double const d10 = t * (1.0 - 3.0 * s), d11 = s * (3.0 * s - 2.0);
  auto const xa = before.position, va = before.velocity;
  auto const xb = after.position, vb = after.velocity;
  auto const x = now.position, v = now.velocity;
  for_each(
      space, "apsis::view::between", now.size(), KOKKOS_LAMBDA(std::size_t i) {
        for (int k = 0; k < 3; ++k) {
          x(i, k) = h00 * xa(i, k) + h10 * va(i, k) + h01 * xb(i, k) + h11 * vb(i, k);
          v(i, k) = d * (xb(i, k) - xa(i, k)) + d10 * va(i, k) + d11 * vb(i, k);
        }
      });
}

}  // namespace apsis::view
