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

  std::uint64_t step_few(forces::FewBodySums<Real>& sums, Bodies<Real> const& bodies, double dt,
                         std::uint64_t steps, double largest_square) override {
    if constexpr (!bodies_on_host) return 0;
    FewBodies<Real> few(sums, bodies);
    FewPhase start, sum;
    auto const step_count = few.repeat(steps, largest_square, [&] {
      for (int stage = 0; stage < stages; ++stage) {
        few.evaluate();
        finish_stage_of_few(few, start, sum, stage, dt);
      }
    });
    few.store_in(bodies);
    return step_count;
  }

 private:
  struct FewPhase {
    forces::FewVectors<Real> position, velocity;
  };

  /// finish_stage() in packs of lanes.
  static void finish_stage_of_few(FewBodies<Real>& few, FewPhase& start, FewPhase& sum, int stage,
                                  double dt) {
    bool const first = stage == 0, last = stage == stages - 1;
    auto const weight = static_cast<Real>(stage_weight[stage]);
    auto const h = static_cast<Real>(last ? dt : node[stage + 1] * dt);
    for_each_pack<Real>(few.sums.rows(), [&](std::size_t row, int axis) {
      auto &x = few.motions.position(row, axis), &v = few.motions.velocity(row, axis);
      auto const rate = pack_at(v), slope = pack_at(few.forces.acceleration(row, axis));
      if (first) {
        simd::store(&start.position(row, axis), pack_at(x));
        simd::store(&start.velocity(row, axis), rate);
        simd::store(&sum.position(row, axis), weight * rate);
        simd::store(&sum.velocity(row, axis), weight * slope);
      } else {
        simd::store(&sum.position(row, axis), weight * rate + pack_at(sum.position(row, axis)));
        simd::store(&sum.velocity(row, axis), weight * slope + pack_at(sum.velocity(row, axis)));
      }
      auto const& velocities = last ? pack_at(sum.position(row, axis)) : rate;
      auto const& accelerations = last ? pack_at(sum.velocity(row, axis)) : slope;
      simd::store(&x, pack_at(start.position(row, axis)) + h * velocities);
      simd::store(&v, pack_at(start.velocity(row, axis)) + h * accelerations);
    });
  }

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
