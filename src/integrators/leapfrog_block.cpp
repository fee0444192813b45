// SPDX-License-Identifier: Apache-2.0
#include "block_levels.hpp"
#include "criterion.hpp"
#include "entries.hpp"
#include "kick_drift.hpp"

namespace apsis::integrators {

namespace {

/// Longest step of a body [time] by softened_acceleration_step(). Row `row` of the accelerations
/// belongs to the body: its row in the list of due bodies, or its index if all bodies are due.
template <class Real>
struct LongestSoftenedStep {
  VectorColumns<Real> acceleration;
  double eta, softening;

  KOKKOS_FUNCTION double operator()(std::size_t row, std::size_t /*i*/) const {
    return softened_acceleration_step(acceleration_squared(acceleration, row), eta, softening);
  }
};

/// Leapfrog (kick, drift, kick) with individual steps in blocks of powers of two (Hernquist & Katz
/// 1989, ApJS 70, 419; Springel 2005, MNRAS 364, 1105, section 5.1). All bodies drift to the next
/// time at which bodies are due. The due bodies are evaluated, kicked by half of the step that ends
/// and, after they have chosen a new level, by half of the step that begins. While its level does
/// not change, a body makes leapfrog steps.
template <class Real>
class LeapfrogBlock final : public Stepper<Real> {
 public:
  LeapfrogBlock(bool compensated, BlockSteps const& steps)
      : compensated_(compensated), eta_(steps.eta) {}

  void start(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
             double time_step) override {
    prepare(context, bodies);
    solver.evaluate(context, forces::accelerations_of(bodies));
    levels_.assign(context, time_step, longest(bodies, solver));
  }

  void advance(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
               double time_step, Column<double> const* potential) override {
    auto const& space = context.space;
    double const tick = time_step / static_cast<double>(ticks);
    half_kick(space, bodies, forces::BodyRows::all(bodies.size()), tick);
    for (std::uint64_t now = 0; now < ticks;) {
      auto const next = levels_.next_due(now);
      double const dt = static_cast<double>(next - now) * tick;
      drift(space, bodies, dt, remainders_);
      solver.pass_time(dt);
      now = next;
      auto const due = levels_.list_due(space, now);
      // The accelerations of the due bodies are stored in rows of the list. This overwrites rows of
      // other bodies, which are not read before they are evaluated again.
      solver.evaluate(
          context, now == ticks
                       ? forces::accelerations_of(bodies, potential)
                       : forces::field_at(bodies, due,
                                          forces::Field<Real>::accelerations(bodies.acceleration)));
      // A body moves on a straight line between its kicks.
      if (this->watch_ != nullptr) {
        this->watch_->observe_straight(context, bodies, levels_.moved(due, time_step),
                                       static_cast<double>(now) * tick);
      }
      half_kick(space, bodies, due, tick);
      levels_.choose(context, due, now, time_step, longest(bodies, solver));
      if (now < ticks) half_kick(space, bodies, due, tick);
      ++this->steps_;
      this->report_progress(static_cast<double>(now) / static_cast<double>(ticks));
    }
  }

  void refine() override {
    eta_ *= 0.5;
    levels_.refine();
  }
  bool provides_potential() const override { return true; }

 private:
  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override {
    levels_.allocate(space, bodies.size());
    remainders_ = {};
    if (compensated_) {
      remainders_ = Remainders<Real>::zero(space, bodies.size());
    }
  }

  void do_exchange(ExecutionSpace const& space, SavedState& state) override {
    state.exchange("stepper/eta", eta_);
    levels_.exchange(space, state);
    remainders_.exchange(space, state);
  }

  LongestSoftenedStep<Real> longest(Bodies<Real> const& bodies,
                                    forces::Solver<Real> const& solver) const {
    return {bodies.acceleration, eta_, solver.gravity().softening};
  }

  void half_kick(ExecutionSpace const& space, Bodies<Real> const& bodies,
                 forces::BodyRows const& due, double tick) const {
    kick_rows(space, bodies, due, HalfSteps{levels_.levels(), 0.5 * tick}, remainders_);
  }

  bool compensated_;
  double eta_;
  BlockLevels levels_{"apsis::integrators::leapfrog_block"};
  Remainders<Real> remainders_;
};

}  // namespace

template <class Real>
std::unique_ptr<Stepper<Real>> make_leapfrog_block(bool compensated, BlockSteps const& steps) {
  return std::make_unique<LeapfrogBlock<Real>>(compensated, steps);
}

template std::unique_ptr<Stepper<float>> make_leapfrog_block(bool, BlockSteps const&);
template std::unique_ptr<Stepper<double>> make_leapfrog_block(bool, BlockSteps const&);

}  // namespace apsis::integrators
