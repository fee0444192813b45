// SPDX-License-Identifier: Apache-2.0
#include "integrators/gauss_radau/gauss_radau.hpp"

#include "integrators/entries.hpp"
#include "step_control.hpp"
#include "tangent_step.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/integrators/stepper.hpp>

namespace apsis::integrators {

namespace {

using radau::Motion;

/// Passes the internal steps to the step watch and the tangent vector, and reports progress.
template <class ReportProgress>
class WatchedSteps final : public radau::StepListener {
 public:
  WatchedSteps(radau::System& system, Motion const& motion, StepWatch* watch, TangentFlow* tangent,
               std::uint64_t& steps, ReportProgress const& report)
      : system_(system),
        motion_(motion),
        watch_(watch),
        tangent_(tangent),
        steps_(steps),
        report_(report) {
    // Cubic paths between the ends of parts of a step follow its polynomial to 1e-8 of the step.
    constexpr int parts_for_approaches = 8;
    if (watch != nullptr && watch->request().paths()) parts_ = parts_for_approaches;
  }

  void step_begins(double elapsed, double dt) override {
    if (tangent_ != nullptr) {
      radau::advance_tangent(*tangent_, motion_.context.space, motion_.bodies, dt,
                             [&](double fraction) { system_.store(motion_, fraction, dt); });
    }
    if (watch_ == nullptr) return;
    for (int part = 1; part < parts_; ++part) {
      double const fraction = static_cast<double>(part) / parts_;
      system_.store(motion_, fraction, dt);
      watch_->observe_part(motion_.context, motion_.bodies, elapsed + fraction * dt, dt, parts_);
    }
  }

  void step_ended(double elapsed, double dt) override {
    ++steps_;
    if (watch_ != nullptr) {
      system_.store(motion_, 0.0, 0.0);
      watch_->observe_part(motion_.context, motion_.bodies, elapsed, dt, parts_);
    }
    report_(elapsed);
  }

  void step_repeats(double elapsed) override { report_(elapsed); }

 private:
  radau::System& system_;
  Motion const& motion_;
  StepWatch* watch_;
  TangentFlow* tangent_;
  std::uint64_t& steps_;
  ReportProgress const& report_;
  int parts_ = 1;
};

/// Stepper of gauss_radau15, which chooses its steps itself.
class GaussRadau final : public Stepper<double> {
 public:
  explicit GaussRadau(OwnSteps const& steps) {
    control_.epsilon = steps.epsilon;
    control_.judges_massless = steps.judges_massless;
    if (steps.longest) control_.longest = *steps.longest;
  }

  void start(Context const& context, Bodies<double> const& bodies, forces::Solver<double>& solver,
             double /*time_step*/) override {
    prepare(context, bodies);
    control_.wanted = control_.last = 0.0;
    system_->start({context, bodies, solver});
  }

  void advance(Context const& context, Bodies<double> const& bodies, forces::Solver<double>& solver,
               double time_step, Column<double> const* /*potential*/) override {
    Motion const motion{context, bodies, solver};
    auto const report = [&](double elapsed) { this->report_progress(elapsed / time_step); };
    WatchedSteps steps(*system_, motion, this->watch_, tangent_, this->steps_, report);
    try {
      system_->advance(motion, time_step, control_, steps);
    } catch (Collision const&) {
      system_->store(motion, 0.0, 0.0);  // the caller looks for the pair
      throw;
    }
  }

  void set_tangent(TangentFlow* tangent) override { tangent_ = tangent; }

  /// Halves the steps.
  void refine() override { control_.epsilon *= 0x1p-7; }

 private:
  void prepare(ExecutionSpace const& space, Bodies<double> const& bodies) override {
    system_.reset();
    bool const is_few = bodies.total <= radau::most_few_bodies;
    system_ = is_few ? radau::make_few_bodies(bodies.total)
                     : radau::make_many_bodies(space, bodies.size());
  }

  void do_exchange(ExecutionSpace const& space, SavedState& state) override {
    state.exchange("stepper/epsilon", control_.epsilon);
    state.exchange("stepper/wanted", control_.wanted);
    state.exchange("stepper/last", control_.last);
    system_->exchange(space, state);
  }

  radau::StepControl control_;
  std::unique_ptr<radau::System> system_;
  TangentFlow* tangent_ = nullptr;
};

}  // namespace

IntegratorEntry gauss_radau15_entry() {
  IntegratorEntry method{
      "gauss_radau15",
      "Gauss-Radau scheme of order 15 that chooses its steps, as IAS15: few bodies, planets, close "
      "encounters",
      15,
      {},
      {},
      {},
      false,
      false,
      6 + 5 * radau::terms};
  method.needs_exact_forces = true;
  method.has_tangent_flow = true;
  method.extra_forces.velocities = true;
  method.make_own = [](OwnSteps const& steps) { return std::make_unique<GaussRadau>(steps); };
  method.cite = {"Everhart1985", "ReinSpiegel2015", "Pham2024"};
  return method;
}

}  // namespace apsis::integrators
