// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/criterion.hpp>

#include <cmath>
#include <limits>

namespace apsis::integrators {

template <class Real>
double softened_acceleration_step(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                  double eta, double softening) {
  auto const acceleration = bodies.acceleration;
  double largest = 0.0;
  Kokkos::parallel_reduce(
      "apsis::integrators::softened_acceleration_step",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies.size()),
      KOKKOS_LAMBDA(std::size_t i, double& most) {
        double squared = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
          double const a = acceleration(i, axis);
          squared += a * a;
        }
        if (squared > most) most = squared;
      },
      Kokkos::Max<double>(largest));
  if (!(largest > 0.0)) return std::numeric_limits<double>::infinity();
  return std::sqrt(2.0 * eta * softening / std::sqrt(largest));
}

template double softened_acceleration_step(ExecutionSpace const&, Bodies<float> const&, double,
                                           double);
template double softened_acceleration_step(ExecutionSpace const&, Bodies<double> const&, double,
                                           double);

}  // namespace apsis::integrators
