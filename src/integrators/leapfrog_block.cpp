// SPDX-License-Identifier: Apache-2.0
#include "leapfrog_block.hpp"

#include "block_levels.hpp"
#include <apsis/integrators/criterion.hpp>
#include <apsis/integrators/kick_drift.hpp>

namespace apsis::integrators {

namespace {

/// From accelerations in rows of a list, or of the bodies.
template <class Real>
struct LongestSoftenedStep {
  VectorColumns<Real> acceleration;
  double eta, softening;

  KOKKOS_FUNCTION double operator()(std::size_t row, std::size_t /*i*/) const {
    return softened_acceleration_step(acceleration_squared(acceleration, row), eta, softening);
  }
};

/// Leapfrog (kick, drift, kick) with a step of its own for each body, in blocks of powers of two
/// (Hernquist & Katz 1989, ApJS 70, 419; Springel 2005, MNRAS 364, 1105, section 5.1): all bodies
/// drift to the next time that somebody is due, who then are evaluated, and kicked to the end of
/// their steps and into the middle of their next ones. A body's steps are those of the leapfrog
/// as long as its level stays.
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
               double time_step, Column<double> const& potential) override {
    auto const& space = context.space;
    double const tick = time_step / static_cast<double>(ticks);
    half_kick(space, bodies, {}, bodies.size(), tick);
    for (std::uint64_t now = 0; now < ticks;) {
      auto const next = levels_.next_due(now);
      drift(space, bodies, static_cast<double>(next - now) * tick, remainders_);
      now = next;
      std::size_t const due = levels_.list_due(space, now);
      auto const listed = levels_.listed(due);
      // In rows of the list: nobody asks for the others' before all are due again.
      solver.evaluate(context, now == ticks ? forces::accelerations_of(bodies, potential)
                                            : forces::field_at(bodies, listed, due,
                                                               {bodies.acceleration, {}, {}, {}}));
      // Between its kicks a body moves on a straight line.
      if (this->watch_ != nullptr) {
        this->watch_->look(context, {bodies.position, bodies.velocity},
                           levels_.moved(listed, due, time_step), static_cast<double>(now) * tick);
      }
      half_kick(space, bodies, listed, due, tick);
      levels_.choose(context, due, now, time_step, longest(bodies, solver));
      if (now < ticks) half_kick(space, bodies, listed, due, tick);
      ++this->steps_;
      this->pass(static_cast<double>(now) / static_cast<double>(ticks));
    }
  }

  void refine() override {
    eta_ *= 0.5;
    levels_.refine();
  }
  bool finds_potential() const override { return true; }

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
                 forces::BodyList const& listed, std::size_t count, double tick) const {
    kick_listed(space, bodies, listed, count, HalfSteps{levels_.levels(), 0.5 * tick}, remainders_);
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
