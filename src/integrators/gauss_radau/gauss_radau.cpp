// SPDX-License-Identifier: Apache-2.0
#include "integrators/gauss_radau/gauss_radau.hpp"

#include "integrators/entries.hpp"
#include "massless_bodies.hpp"
#include "step_control.hpp"
#include "tangent_step.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>
#include <apsis/integrators/stepper.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace apsis::integrators {

namespace {

using radau::Motion;

/// The bodies: those that make the steps, and massless bodies in their field.
struct Parts {
  std::unique_ptr<radau::System> system;
  std::unique_ptr<radau::MasslessBodies> massless;  ///< null if all are in the system

  void store(Motion const& motion, double fraction, double dt) const {
    system->store(motion, fraction, dt);
    if (massless) massless->store(motion, fraction, dt);
  }
};

/// Moves the massless bodies, passes the internal steps to the step watch and the tangent vector,
/// and reports progress.
template <class ReportProgress>
class WatchedSteps final : public radau::StepListener {
 public:
  WatchedSteps(Parts const& parts, Motion const& motion, double epsilon, StepWatch* watch,
               TangentFlow* tangent, std::uint64_t& steps, ReportProgress const& report)
      : parts_(parts),
        motion_(motion),
        epsilon_(epsilon),
        watch_(watch),
        tangent_(tangent),
        steps_(steps),
        report_(report),
        has_paths_(watch != nullptr && watch->request().paths()),
        single_(forces::BodyRows::all(motion.bodies.size())) {}

  void step_begins(double elapsed, double dt) override {
    double end = 1.0;
    std::vector<radau::SubStep> sub_steps;
    if (parts_.massless) {
      bool const keeps_steps = has_paths_ || tangent_ != nullptr;
      std::vector<double> paths;
      parts_.system->append_paths(motion_, dt, paths);
      end = parts_.massless->advance(motion_, paths, dt, epsilon_, keeps_steps);
      if (keeps_steps) sub_steps = parts_.massless->sub_steps(motion_.context);
    }
    if (has_paths_) watch_sub_steps(sub_steps, elapsed, dt);
    if (end < 1.0) {
      parts_.store(motion_, end, dt);
      has_vanished_ = true;
      throw Collision(std::numeric_limits<double>::epsilon() * std::abs(dt), elapsed + end * dt);
    }
    if (tangent_ != nullptr) advance_tangent(sub_steps, dt);
    if (watch_ == nullptr) return;
    for (int part = 1; part < parts_of_step(); ++part) {
      double const fraction = static_cast<double>(part) / parts_of_step();
      parts_.store(motion_, fraction, dt);
      watch_->observe_part(motion_.context, motion_.bodies, single_, elapsed + fraction * dt, dt,
                           parts_of_step());
    }
  }

  /// Whether steps of a massless body vanished; the bodies are set to where that happened.
  bool has_vanished() const { return has_vanished_; }

  void step_ended(double elapsed, double dt) override {
    ++steps_;
    if (parts_.massless) parts_.massless->accept();
    if (watch_ != nullptr) {
      parts_.store(motion_, 0.0, 0.0);
      watch_->observe_part(motion_.context, motion_.bodies, single_, elapsed, dt, parts_of_step());
    }
    report_(elapsed);
  }

  void step_repeats(double elapsed) override { report_(elapsed); }

 private:
  // Cubic paths between the ends of parts of a step follow its polynomial to 1e-8 of the step.
  static constexpr int parts_for_approaches = 8;
  int parts_of_step() const { return has_paths_ ? parts_for_approaches : 1; }

  /// Observes the steps of massless bodies that make several. The others, and the massive ones, are
  /// observed during the whole step.
  void watch_sub_steps(std::vector<radau::SubStep> const& sub_steps, double elapsed, double dt) {
    auto const& [context, bodies, solver] = motion_;
    auto const& space = context.space;
    single_ = forces::BodyRows::all(bodies.size());
    if (sub_steps.empty()) return;
    std::vector<bool> is_single(bodies.size(), true);
    for (auto const& step : sub_steps) {
      for (auto const row : step.rows) is_single[row] = false;
      auto const rows = listed(step.rows);
      parts_.store(motion_, step.begin, dt);
      watch_->restart_paths(space, bodies);
      for (int part = 1; part <= parts_for_approaches; ++part) {
        double const fraction = step.begin + part * (step.length / parts_for_approaches);
        parts_.store(motion_, fraction, dt);
        watch_->observe_part(context, bodies, rows, elapsed + fraction * dt, step.length * dt,
                             parts_for_approaches);
      }
    }
    parts_.store(motion_, 0.0, dt);
    watch_->restart_paths(space, bodies);
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < bodies.size(); ++row) {
      if (is_single[row]) rows.push_back(row);
    }
    single_ = listed(rows);
  }

  forces::BodyRows listed(std::vector<std::size_t> const& rows) const {
    auto const& space = motion_.context.space;
    auto const list = copy_to_device(space, rows, "apsis::integrators::gauss_radau::watched_rows");
    space.fence("apsis::integrators::gauss_radau: the rows on the host are freed");
    return forces::BodyRows::listed(list, rows.size());
  }

  /// The tangent vector makes the shortest steps of all bodies.
  void advance_tangent(std::vector<radau::SubStep> const& sub_steps, double dt) {
    for (double begin = 0.0; begin < 1.0;) {
      double length = 1.0;
      for (auto const& step : sub_steps) {
        bool const is_current = step.begin <= begin && begin < step.begin + step.length;
        if (is_current) length = std::min(length, step.length);
      }
      radau::advance_tangent(
          *tangent_, motion_.context.space, motion_.bodies, length * dt,
          [&](double fraction) { parts_.store(motion_, begin + fraction * length, dt); });
      begin += length;
    }
  }

  Parts const& parts_;
  Motion const& motion_;
  double epsilon_;
  StepWatch* watch_;
  TangentFlow* tangent_;
  std::uint64_t& steps_;
  ReportProgress const& report_;
  bool has_paths_, has_vanished_ = false;
  forces::BodyRows single_;  ///< bodies that make the whole step at once
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
    system_size_ = bodies.total;
    if (!judges_massless(solver)) {
      auto const massless = gather_values(context, std::vector{parts_.massless->size()});
      std::size_t const massive =
          std::accumulate(massless.begin(), massless.end(), bodies.total, std::minus<>());
      if (massive >= 2) system_size_ = massive;
    }
    make_parts(context.space, bodies);
    control_.wanted = control_.last = 0.0;
    Motion const motion{context, bodies, solver};
    parts_.system->start(motion);
    if (!parts_.massless) return;
    std::vector<double> paths;
    parts_.system->append_paths(motion, 0.0, paths);
    parts_.massless->start(motion, paths);
  }

  void advance(Context const& context, Bodies<double> const& bodies, forces::Solver<double>& solver,
               double time_step, Column<double> const* /*potential*/) override {
    Motion const motion{context, bodies, solver};
    auto const report = [&](double elapsed) { this->report_progress(elapsed / time_step); };
    WatchedSteps steps(parts_, motion, control_.epsilon, this->watch_, tangent_, this->steps_,
                       report);
    if (parts_.massless) parts_.massless->load(motion);
    control_.judges_massless = judges_massless(solver);
    try {
      parts_.system->advance(motion, time_step, control_, steps);
    } catch (Collision const&) {
      // The caller looks for the pair.
      if (!steps.has_vanished()) parts_.store(motion, 0.0, 0.0);
      throw;
    }
    if (parts_.massless) parts_.massless->store(motion, 0.0, 0.0);
  }

  void set_tangent(TangentFlow* tangent) override { tangent_ = tangent; }

  /// Halves the steps.
  void refine() override { control_.epsilon *= 0x1p-7; }

 private:
  void prepare(ExecutionSpace const& space, Bodies<double> const& bodies) override {
    parts_ = {};
    bodies_ = bodies;
    parts_.massless = std::make_unique<radau::MasslessBodies>(space, bodies);
  }

  /// Forces besides gravity on a massless body at a time of its own are evaluated on the host only.
  bool judges_massless(forces::Solver<double> const& solver) const {
    return control_.judges_massless || (!bodies_on_host && solver.extra_forces() != nullptr);
  }

  /// Makes the system of all bodies, or of the massive ones, by system_size_.
  void make_parts(ExecutionSpace const& space, Bodies<double> const& bodies) {
    bool const only_massive = system_size_ < bodies.total;
    if (!only_massive) parts_.massless.reset();
    if (system_size_ <= radau::most_few_bodies) {
      parts_.system = radau::make_few_bodies(system_size_, only_massive);
    } else if (system_size_ <= radau::most_packed_bodies) {
      parts_.system = radau::make_packed_bodies(system_size_, only_massive);
    } else {
      parts_.system = radau::make_many_bodies(space, bodies.size());
    }
  }

  void do_exchange(ExecutionSpace const& space, SavedState& state) override {
    state.exchange("stepper/epsilon", control_.epsilon);
    state.exchange("stepper/wanted", control_.wanted);
    state.exchange("stepper/last", control_.last);
    state.exchange("stepper/system_size", system_size_);
    if (state.restores()) make_parts(space, bodies_);
    parts_.system->exchange(space, state);
    if (parts_.massless) parts_.massless->exchange(space, state);
  }

  radau::StepControl control_;
  Parts parts_;
  Bodies<double> bodies_;          ///< of prepare()
  std::uint64_t system_size_ = 0;  ///< bodies that make the steps together, of all ranks
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
