// SPDX-License-Identifier: Apache-2.0
#include "apsis/integrators/stepper.hpp"

#include "criterion.hpp"
#include <apsis/core/reductions.hpp>
#include <apsis/integrators/levels.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace apsis::integrators {

namespace {

/// Makes single steps of a scheme: by step_few() where the scheme and the solver can, otherwise by
/// step().
template <class Real>
class FewSteps {
 public:
  /// The arguments must outlive this object.
  FewSteps(Integrator<Real>& method, Context const& context, Bodies<Real> const& bodies,
           forces::Solver<Real>& solver)
      : method_(method), context_(context), bodies_(bodies), solver_(solver) {
    if (!method.has_tangent()) sums_ = solver.few_body_sums(context, bodies);
  }
  void step(double dt, Column<double> const* potential) {
    constexpr double no_bound = std::numeric_limits<double>::infinity();
    if (sums_ && potential == nullptr) {
      double const before = sums_->interactions();
      if (method_.step_few(*sums_, bodies_, dt, 1, no_bound) == 1) {
        return solver_.count(sums_->interactions() - before);
      }
      sums_.reset();
    }
    method_.step(context_, bodies_, solver_, dt, potential);
  }

 private:
  Integrator<Real>& method_;
  Context const& context_;
  Bodies<Real> const& bodies_;
  forces::Solver<Real>& solver_;
  std::optional<forces::FewBodySums<Real>> sums_;
};

/// Equal steps: `substeps` of them per advance, 2^n times as many after n calls of refine().
template <class Real>
class FixedStepper final : public Stepper<Real> {
 public:
  FixedStepper(std::unique_ptr<Integrator<Real>> method, int substeps)
      : method_(std::move(method)), divisions_(substeps) {}

  void start(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
             double /*time_step*/) override {
    method_->start(context, bodies, solver);
  }

  void advance(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
               double time_step, Column<double> const* potential) override {
    double const dt = time_step / divisions_;
    auto* const watch = this->watch_;
    if (watch != nullptr && watch->is_fresh()) watch->observe_start(context, bodies, dt);
    FewSteps<Real> few(*method_, context, bodies, solver);
    for (int i = 1; i <= divisions_; ++i) {
      if (watch != nullptr && method_->step_in_parts(context, bodies, solver, dt, *watch, i * dt)) {
        continue;
      }
      few.step(dt, i == divisions_ ? potential : nullptr);
      if (watch != nullptr || i == divisions_) method_->synchronise(context, bodies);
      if (watch != nullptr) watch->observe(context, bodies, i * dt, dt, true);
      if (i < divisions_) this->report_progress(static_cast<double>(i) / divisions_);
    }
    this->steps_ += static_cast<std::uint64_t>(divisions_);
    this->report_progress(1.0);
  }

  std::uint64_t advance_few(Context const& context, Bodies<Real> const& bodies,
                            forces::Solver<Real>& solver, double time_step, std::uint64_t advances,
                            double largest_square) override {
    // So many steps in one call could not be interrupted.
    constexpr int most_divisions = 10000;
    if (this->watch_ != nullptr || divisions_ > most_divisions) return 0;
    auto sums = solver.few_body_sums(context, bodies);
    if (!sums) return 0;
    auto const divisions = static_cast<std::uint64_t>(divisions_);
    auto const step = [&](std::uint64_t steps) {
      return method_->step_few(*sums, bodies, time_step / divisions_, steps, largest_square);
    };
    auto step_count = step(advances * divisions);
    // An advance is completed even if one of its steps ends in a bad state.
    auto const missing_steps = divisions - 1 - (step_count + divisions - 1) % divisions;
    for (std::uint64_t i = 0; i < missing_steps; ++i) step_count += step(1);
    if (step_count == 0) return 0;
    solver.count(sums->interactions());
    method_->synchronise(context, bodies);
    this->steps_ += step_count;
    this->report_progress(1.0);
    return step_count / divisions;
  }

  std::optional<UnresolvedPassage> unresolved_passage(Context const& context) const override {
    return method_->unresolved_passage(context);
  }
  void set_tangent(TangentFlow* tangent) override { method_->set_tangent(tangent); }
  void refine() override { divisions_ *= 2; }
  bool provides_potential() const override { return method_->provides_potential(); }

 private:
  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override {
    method_->prepare(space, bodies);
  }

  void do_exchange(ExecutionSpace const& space, SavedState& state) override {
    state.exchange("stepper/divisions", divisions_);
    method_->exchange(space, state);
  }

  std::unique_ptr<Integrator<Real>> method_;
  int divisions_;
};

/// One step for all bodies, chosen again after each step: the time between synchronised times,
/// halved until the criterion allows it.
template <class Real>
class AdaptiveStepper final : public Stepper<Real> {
 public:
  AdaptiveStepper(std::unique_ptr<Integrator<Real>> method, AdaptiveSteps const& steps)
      : method_(std::move(method)),
        uses_scheme_criterion_(steps.use_scheme_criterion),
        eta_(steps.eta) {}

  void start(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
             double time_step) override {
    if (!uses_scheme_criterion_) solver.evaluate(context, forces::accelerations_of(bodies));
    method_->start(context, bodies, solver);
    longest_ = uses_scheme_criterion_
                   ? method_->longest_first_step(context, bodies, solver, eta_, time_step)
                   : softened_acceleration_step(context, bodies, eta_, solver.gravity().softening);
    level_ = required_level(time_step, 0.0);
  }

  void advance(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
               double time_step, Column<double> const* potential) override {
    double const tick = time_step / static_cast<double>(ticks);
    FewSteps<Real> few(*method_, context, bodies, solver);
    for (std::uint64_t now = 0; now < ticks;) {
      auto const next = now + ticks_of(level_);
      double const dt = std::ldexp(time_step, -level_);
      few.step(dt, next == ticks ? potential : nullptr);
      now = next;
      if (this->watch_ != nullptr) {
        this->watch_->observe(context, bodies, static_cast<double>(now) * tick, dt, false);
      }
      longest_ =
          uses_scheme_criterion_
              ? method_->longest_step(context, bodies, solver.gravity(), eta_, dt)
              : softened_acceleration_step(context, bodies, eta_, solver.gravity().softening);
      level_ = next_level(level_, required_level(time_step, static_cast<double>(now) * tick), now);
      ++this->steps_;
      this->report_progress(std::ldexp(static_cast<double>(now), -deepest_level));
    }
  }

  void set_tangent(TangentFlow* tangent) override { method_->set_tangent(tangent); }
  void refine() override {
    eta_ *= 0.5;
    ++highest_;
  }
  bool provides_potential() const override { return method_->provides_potential(); }

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

  int required_level(double time_step, double elapsed) const {
    int const level = level_of(longest_, time_step);
    expect_reachable(level, time_step, elapsed);
    return std::max(level, highest_);
  }

  std::unique_ptr<Integrator<Real>> method_;
  bool uses_scheme_criterion_;
  double eta_;
  int highest_ = 0;       ///< level of the longest allowed step
  int level_ = 0;         ///< level of the next step
  double longest_ = 0.0;  ///< longest step that the criterion allows [time]
};

}  // namespace

template <class Real>
std::unique_ptr<Stepper<Real>> make_stepper(IntegratorEntry const& entry, Values const& values) {
  auto const stepping = stepping_of(entry, values);
  if (auto const* block = std::get_if<BlockSteps>(&stepping)) {
    return entry.make_block<Real>(values, *block);
  }
  if (auto const* adaptive = std::get_if<AdaptiveSteps>(&stepping)) {
    return std::make_unique<AdaptiveStepper<Real>>(entry.make<Real>(values), *adaptive);
  }
  if (auto const* own_steps = std::get_if<OwnSteps>(&stepping)) {
    if constexpr (std::is_same_v<Real, double>) {
      return entry.make_own(*own_steps);
    } else {
      APSIS_EXPECT(false, entry.name + " is for double precision");
    }
  }
  return std::make_unique<FixedStepper<Real>>(entry.make<Real>(values), substeps_of(values));
}

template std::unique_ptr<Stepper<float>> make_stepper(IntegratorEntry const&, Values const&);
template std::unique_ptr<Stepper<double>> make_stepper(IntegratorEntry const&, Values const&);

template <class Real>
double softened_acceleration_step(Context const& context, Bodies<Real> const& bodies, double eta,
                                  double softening) {
  auto const acceleration = bodies.acceleration;
  double const largest_squared = largest<double>(
      context, "apsis::integrators::softened_acceleration_step", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) { return acceleration_squared(acceleration, i); });
  return softened_acceleration_step(largest_squared, eta, softening);
}

template double softened_acceleration_step(Context const&, Bodies<float> const&, double, double);
template double softened_acceleration_step(Context const&, Bodies<double> const&, double, double);

}  // namespace apsis::integrators
