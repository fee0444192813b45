// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/criterion.hpp>
#include <apsis/integrators/criterion_entry.hpp>
#include <apsis/integrators/hermite_block.hpp>
#include <apsis/integrators/levels.hpp>
#include <apsis/integrators/stepper.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::integrators {

namespace {

/// Equal steps: one for each synchronised time, or a power of two of them once it was refined.
template <class Real>
class FixedStepper final : public Stepper<Real> {
 public:
  FixedStepper(IntegratorEntry const& entry, Values const& values)
      : method_(entry.make<Real>(values)) {}

  void start(ExecutionSpace const& space, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
             double /*time_step*/) override {
    method_->start(space, bodies, solver);
  }

  void advance(ExecutionSpace const& space, Bodies<Real> const& bodies,
               forces::Solver<Real>& solver, double time_step) override {
    double const dt = time_step / divisions_;
    for (int i = 0; i < divisions_; ++i) method_->step(space, bodies, solver, dt);
    this->steps_ += static_cast<std::uint64_t>(divisions_);
  }

  void refine() override { divisions_ *= 2; }

 private:
  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override {
    method_->prepare(space, bodies);
  }

  void do_exchange(ExecutionSpace const& space, SavedState& state) override {
    state.exchange("stepper/divisions", divisions_);
    method_->exchange(space, state);
  }

  std::unique_ptr<Integrator<Real>> method_;
  int divisions_ = 1;
};

/// One step for all bodies, chosen anew each time: the time between synchronised times, halved as
/// often as the criterion asks.
template <class Real>
class AdaptiveStepper final : public Stepper<Real> {
 public:
  AdaptiveStepper(IntegratorEntry const& entry, Values const& values, Values const& stepping)
      : method_(entry.make<Real>(values)),
        of_the_scheme_(criterion_named(stepping.text("criterion")).of_the_scheme),
        eta_(stepping.number("eta")) {}

  void start(ExecutionSpace const& space, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
             double time_step) override {
    if (!of_the_scheme_) solver.accelerate(space, bodies);
    method_->start(space, bodies, solver);
    longest_ = of_the_scheme_
                   ? method_->longest_first_step(space, bodies, solver, eta_, time_step)
                   : softened_acceleration_step(space, bodies, eta_, solver.gravity().softening);
    level_ = wanted(time_step);
  }

  void advance(ExecutionSpace const& space, Bodies<Real> const& bodies,
               forces::Solver<Real>& solver, double time_step) override {
    for (std::uint64_t now = 0; now < ticks;) {
      method_->step(space, bodies, solver, std::ldexp(time_step, -level_));
      now += ticks_of(level_);
      longest_ = of_the_scheme_
                     ? method_->longest_step(space, bodies, eta_)
                     : softened_acceleration_step(space, bodies, eta_, solver.gravity().softening);
      level_ = next_level(level_, wanted(time_step), now);
      ++this->steps_;
    }
  }

  void refine() override {
    eta_ *= 0.5;
    ++highest_;
  }

 private:
  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override {
    method_->prepare(space, bodies);
  }

  void do_exchange(ExecutionSpace const& space, SavedState& state) override {
    state.exchange("stepper/eta", eta_);
    state.exchange("stepper/highest", highest_);
    state.exchange("stepper/level", level_);
    method_->exchange(space, state);
  }

  int wanted(double time_step) const {
    int const level = level_of(longest_, time_step);
    expect_reachable(level, time_step);
    return std::max(level, highest_);
  }

  std::unique_ptr<Integrator<Real>> method_;
  bool of_the_scheme_;
  double eta_;
  int highest_ = 0;  ///< no level above this
  int level_ = 0;    ///< of the next step
  double longest_ = 0.0;
};

}  // namespace

template <class Real>
std::unique_ptr<Stepper<Real>> make_stepper(IntegratorEntry const& entry, Values const& values) {
  auto const mode = values.has("stepping") ? values.object("stepping").text("mode") : "fixed";
  if (mode == "adaptive") {
    return std::make_unique<AdaptiveStepper<Real>>(entry, values, values.object("stepping"));
  }
  if (mode == "block") {
    return std::make_unique<HermiteBlock<Real>>(values, values.object("stepping"));
  }
  return std::make_unique<FixedStepper<Real>>(entry, values);
}

template std::unique_ptr<Stepper<float>> make_stepper(IntegratorEntry const&, Values const&);
template std::unique_ptr<Stepper<double>> make_stepper(IntegratorEntry const&, Values const&);

}  // namespace apsis::integrators
