// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/finite_watch.hpp>
#include <apsis/driver/energy_guard.hpp>
#include <apsis/driver/henon_units.hpp>
#include <apsis/driver/instant.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/forces/pair.hpp>
#include <apsis/integrators/stepper.hpp>

#include <chrono>
#include <cmath>

namespace apsis::driver {

namespace {

/// Refuses bodies that the run's precision cannot work with, before anything is written for them.
template <class Real>
void check_representable(HostBodies const& bodies, forces::Gravity const& gravity) {
  auto const precision = sizeof(Real) == sizeof(float) ? "single" : "double";
  auto const refuse = [&](std::size_t i, std::string const& problem, std::string const& why) {
    throw Error(ExitStatus::bad_input, Problem{"body " + std::to_string(i), problem,
                                               why + " in " + precision + " precision",
                                               "choose other units or precision"});
  };
  double const eps_cubed = std::pow(gravity.softening, 3);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double const m = bodies.mass[i];
    auto const x = bodies.position[i];
    auto const v = bodies.velocity[i];
    bool const vanishes = m != 0.0 && static_cast<Real>(m) == Real(0);
    bool const overflows = !std::isfinite(static_cast<Real>(m));
    if (vanishes || overflows) refuse(i, "mass " + shortest(m), "it is no number");
    for (double const coordinate : {x.x, x.y, x.z}) {
      bool const fits = std::abs(coordinate) <= forces::largest_length<Real>;
      if (!fits) refuse(i, "coordinate " + shortest(coordinate), "its square overflows");
    }
    for (double const component : {v.x, v.y, v.z}) {
      bool const fits = std::isfinite(static_cast<Real>(component));
      if (!fits) refuse(i, "velocity " + shortest(component), "it is no number");
    }
    bool const soft = gravity.softening == 0.0 || std::isfinite(static_cast<Real>(m / eps_cubed));
    if (!soft) refuse(i, "mass " + shortest(m), "mass / softening^3 overflows");
  }
}

}  // namespace

HostBodies make_bodies(ExecutionSpace const& space, Configuration const& run) {
  auto bodies = run.model->make(run.model_values, run.gravity.G);
  if (run.henon_units) {
    auto* const ratio = run.model->virial_ratio;
    scale_to_henon_units(space, bodies, run.gravity,
                         ratio != nullptr ? std::optional(ratio(run.model_values)) : std::nullopt);
  }
  // Mixed precision stores more, but a pair is evaluated in single.
  if (run.precision == Precision::double_precision) {
    check_representable<double>(bodies, run.gravity);
  } else {
    check_representable<float>(bodies, run.gravity);
  }
  return bodies;
}

namespace {

/// Steps that may pass before the host hears of a body that is not finite.
constexpr std::uint64_t steps_between_looks = 16;

template <class Real>
class Simulation {
  using Verdict = typename EnergyGuard<Real>::Verdict;

 public:
  Simulation(ExecutionSpace const& space, Configuration const& run, HostBodies const& start,
             io::LineFile& log, DiagnosticTables& tables, Progress& progress)
      : space_(space),
        run_(run),
        log_(log),
        tables_(tables),
        progress_(progress),
        bodies_(to_device<Real>(space, start)),
        potential_(Kokkos::view_alloc(space, "apsis::driver::potential"), start.size()),
        solver_(run.solver->make<Real>(run.precision, run.gravity, run.solver_values)),
        stepper_(integrators::make_stepper<Real>(*run.integrator, run.integrator_values)),
        watch_(space),
        stop_watch_(run.stop),
        guard_(space, run, start.size()) {}

  Outcome go() {
    look(0);
    if (running_) stepper_->start(space_, bodies_, *solver_, run_.time_step);
    while (running_) {
      stepper_->advance(space_, bodies_, *solver_, run_.time_step);
      look(outcome_.steps + 1);
      progress_.update(state());
    }
    tables_.write();
    outcome_.wall_seconds = wall_seconds();
    outcome_.interactions = solver_->interactions();
    outcome_.kernel = run_.integrator->derivatives > 0
                          ? forces::picked_motion_kernel(run_.precision, bodies_.size())
                          : solver_->kernel(bodies_.size());
    outcome_.integrator_steps = stepper_->steps();
    outcome_.retries = guard_.retries();
    progress_.finish(state());
    if (outcome_.exit == ExitStatus::conserved) judge();
    return outcome_;
  }

 private:
  /// Looks at the state after a step: is it sound, does it end the run, is it to be logged?
  void look(std::uint64_t step) {
    watch_.look(space_, bodies_, step);
    bool const last = step == run_.steps;
    auto stop = stop_watch_.look(space_, bodies_, wall_seconds());
    // A run that is done cannot be interrupted.
    if (last && (!stop || stop->interrupted())) stop = Stop{StopReason::end};
    bool const ends = stop.has_value();
    bool const output = ends || step % run_.conservation_steps == 0;
    bool const heard = output || tables_.due(step, ends) || step % steps_between_looks == 0;
    if (heard && !all_finite()) return;
    outcome_.steps = step;
    if (output && !record(step)) return;
    auto const verdict = output ? guard_.judge(space_, bodies_, logged()) : Verdict::go_on;
    // What comes after a bad state says nothing about the run, not even that it is at its end.
    if (verdict == Verdict::go_back) {
      go_back();
      return;
    }
    diagnose(step, output, ends || verdict == Verdict::stop);
    if (verdict == Verdict::stop) {
      end({StopReason::violation});
    } else if (stop) {
      end(*stop);
    }
  }

  /// Takes the run back to the last logged time that was good, and on from there in finer steps.
  void go_back() {
    auto const broken = broken_limits(run_, outcome_.conservation).front().problem;
    auto const from = now();
    auto const& good = guard_.go_back(space_, bodies_);
    tables_.forget();
    outcome_.steps = good.step;
    outcome_.conservation = good.conservation;
    log_.cut(good.log_bytes);
    stepper_->refine();
    stepper_->start(space_, bodies_, *solver_, run_.time_step);
    progress_.note("retry " + std::to_string(guard_.retries()) + " of " +
                   std::to_string(EnergyGuard<Real>::most_retries) + ": " + broken + " " + from +
                   "; goes on with half the step " + now());
  }

  void end(Stop stop) {
    outcome_.stop = std::move(stop);
    running_ = false;
  }

  /// Measures the conserved quantities and writes them down; false if they are not finite.
  bool record(std::uint64_t step) {
    solver_->potential(space_, bodies_, potential_);
    auto const measurement = diagnostics::measure(space_, bodies_, potential_);
    if (!measurement.finite()) {
      not_finite(diagnostics::first_not_finite(space_, bodies_, potential_), step,
                 "its energy or angular momentum");
      return false;
    }
    outcome_.conservation.add(measurement);
    log_.write(diagnostics::conservation_row(step, run_.time(step), measurement,
                                             outcome_.conservation.relative_energy_error(),
                                             wall_seconds()));
    return true;
  }

  /// Diagnostics wait for a conservation record, which says what they are worth.
  void diagnose(std::uint64_t step, bool recorded, bool last) {
    if (tables_.due(step, last)) {
      auto const now = make_instant<Real>(space_, bodies_, *solver_, potential_, recorded, step,
                                          run_.time(step));
      tables_.measure(*now, last);
    }
    if (recorded) tables_.write();
  }

  bool all_finite() {
    auto const finding = watch_.finding(space_);
    if (!finding) return true;
    not_finite(finding->index, finding->step, "its position or velocity");
    return false;
  }

  void not_finite(std::uint64_t index, std::uint64_t step, std::string const& what) {
    auto const host = to_host(space_, bodies_);
    auto const id = index < host.size() ? std::to_string(host.id[index]) : "?";
    outcome_.exit = ExitStatus::internal;
    outcome_.steps = step;
    end({StopReason::non_finite});
    outcome_.problems.push_back(
        {"body " + std::to_string(index) + " (id " + id + ")", "not finite " + now(),
         what + " is NaN or infinite in " + name_of(run_.precision) + " precision",
         "reduce integrator.time_step, or change gravity.softening or gravity.precision"});
  }

  /// Holds a run that ended by itself against the deck's limits.
  void judge() {
    outcome_.problems = broken_limits(run_, outcome_.conservation);
    if (!outcome_.problems.empty()) {
      outcome_.exit = ExitStatus::not_conserved;
    } else if (outcome_.stop.interrupted()) {
      outcome_.exit = ExitStatus::stopped;
      outcome_.problems.push_back(interruption(run_.stop, outcome_.stop.reason, now()));
    }
  }

  typename EnergyGuard<Real>::State logged() const {
    return {outcome_.steps, outcome_.conservation, log_.bytes()};
  }

  std::string now() const {
    return "after step " + std::to_string(outcome_.steps) + " at time " +
           shortest(run_.time(outcome_.steps));
  }

  ProgressState state() const {
    return {outcome_.steps,
            run_.steps,
            run_.time(outcome_.steps),
            outcome_.conservation.relative_energy_error(),
            solver_->interactions(),
            wall_seconds()};
  }

  double wall_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  ExecutionSpace space_;
  Configuration const& run_;
  io::LineFile& log_;
  DiagnosticTables& tables_;
  Progress& progress_;
  Bodies<Real> bodies_;
  Column<double> potential_;
  std::unique_ptr<forces::Solver<Real>> solver_;
  std::unique_ptr<integrators::Stepper<Real>> stepper_;
  diagnostics::FiniteWatch<Real> watch_;
  StopWatch<Real> stop_watch_;
  EnergyGuard<Real> guard_;
  bool running_ = true;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Outcome outcome_;
};

}  // namespace

Outcome simulate(ExecutionSpace const& space, Configuration const& run, HostBodies const& bodies,
                 io::LineFile& log, DiagnosticTables& tables, Progress& progress) {
  log.write(header_line(diagnostics::conservation_columns()));
  if (run.precision == Precision::single_precision) {
    return Simulation<float>(space, run, bodies, log, tables, progress).go();
  }
  return Simulation<double>(space, run, bodies, log, tables, progress).go();
}

}  // namespace apsis::driver
