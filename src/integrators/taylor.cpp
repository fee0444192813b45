// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/taylor.hpp>

namespace apsis::integrators {

namespace {

template <class Real>
void expand(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt) {
  auto const position = bodies.position;
  auto const velocity = bodies.velocity;
  auto const acceleration = bodies.acceleration;
  Real const h = static_cast<Real>(dt);
  Real const half = static_cast<Real>(0.5 * dt);
  Kokkos::parallel_for(
      "apsis::integrators::taylor2",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies.size()),
      KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          Real const v = velocity(i, axis);
          Real const a = acceleration(i, axis);
          position(i, axis) += h * (v + half * a);
          velocity(i, axis) = v + h * a;
        }
      });
}

}  // namespace

template <class Real>
void Taylor2<Real>::step(Context const& context, Bodies<Real> const& bodies,
                         forces::Solver<Real>& solver, double dt,
                         Column<double> const& /*potential*/) {
  solver.evaluate(context, forces::accelerations_of(bodies));
  expand(context, bodies, dt);
}

template class Taylor2<float>;
template class Taylor2<double>;

}  // namespace apsis::integrators
