// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/digest.hpp>
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/finite_watch.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/driver/checkpoints.hpp>
#include <apsis/driver/energy_guard.hpp>
#include <apsis/driver/henon_units.hpp>
#include <apsis/driver/instant.hpp>
#include <apsis/driver/signals.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/driver/snapshots.hpp>
#include <apsis/driver/stop_watch.hpp>
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
  auto bodies = run.file ? run.file->bodies : run.model->make(run.model_values, run.gravity.G);
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
  using Rows = DiagnosticTables::Rows;

 public:
  /// A new run.
  Simulation(ExecutionSpace const& space, Configuration const& run, HostBodies const& start,
             RunOutput& output, Progress& progress)
      : Simulation(space, run, output, progress, to_device<Real>(space, start)) {
    record_.made_by = this_executable();
    record_.bodies = identity();
  }

  /// A run that goes on.
  Simulation(ExecutionSpace const& space, Configuration const& run, Resumption& from,
             RunOutput& output, Progress& progress)
      : Simulation(space, run, output, progress,
                   allocate_bodies<Real>(space, from.record.bodies.count)) {
    record_ = from.record;
    outcome_.steps = record_.step;
    outcome_.resumed = record_.step;
    exchange(from.state);
    from.state.finish();
    expect_own_bodies();
    record_.made_by = this_executable();
    before_ = record_.wall_seconds;
    snapshots_.count_from(record_.snapshots);
    checkpoints_.begin_with(record_.step, from.generation);
  }

  Outcome go() {
    if (outcome_.resumed) {
      // All that was due at this step was done before the checkpoint, but for the end of the run.
      conclude(outcome_.steps, ending(outcome_.steps), is_scheduled(outcome_.steps));
    } else {
      look(0);
    }
    if (running_ && !started_) {
      stepper_->start(space_, bodies_, *solver_, run_.time_step);
      started_ = true;
    }
    while (running_) {
      std::uint64_t const next = outcome_.steps + 1;
      // What will be logged after the step comes along with its last forces where that is exact.
      bool const both = is_scheduled(next) && stepper_->finds_potential() &&
                        solver_->has_exact_potential(bodies_.total);
      stepper_->advance(space_, bodies_, *solver_, run_.time_step,
                        both ? potential_ : Column<double>());
      if (both) potential_of_ = next;
      look(next);
      progress_.update(state());
    }
    output_.tables.write();
    snapshots_.settle();
    outcome_.wall_seconds = wall_seconds();
    outcome_.interactions = solver_->interactions();
    outcome_.kernel = solver_->describe(bodies_.total, run_.integrator->derivatives);
    outcome_.integrator_steps = stepper_->steps();
    outcome_.retries = guard_.retries();
    outcome_.checkpoint = checkpoints_.last_step();
    progress_.finish(state());
    if (outcome_.exit == ExitStatus::conserved) judge();
    return outcome_;
  }

 private:
  Simulation(ExecutionSpace const& space, Configuration const& run, RunOutput& output,
             Progress& progress, Bodies<Real> bodies)
      : space_(space),
        run_(run),
        output_(output),
        progress_(progress),
        bodies_(std::move(bodies)),
        potential_(Kokkos::view_alloc(space, "apsis::driver::potential"), bodies_.size()),
        solver_(run.solver->make<Real>(run.precision, run.gravity, run.solver_values)),
        stepper_(integrators::make_stepper<Real>(*run.integrator, run.integrator_values)),
        watch_(space, forces::largest_square(run.precision)),
        stop_watch_(run.stop),
        guard_(space, run, bodies_.size()),
        checkpoints_(run, output),
        snapshots_(run, output) {}

  /// Looks at the state after a step: is it sound, what is to be written of it, is it the last?
  void look(std::uint64_t step) {
    watch_.look(space_, bodies_, step);
    measure_pace();
    auto stop = ending(step);
    bool const scheduled = is_scheduled(step);
    bool const due = scheduled || stop || output_.tables.due(step) || snapshots_.due(step) ||
                     checkpoints_.due(step, process_seconds());
    bool const heard = due || step % steps_between_looks == 0;
    if (heard && !all_finite()) return;
    outcome_.steps = step;
    if (scheduled) {
      if (!record(step)) return;
      auto const verdict = guard_.judge(space_, bodies_, logged());
      // What comes after a bad state says nothing about the run, not even that it is at its end.
      if (verdict == Verdict::go_back) {
        go_back();
        return;
      }
      if (verdict == Verdict::stop) stop = Stop{StopReason::violation};
    }
    diagnose(step, Rows::scheduled, scheduled);
    if (snapshots_.due(step)) write_snapshot(step, scheduled);
    conclude(step, stop, scheduled);
  }

  /// The rest of a look, after all that the schedules ask for: a checkpoint, and the end. Whatever
  /// is written at a last step without being due comes after the checkpoint, so that a run that
  /// goes on from there never wrote it.
  void conclude(std::uint64_t step, std::optional<Stop> const& stop, bool logged_already) {
    bool const interrupted = stop && stop->interrupted();
    bool const good = !stop || stop->reason != StopReason::violation;
    bool const asked = Signals::take_checkpoint_request();
    bool const at_the_end = stop && good && run_.checkpoint_steps;
    if (checkpoints_.due(step, process_seconds()) || asked || interrupted || at_the_end) {
      auto const failure =
          interrupted ? Checkpoints::Failure::end_the_run : Checkpoints::Failure::warn;
      if (!checkpoint(step, output_.log.written(), failure)) return;
      if (asked) progress_.note("checkpoint " + now());
    }
    if (!stop) return;
    if (!logged_already) {
      if (!record(step)) return;
      auto const verdict = interrupted ? Verdict::go_on : guard_.judge(space_, bodies_, logged());
      if (verdict == Verdict::go_back) {
        go_back();
        return;
      }
      if (verdict == Verdict::stop) end({StopReason::violation});
    }
    diagnose(step, Rows::unscheduled, true);
    if (!interrupted && snapshots_.wanted() && !snapshots_.due(step)) write_snapshot(step, true);
    if (running_) end(*stop);
  }

  /// Takes the run back to the last logged time that was good, and on from there in finer steps.
  void go_back() {
    auto const broken = broken_limits(run_, outcome_.conservation).front().problem;
    auto const from = now();
    auto const& good = guard_.go_back(space_, bodies_);
    potential_of_.reset();
    output_.tables.forget();
    outcome_.steps = good.step;
    outcome_.conservation = good.conservation;
    snapshots_.settle();
    snapshots_.count_from(good.snapshots);
    stepper_->refine();
    stepper_->start(space_, bodies_, *solver_, run_.time_step);
    started_ = true;
    // A checkpoint that relies on lines of the log which are taken back now would be none.
    if (checkpoints_.last_step() && !checkpoint(good.step, good.log, Checkpoints::Failure::warn)) {
      return;
    }
    output_.log.cut(good.log);
    output_.directory.cut_back(good.snapshots);
    progress_.note("retry " + std::to_string(guard_.retries()) + " of " +
                   std::to_string(EnergyGuard<Real>::most_retries) + ": " + broken + " " + from +
                   "; goes on with half the step " + now());
  }

  void end(Stop stop) {
    outcome_.stop = std::move(stop);
    running_ = false;
  }

  /// Writes a checkpoint that goes on with the log as it is up to `log`; false if the state must
  /// not be gone on with, which ends the run.
  bool checkpoint(std::uint64_t step, io::LineFile::Written const& log,
                  Checkpoints::Failure failure) {
    if (!all_finite()) return false;
    snapshots_.settle();
    record_.step = step;
    record_.wall_seconds = wall_seconds();
    record_.snapshots = snapshots_.count();
    output_.tell(record_);
    record_.log = log;
    expect_own_bodies();
    SavedState saved;
    record_.exchange(saved);
    exchange(saved);
    if (auto const bad = saved.not_finite()) {
      not_finite(bad->index % std::max<std::size_t>(bodies_.size(), 1), step, bad->block);
      return false;
    }
    checkpoints_.commit(saved, step, process_seconds(), failure);
    return true;
  }

  /// Everything besides the record that changes what comes next.
  void exchange(SavedState& state) {
    outcome_.conservation.exchange(state);
    output_.tables.exchange(state);
    state.exchange("run/started", started_);
    state.exchange(space_, "bodies/position", bodies_.position);
    state.exchange(space_, "bodies/velocity", bodies_.velocity);
    state.exchange(space_, "bodies/acceleration", bodies_.acceleration);
    state.exchange(space_, "bodies/mass", bodies_.mass);
    state.exchange(space_, "bodies/id", bodies_.id);
    solver_->exchange(state);
    if (started_) stepper_->exchange(space_, bodies_, state);
    guard_.exchange(space_, state);
  }

  BodiesIdentity identity() const {
    auto const mass = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies_.mass);
    auto const id = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies_.id);
    BodiesIdentity of;
    of.count = bodies_.size();
    SetDigest ids;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      ids.add(id(i));
      of.mass += mass(i);
    }
    of.ids = ids.value();
    return of;
  }

  /// Bodies that were lost, doubled or changed on the way must not be committed.
  void expect_own_bodies() const {
    APSIS_EXPECT(identity() == record_.bodies, "bodies are not those that the run began with");
  }

  /// Measures the conserved quantities and writes them down; false if they are not finite.
  bool record(std::uint64_t step) {
    if (potential_of_ != step) {
      solver_->evaluate(space_, forces::potentials_of(bodies_, potential_));
    }
    auto const measurement = diagnostics::measure(space_, bodies_, potential_);
    if (!measurement.finite()) {
      not_finite(diagnostics::first_not_finite(space_, bodies_, potential_), step,
                 "its energy or angular momentum");
      return false;
    }
    outcome_.conservation.add(measurement);
    output_.log.write(diagnostics::conservation_row(step, run_.time(step), measurement,
                                                    outcome_.conservation.relative_energy_error(),
                                                    wall_seconds()));
    return true;
  }

  /// Diagnostics wait for a conservation record, which says what they are worth.
  void diagnose(std::uint64_t step, Rows rows, bool recorded) {
    if (output_.tables.due(step, rows)) {
      auto const now = make_instant<Real>(space_, bodies_, *solver_, potential_, recorded, step,
                                          run_.time(step));
      output_.tables.measure(*now, rows);
    }
    if (recorded) output_.tables.write();
  }

  void write_snapshot(std::uint64_t step, bool recorded) {
    snapshots_.write(space_, bodies_, *solver_, potential_, recorded, step);
  }

  /// Why the run ends after this step, if it does.
  std::optional<Stop> ending(std::uint64_t step) {
    auto stop = stop_watch_.look(space_, bodies_, process_seconds(), reserve());
    // A run that is done cannot be interrupted.
    if (step == run_.steps && (!stop || stop->interrupted())) return Stop{StopReason::end};
    return stop;
  }

  bool is_scheduled(std::uint64_t step) const { return step % run_.conservation_steps == 0; }

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

  /// Holds a run that ended by itself against the deck's limits; one that was interrupted is to be
  /// judged at its end.
  void judge() {
    if (outcome_.stop.interrupted()) {
      outcome_.exit = ExitStatus::stopped;
      outcome_.problems.push_back(interruption(run_.stop, outcome_.stop, now()));
      return;
    }
    outcome_.problems = broken_limits(run_, outcome_.conservation);
    if (!outcome_.problems.empty()) outcome_.exit = ExitStatus::not_conserved;
  }

  typename EnergyGuard<Real>::State logged() const {
    return {outcome_.steps, outcome_.conservation, output_.log.written(), snapshots_.count()};
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

  /// Since this process began the run.
  double process_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  double wall_seconds() const { return before_ + process_seconds(); }

  /// The longest time between two looks: no stop can be heeded sooner.
  void measure_pace() {
    double const at = process_seconds();
    longest_step_ = std::max(longest_step_, at - last_look_);
    last_look_ = at;
  }

  /// Time that an end by the clock takes [s]: the step on the way and a checkpoint.
  double reserve() const {
    double const bytes = static_cast<double>(
        bodies_.size() *
        (device_bytes_per_body<Real>() + 3 * sizeof(Real) * run_.integrator->workspace_vectors));
    return longest_step_ + checkpoints_.reserve(bytes);
  }

  ExecutionSpace space_;
  Configuration const& run_;
  RunOutput& output_;
  Progress& progress_;
  Bodies<Real> bodies_;
  Column<double> potential_;
  std::unique_ptr<forces::Solver<Real>> solver_;
  std::unique_ptr<integrators::Stepper<Real>> stepper_;
  diagnostics::FiniteWatch<Real> watch_;
  StopWatch<Real> stop_watch_;
  EnergyGuard<Real> guard_;
  Checkpoints checkpoints_;
  Snapshots<Real> snapshots_;
  RunRecord record_;      ///< of the last checkpoint, and what does not change between them
  bool started_ = false;  ///< whether the stepper is
  std::optional<std::uint64_t> potential_of_;  ///< the step that the potentials came along with
  bool running_ = true;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double before_ = 0.0;        ///< wall time of the processes before this one [s]
  double last_look_ = 0.0;     ///< [s]
  double longest_step_ = 0.0;  ///< [s]
  Outcome outcome_;
};

}  // namespace

Outcome simulate(ExecutionSpace const& space, Configuration const& run, HostBodies const& bodies,
                 RunOutput& output, Progress& progress) {
  if (run.precision == Precision::single_precision) {
    return Simulation<float>(space, run, bodies, output, progress).go();
  }
  return Simulation<double>(space, run, bodies, output, progress).go();
}

Outcome resume(ExecutionSpace const& space, Configuration const& run, Resumption from,
               RunOutput& output, Progress& progress) {
  if (run.precision == Precision::single_precision) {
    return Simulation<float>(space, run, from, output, progress).go();
  }
  return Simulation<double>(space, run, from, output, progress).go();
}

}  // namespace apsis::driver
