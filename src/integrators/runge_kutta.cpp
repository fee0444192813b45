// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/core/backend.hpp>

#include <string>

namespace apsis::integrators {

namespace {

/// Weights (last row of the Butcher tableau) and nodes. Stage s + 1 starts at the start of the step
/// plus node[s + 1] * dt times the slope of stage s.
constexpr int stages = 4;
constexpr double stage_weight[stages] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
constexpr double node[stages] = {0.0, 0.5, 0.5, 1.0};

/// Workspace with one vector for the position and one for the velocity of each body.
template <class Real>
struct PhaseColumns {
  VectorColumns<Real> position;
  VectorColumns<Real> velocity;
};

/// Adds the weighted slopes (v, a) at the current state to the sums, then moves the bodies from
/// the start of the step to the next stage, or after the last stage to the end of the step. One
/// kernel launch.
template <class Real>
void finish_stage(ExecutionSpace const& space, Bodies<Real> const& bodies,
                  PhaseColumns<Real> const& start, PhaseColumns<Real> const& sum, int stage,
                  double dt) {
  auto const position = bodies.position;
  auto const velocity = bodies.velocity;
  auto const acceleration = bodies.acceleration;
  auto const start_position = start.position;
  auto const start_velocity = start.velocity;
  auto const sum_position = sum.position;
  auto const sum_velocity = sum.velocity;
  bool const first = stage == 0;
  bool const last = stage == stages - 1;
  Real const weight = static_cast<Real>(stage_weight[stage]);
  Real const h = static_cast<Real>(last ? dt : node[stage + 1] * dt);
  for_each_body(
      space, "apsis::integrators::rk4", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          Real const v = velocity(i, axis);
          Real const a = acceleration(i, axis);
          Real const x0 = first ? position(i, axis) : start_position(i, axis);
          Real const v0 = first ? v : start_velocity(i, axis);
          Real const sum_v = weight * v + (first ? Real(0) : sum_position(i, axis));
          Real const sum_a = weight * a + (first ? Real(0) : sum_velocity(i, axis));
          if (first) {
            start_position(i, axis) = x0;
            start_velocity(i, axis) = v0;
          }
          sum_position(i, axis) = sum_v;
          sum_velocity(i, axis) = sum_a;
          position(i, axis) = x0 + h * (last ? sum_v : v);
          velocity(i, axis) = v0 + h * (last ? sum_a : a);
        }
      });
}

/// Classical Runge-Kutta method of order 4 (Kutta 1901, Z. Math. Phys. 46, 435; Hairer, Norsett &
/// Wanner 1993, Solving Ordinary Differential Equations I, table II.1.2). Not symplectic: the
/// energy of an orbit drifts, which this method is provided to demonstrate. Four force evaluations
/// per step.
template <class Real>
class RungeKutta4 final : public Integrator<Real> {
 public:
  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override {
    auto const allocate = [&](std::string const& name) {
      return VectorColumns<Real>(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                                    "apsis::integrators::rk4::" + name),
                                 bodies.size());
    };
    start_ = {allocate("start_position"), allocate("start_velocity")};
    sum_ = {allocate("sum_position"), allocate("sum_velocity")};
  }
  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const* /*potential*/) override {
    for (int stage = 0; stage < stages; ++stage) {
      solver.evaluate(context, forces::accelerations_of(bodies));
      finish_stage<Real>(context, bodies, start_, sum_, stage, dt);
      bool const is_last = stage == stages - 1;
      if (!is_last) solver.pass_time((node[stage + 1] - node[stage]) * dt);
    }
  }

 private:
  PhaseColumns<Real> start_;  ///< state at the start of the step
  PhaseColumns<Real> sum_;    ///< weighted sum of the slopes of the stages so far
};

}  // namespace

IntegratorEntry rk4_entry() {
  constexpr std::size_t workspace_vectors = 4;
  auto method = entry<RungeKutta4>(
      "rk4", "classical Runge-Kutta: order 4, not symplectic, energy drifts; 4 forces per step", 4,
      Structure::none, {}, workspace_vectors);
  method.extra_forces = {true, true};
  return method;
}

}  // namespace apsis::integrators
