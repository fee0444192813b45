// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/finite_watch.hpp>
#include <apsis/driver/henon_units.hpp>
#include <apsis/driver/simulation.hpp>

#include <chrono>
#include <cmath>

namespace apsis::driver {

HostBodies make_bodies(ExecutionSpace const& space, Configuration const& run) {
  auto bodies = run.model->make(run.model_values, run.gravity.G);
  if (run.henon_units) scale_to_henon_units(space, bodies, run.gravity.softening);
  return bodies;
}

namespace {

/// Steps that may pass before the host hears of a body that is not finite.
constexpr std::uint64_t steps_between_looks = 16;

template <class Real>
class Simulation {
 public:
  Simulation(ExecutionSpace const& space, Configuration const& run, HostBodies const& start,
             io::LineFile& log, Progress& progress)
      : space_(space),
        run_(run),
        log_(log),
        progress_(progress),
        bodies_(to_device<Real>(space, start)),
        potential_(Kokkos::view_alloc(space, "apsis::driver::potential"), start.size()),
        solver_(run.solver->make<Real>(run.gravity)),
        integrator_(run.integrator->make<Real>(run.integrator_values)),
        watch_(space) {}

  Outcome go() {
    watch_.look(space_, bodies_, 0);
    if (all_finite() && record(0)) {
      integrator_->start(space_, bodies_, *solver_);
      for (std::uint64_t step = 1; step <= run_.steps; ++step) {
        if (!advance(step)) break;
      }
    }
    outcome_.wall_seconds = wall_seconds();
    outcome_.interactions = solver_->interactions();
    progress_.finish(state());
    if (outcome_.exit == ExitStatus::conserved) judge();
    return outcome_;
  }

 private:
  bool advance(std::uint64_t step) {
    integrator_->step(space_, bodies_, *solver_, run_.time_step);
    watch_.look(space_, bodies_, step);
    bool const last = step == run_.steps;
    bool const output = last || step % run_.conservation_steps == 0;
    if (output || step % steps_between_looks == 0) {
      if (!all_finite()) return false;
    }
    outcome_.steps = step;
    if (output && !record(step)) return false;
    progress_.update(state());
    return true;
  }

  /// Measures the conserved quantities and writes them down; false if they are not finite.
  bool record(std::uint64_t step) {
    solver_->potential(space_, bodies_, potential_);
    auto const measurement = diagnostics::measure(space_, bodies_, potential_);
    if (!std::isfinite(measurement.total())) {
      not_finite(first_without_energy(), step, "its energy");
      return false;
    }
    outcome_.conservation.add(measurement);
    log_.write(diagnostics::conservation_row(step, run_.time(step), measurement,
                                             outcome_.conservation.relative_energy_error(),
                                             wall_seconds()));
    return true;
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
    outcome_.problems.push_back(
        {"body " + std::to_string(index) + " (id " + id + ")",
         "not finite after step " + std::to_string(step) + " at time " + shortest(run_.time(step)),
         what + " is NaN or infinite in " + name_of(run_.precision) + " precision",
         "reduce integrator.time_step, set gravity.softening or use double precision"});
  }

  /// The first body whose energy is not finite, seen from the host.
  std::uint64_t first_without_energy() {
    auto const host = to_host(space_, bodies_);
    auto const potential = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential_);
    for (std::size_t i = 0; i < host.size(); ++i) {
      double const energy =
          host.mass[i] * (0.5 * dot(host.velocity[i], host.velocity[i]) + potential(i));
      if (!std::isfinite(energy)) return i;
    }
    return 0;
  }

  /// Holds the run against the deck's limits.
  void judge() {
    auto const check = [&](std::string const& what, double error, std::optional<double> limit,
                           std::string const& key) {
      if (!limit || error <= *limit) return;
      outcome_.exit = ExitStatus::not_conserved;
      outcome_.problems.push_back(
          {"conservation." + key,
           what + " " + shortest(error) + " exceeds the limit " + shortest(*limit),
           "largest of the run", "reduce integrator.time_step or raise the limit"});
    };
    auto const& conservation = outcome_.conservation;
    check("relative energy error", conservation.max_relative_energy_error(),
          run_.max_relative_energy_error, "max_relative_energy_error");
    check("momentum error", conservation.max_momentum_error(), run_.max_momentum_error,
          "max_momentum_error");
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
  Progress& progress_;
  Bodies<Real> bodies_;
  Column<double> potential_;
  std::unique_ptr<forces::Solver<Real>> solver_;
  std::unique_ptr<integrators::Integrator<Real>> integrator_;
  diagnostics::FiniteWatch<Real> watch_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Outcome outcome_;
};

}  // namespace

Outcome simulate(ExecutionSpace const& space, Configuration const& run, HostBodies const& bodies,
                 io::LineFile& log, Progress& progress) {
  log.write(diagnostics::conservation_columns());
  if (run.precision == Precision::single_precision) {
    return Simulation<float>(space, run, bodies, log, progress).go();
  }
  return Simulation<double>(space, run, bodies, log, progress).go();
}

}  // namespace apsis::driver
