// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include "few_body_state.hpp"
#include <apsis/core/backend.hpp>

#include <string>
#include <type_traits>
#include <utility>

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

/// One component of the state at the start of a step, and of the weighted sums of the slopes.
template <class Value>
struct StageSums {
  Value &start_x, &start_v, &sum_x, &sum_v;
};

/// Adds the weighted slopes (v, a) at the current state to the sums, then moves the body from the
/// start of the step to the next stage, or after the last stage to the end of the step. The stage
/// is known at compile time: GCC would compute a product before a branch and then not contract it
/// with the addition. `Value`: a number or a pack of numbers.
template <int stage, class Real, class Value>
KOKKOS_INLINE_FUNCTION void finish_stage(Real dt, Value& x, Value& v, Value const& a,
                                         StageSums<Value> const& step) {
  constexpr Real weight = static_cast<Real>(stage_weight[stage]);
  if constexpr (stage == 0) {
    step.start_x = x;
    step.start_v = v;
    step.sum_x = weight * v;
    step.sum_v = weight * a;
  } else {
    step.sum_x += weight * v;
    step.sum_v += weight * a;
  }
  if constexpr (stage == stages - 1) {
    x = step.start_x + dt * step.sum_x;
    v = step.start_v + dt * step.sum_v;
  } else {
    x = step.start_x + dt * v;
    v = step.start_v + dt * a;
  }
}

/// Length of the drift after a stage, from the start of the step [time].
constexpr double drift_after(int stage, double dt) {
  return stage == stages - 1 ? dt : node[stage + 1] * dt;
}

/// Kernel that applies finish_stage() to each body.
template <class Real, int stage>
struct FinishStage {
  Real dt;
  Bodies<Real> bodies;
  PhaseColumns<Real> start, sum;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    for (int axis = 0; axis < 3; ++axis) {
      finish_stage<stage, Real, Real>(dt, bodies.position(i, axis), bodies.velocity(i, axis),
                                      bodies.acceleration(i, axis),
                                      {start.position(i, axis), start.velocity(i, axis),
                                       sum.position(i, axis), sum.velocity(i, axis)});
    }
  }
};

/// Calls function(stage) for each stage; the argument is a constant for the compiler.
template <class Function>
void for_each_stage(Function const& function) {
  [&]<int... stage>(std::integer_sequence<int, stage...>) {
    (function(std::integral_constant<int, stage>{}), ...);
  }
  (std::make_integer_sequence<int, stages>());
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
    for_each_stage([&](auto stage) {
      solver.evaluate(context, forces::accelerations_of(bodies));
      for_each_body(context.space, "apsis::integrators::rk4", bodies.size(),
                    FinishStage<Real, stage>{static_cast<Real>(drift_after(stage, dt)), bodies,
                                             start_, sum_});
      if constexpr (stage + 1 < stages) solver.pass_time((node[stage + 1] - node[stage]) * dt);
    });
  }

  std::uint64_t step_few(forces::FewBodySums<Real>& sums, Bodies<Real> const& bodies, double dt,
                         std::uint64_t steps, double largest_square) override {
    if constexpr (!bodies_on_host) return 0;
    FewBodies<Real> few(sums, bodies);
    FewPhase start{}, sum{};
    auto const step_count = few.repeat(steps, largest_square, [&] {
      for_each_stage([&](auto stage) {
        few.evaluate();
        finish_stage_of_few<stage>(few, start, sum, drift_after(stage, dt));
      });
    });
    few.store_in(bodies);
    return step_count;
  }

 private:
  struct FewPhase {
    forces::FewVectors<Real> position, velocity;
  };

  /// Applies finish_stage() to all bodies, in packs of lanes.
  template <int stage>
  static void finish_stage_of_few(FewBodies<Real>& few, FewPhase& start, FewPhase& sum, double dt) {
    for_each_pack<Real>(few.sums.rows(), [&](std::size_t row, int axis) {
      Real* const places[]{&few.motions.position(row, axis), &few.motions.velocity(row, axis),
                           &start.position(row, axis),       &start.velocity(row, axis),
                           &sum.position(row, axis),         &sum.velocity(row, axis)};
      FewPack<Real> values[6];
      for (int k = 0; k < 6; ++k) values[k] = pack_at(*places[k]);
      finish_stage<stage>(static_cast<Real>(dt), values[0], values[1],
                          pack_at(few.forces.acceleration(row, axis)),
                          {values[2], values[3], values[4], values[5]});
      for (int k = 0; k < 6; ++k) simd::store(places[k], values[k]);
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
  method.cite = {"Kutta1901"};
  return method;
}

}  // namespace apsis::integrators
