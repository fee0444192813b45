// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/core/backend.hpp>

namespace apsis::integrators {

namespace {

template <class Real>
void expand(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt) {
  auto const position = bodies.position;
  auto const velocity = bodies.velocity;
  auto const acceleration = bodies.acceleration;
  Real const h = static_cast<Real>(dt);
  Real const half = static_cast<Real>(0.5 * dt);
  for_each(
      space, "apsis::integrators::taylor2", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          Real const v = velocity(i, axis);
          Real const a = acceleration(i, axis);
          position(i, axis) += h * (v + half * a);
          velocity(i, axis) = v + h * a;
        }
      });
}

/// x += v dt + a dt^2 / 2, v += a dt, both from the start of the step: the scheme of early OpenCL
/// and CUDA tutorials, provided for comparison. Order 1; like with explicit Euler the energy grows.
/// One force evaluation per step. Neither symplectic nor time-reversible.
template <class Real>
class Taylor2 final : public Integrator<Real> {
 public:
  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const* /*potential*/) override {
    solver.evaluate(context, forces::accelerations_of(bodies));
    expand(context, bodies, dt);
  }
};

}  // namespace

IntegratorEntry taylor2_entry() {
  return entry<Taylor2>("taylor2",
                        "x += v dt + a dt^2 / 2, v += a dt, from early OpenCL tutorials: order 1",
                        1, Structure::none, {}, 0);
}

}  // namespace apsis::integrators
