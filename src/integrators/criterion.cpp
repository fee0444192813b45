// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/reductions.hpp>
#include <apsis/integrators/criterion.hpp>

#include <cmath>
#include <limits>

namespace apsis::integrators {

template <class Real>
double softened_acceleration_step(Context const& context, Bodies<Real> const& bodies, double eta,
                                  double softening) {
  auto const acceleration = bodies.acceleration;
  double const most = largest<double>(
      context, "apsis::integrators::softened_acceleration_step", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) {
        double squared = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
          double const a = acceleration(i, axis);
          squared += a * a;
        }
        return squared;
      });
  if (!(most > 0.0)) return std::numeric_limits<double>::infinity();
  return std::sqrt(2.0 * eta * softening / std::sqrt(most));
}

template double softened_acceleration_step(Context const&, Bodies<float> const&, double, double);
template double softened_acceleration_step(Context const&, Bodies<double> const&, double, double);

}  // namespace apsis::integrators
