// SPDX-License-Identifier: Apache-2.0
#include "block_levels.hpp"
#include "hermite.hpp"
#include <apsis/core/backend.hpp>

namespace apsis::integrators {

namespace {

/// Longest first step of a body [time].
template <class Real>
struct LongestFirstStep {
  LongestStep<Real, 4> longest;
  double quiet;  ///< of bodies in equilibrium [time]

  KOKKOS_FUNCTION double operator()(std::size_t /*row*/, std::size_t i) const {
    return longest(i, quiet);
  }
};

/// Longest next step [time] of a body that is due; also sets the body's own time to `now`. A body
/// in equilibrium keeps its step.
template <class Real>
struct LongestNextStep {
  LongestStep<Real, 4> longest;
  MovedBodies moved;
  Kokkos::View<std::uint64_t*, MemorySpace> time;
  std::uint64_t now;

  KOKKOS_FUNCTION double operator()(std::size_t /*row*/, std::size_t i) const {
    time(i) = now;
    return longest(i, Kokkos::abs(moved.step_of(i)));
  }
};

/// Sets the paths of all bodies up to `now`. For a due body: the cubic through both ends of its
/// step. For all other bodies: the prediction, which is a cubic as well.
template <class Real>
void set_paths(ExecutionSpace const& space, HermiteColumns<Real, 4> const& columns,
               IndividualStep<Real> const& step, Kokkos::View<int*, MemorySpace> const& level,
               PathColumns const& paths) {
  for_each(
      space, "apsis::integrators::hermite_block::paths", level.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        bool const due = step.now % ticks_of(level(i)) == 0;
        double const h = static_cast<double>(step.now - step.time(i)) * step.tick;
        auto const& end = due ? columns.bodies : columns.predicted;
        for (int axis = 0; axis < 3; ++axis) {
          if (due) {
            paths.set_hermite(i, axis, end.position(i, axis), end.velocity(i, axis), h);
            continue;
          }
          double const a = columns.now.acceleration(i, axis), jerk = columns.now.jerk(i, axis);
          paths.position(i, axis) = end.position(i, axis);
          paths.velocity(i, axis) = end.velocity(i, axis);
          paths.quadratic(i, axis) = 0.5 * (a + h * jerk);
          paths.cubic(i, axis) = jerk / 6.0;
        }
      });
}

/// Hermite scheme of order 4 with individual time steps in blocks of powers of two (Makino 1991,
/// PASJ 43, 859). At each block step all bodies are predicted to the new time; the field of the
/// predicted bodies is evaluated for the due bodies only, which then are corrected. All bodies are
/// due at synchronised times.
template <class Real>
class HermiteBlock final : public Stepper<Real> {
 public:
  HermiteBlock(HermiteOptions const& method, BlockSteps const& steps)
      : method_(method), options_(method), eta_(steps.eta) {}

  void start(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
             double time_step) override {
    method_.start(context, bodies, solver);
    allocate(context, bodies.size());
    double const shortest = method_.longest_first_step(context, bodies, solver, eta_, time_step);
    levels_.assign(context, time_step,
                   LongestFirstStep<Real>{longest(context, bodies, solver), shortest});
  }

  void advance(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
               double time_step, Column<double> const* /*potential*/) override {
    auto const& space = context.space;
    auto const next_step = longest(context, bodies, solver);
    Kokkos::deep_copy(space, time_, std::uint64_t{0});
    auto const& columns = method_.columns();
    double const tick = time_step / static_cast<double>(ticks);
    for (std::uint64_t now = 0; now < ticks;) {
      now = levels_.next_due(now);
      auto const due = levels_.list_due(space, now);
      IndividualStep<Real> const step{time_, now, tick};
      predict(space, columns, step);
      for (int n = 1; n <= options_.corrections; ++n) {
        bool const last = n == options_.corrections;
        evaluate_predicted(context, columns, due, solver, last);
        correct(space, columns, due, step, last);
      }
      if (auto* const watch = this->watch_) {
        set_paths(space, columns, step, levels_.levels(), watch->columns(space));
        watch->observe_paths(context, levels_.moved(due, time_step),
                             static_cast<double>(now) * tick);
      }
      levels_.choose(context, due, now, time_step,
                     LongestNextStep<Real>{next_step, levels_.moved(due, time_step), time_, now});
      ++this->steps_;
      this->report_progress(static_cast<double>(now) / static_cast<double>(ticks));
    }
  }

  void refine() override {
    eta_ *= 0.5;
    levels_.refine();
  }

 private:
  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override {
    method_.prepare(space, bodies);
    allocate(space, bodies.size());
  }

  void do_exchange(ExecutionSpace const& space, SavedState& state) override {
    state.exchange("stepper/eta", eta_);
    levels_.exchange(space, state);
    method_.exchange(space, state);
  }

  /// The criterion, with the test for equilibria at the present synchronised time.
  LongestStep<Real, 4> longest(Context const& context, Bodies<Real> const& bodies,
                               forces::Solver<Real> const& solver) const {
    return {method_.columns(), eta_,
            find_cancellation(context, ReadBodies(bodies), solver.gravity(), cancelled_part<Real>)};
  }

  void allocate(ExecutionSpace const& space, std::size_t count) {
    levels_.allocate(space, count);
    time_ = Kokkos::View<std::uint64_t*, MemorySpace>(
        Kokkos::view_alloc(space, "apsis::integrators::hermite_block::time"), count);
  }

  Hermite<Real, 4> method_;  ///< owns the columns and takes the trial steps
  HermiteOptions options_;
  double eta_;
  BlockLevels levels_{"apsis::integrators::hermite_block"};
  Kokkos::View<std::uint64_t*, MemorySpace> time_;  ///< time of each body in an advance [ticks]
};

}  // namespace

template <class Real>
std::unique_ptr<Stepper<Real>> make_hermite_block(HermiteOptions const& method,
                                                  BlockSteps const& steps) {
  return std::make_unique<HermiteBlock<Real>>(method, steps);
}

template std::unique_ptr<Stepper<float>> make_hermite_block(HermiteOptions const&,
                                                            BlockSteps const&);
template std::unique_ptr<Stepper<double>> make_hermite_block(HermiteOptions const&,
                                                             BlockSteps const&);

}  // namespace apsis::integrators
