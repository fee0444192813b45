// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include "few_body_state.hpp"
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

/// One coordinate (or a pack of them) at a stage: the present state, the start of the step, and the
/// weighted sums of the slopes so far.
template <class Value>
struct StageState {
  Value x, v, start_x, start_v, sum_v, sum_a;
};

/// Adds the weighted slopes (v, a) at the present state to the sums, then moves it from the start
/// of the step to the next stage, or after the last stage to the end of the step.
template <class Value, class Real>
KOKKOS_FORCEINLINE_FUNCTION void finish_stage(StageState<Value>& state, Value const& a, int stage,
                                              Real weight, Real h) {
  bool const first = stage == 0, last = stage == stages - 1;
  if (first) {
    state.start_x = state.x;
    state.start_v = state.v;
  }
  Value const slope = state.v;
  state.sum_v = weight * slope + (first ? Value{} : state.sum_v);
  state.sum_a = weight * a + (first ? Value{} : state.sum_a);
  state.x = state.start_x + h * (last ? state.sum_v : slope);
  state.v = state.start_v + h * (last ? state.sum_a : a);
}
template <class Real>
Real stage_weight_of(int stage) {
  return static_cast<Real>(stage_weight[stage]);
}
/// Length of the step from the start to the state that follows this stage [time].
template <class Real>
Real step_after(int stage, double dt) {
  return static_cast<Real>(stage == stages - 1 ? dt : node[stage + 1] * dt);
}

/// Finishes a stage for all bodies. One kernel launch.
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
  Real const weight = stage_weight_of<Real>(stage);
  Real const h = step_after<Real>(stage, dt);
  for_each(
      space, "apsis::integrators::rk4", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          StageState<Real> state{position(i, axis),       velocity(i, axis),
                                 start_position(i, axis), start_velocity(i, axis),
                                 sum_position(i, axis),   sum_velocity(i, axis)};
          finish_stage(state, acceleration(i, axis), stage, weight, h);
          position(i, axis) = state.x;
          velocity(i, axis) = state.v;
          start_position(i, axis) = state.start_x;
          start_velocity(i, axis) = state.start_v;
          sum_position(i, axis) = state.sum_v;
          sum_velocity(i, axis) = state.sum_a;
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
      return VectorColumns<Real>(Kokkos::view_alloc(space, "apsis::integrators::rk4::" + name),
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
    }
  }

  std::uint64_t step_few(forces::FewBodySums<Real>& sums, Bodies<Real> const& bodies, double dt,
                         std::uint64_t steps, double largest_square) override {
    if constexpr (!bodies_on_host) return 0;
    FewBodies<Real> few(sums, bodies);
    forces::FewVectors<Real> start_x{}, start_v{}, sum_v{}, sum_a{};
    auto const made = few.repeat(steps, largest_square, [&] {
      for (int stage = 0; stage < stages; ++stage) {
        few.evaluate();
        for_each_pack<Real>(sums.rows(), [&](std::size_t row, int axis) {
          Real* const numbers[] = {&few.motions.position(row, axis),
                                   &few.motions.velocity(row, axis),
                                   &start_x(row, axis),
                                   &start_v(row, axis),
                                   &sum_v(row, axis),
                                   &sum_a(row, axis)};
          StageState<FewPack<Real>> state{pack_at(*numbers[0]), pack_at(*numbers[1]),
                                          pack_at(*numbers[2]), pack_at(*numbers[3]),
                                          pack_at(*numbers[4]), pack_at(*numbers[5])};
          finish_stage(state, pack_at(few.forces.acceleration(row, axis)), stage,
                       stage_weight_of<Real>(stage), step_after<Real>(stage, dt));
          FewPack<Real> const results[] = {state.x,       state.v,     state.start_x,
                                           state.start_v, state.sum_v, state.sum_a};
          for (int k = 0; k < 6; ++k) simd::store(numbers[k], results[k]);
        });
      }
    });
    few.store_in(bodies);
    return made;
  }

 private:
  PhaseColumns<Real> start_;  ///< state at the start of the step
  PhaseColumns<Real> sum_;    ///< weighted sum of the slopes of the stages so far
};

}  // namespace

IntegratorEntry rk4_entry() {
  constexpr std::size_t workspace_vectors = 4;
  return entry<RungeKutta4>(
      "rk4", "classical Runge-Kutta: order 4, not symplectic, energy drifts; 4 forces per step", 4,
      Structure::none, {}, workspace_vectors);
}

}  // namespace apsis::integrators
