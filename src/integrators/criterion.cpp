// SPDX-License-Identifier: Apache-2.0
#include "criterion.hpp"

#include <apsis/core/reductions.hpp>

namespace apsis::integrators {

template <class Real>
double softened_acceleration_step(Context const& context, Bodies<Real> const& bodies, double eta,
                                  double softening) {
  auto const acceleration = bodies.acceleration;
  double const largest_squared = largest<double>(
      context, "apsis::integrators::softened_acceleration_step", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) { return acceleration_squared(acceleration, i); });
  return softened_acceleration_step(largest_squared, eta, softening);
}

template double softened_acceleration_step(Context const&, Bodies<float> const&, double, double);
template double softened_acceleration_step(Context const&, Bodies<double> const&, double, double);

}  // namespace apsis::integrators
