// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include "few_body_state.hpp"
#include <apsis/core/backend.hpp>

namespace apsis::integrators {

namespace {

template <class Value, class Real>
KOKKOS_FORCEINLINE_FUNCTION void expand(Value& x, Value& v, Value const& a, Real h, Real half) {
  x += h * (v + half * a);
  v = v + h * a;
}

template <class Real>
void expand(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt) {
  auto const position = bodies.position;
  auto const velocity = bodies.velocity;
  auto const acceleration = bodies.acceleration;
  Real const h = static_cast<Real>(dt);
  Real const half = static_cast<Real>(0.5 * dt);
  for_each_body(
      space, "apsis::integrators::taylor2", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          expand(position(i, axis), velocity(i, axis), acceleration(i, axis), h, half);
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

  std::uint64_t step_few(forces::FewBodySums<Real>& sums, Bodies<Real> const& bodies, double dt,
                         std::uint64_t steps, double largest_square) override {
    if constexpr (!bodies_on_host) return 0;
    FewBodies<Real> few(sums, bodies);
    auto const h = static_cast<Real>(dt), half = static_cast<Real>(0.5 * dt);
    auto const step_count = few.repeat(steps, largest_square, [&] {
      few.evaluate();
      for_each_pack<Real>(sums.rows(), [&](std::size_t row, int axis) {
        auto& position = few.motions.position(row, axis);
        auto& velocity = few.motions.velocity(row, axis);
        auto x = pack_at(position), v = pack_at(velocity);
        expand(x, v, pack_at(few.forces.acceleration(row, axis)), h, half);
        simd::store(&position, x);
        simd::store(&velocity, v);
      });
    });
    few.store_in(bodies);
    return step_count;
  }
};

}  // namespace

IntegratorEntry taylor2_entry() {
  return cited(
      entry<Taylor2>("taylor2",
                     "x += v dt + a dt^2 / 2, v += a dt, from early OpenCL tutorials: order 1", 1,
                     Structure::none, {}, 0),
      {"Apsis"});
}

}  // namespace apsis::integrators
