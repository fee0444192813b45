// SPDX-License-Identifier: Apache-2.0
#include "method.hpp"

#include "core/execution_space_for.hpp"
#include "forces/evaluation_poll.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>
#include <apsis/forces/solver.hpp>
#include <apsis/integrators/stepper.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace apsis::simulation {

template <class Value>
Column<Value> select_rows(ExecutionSpace const& space, Column<Value> const& column,
                          forces::BodyList const& rows) {
  Column<Value> const selected(Kokkos::view_alloc(space, "apsis::simulation::selected"),
                               rows.extent(0));
  for_each(
      space, "apsis::simulation::select_rows", rows.extent(0),
      KOKKOS_LAMBDA(std::size_t i) { selected(i) = column(rows(i)); });
  return selected;
}

template Column<double> select_rows(ExecutionSpace const&, Column<double> const&,
                                    forces::BodyList const&);

namespace {

/// Returns some rows of three columns.
template <class Real>
VectorColumns<Real> select_vectors(ExecutionSpace const& space, VectorColumns<Real> const& columns,
                                   forces::BodyList const& rows) {
  VectorColumns<Real> const selected(Kokkos::view_alloc(space, "apsis::simulation::selected"),
                                     rows.extent(0));
  for_each(
      space, "apsis::simulation::select_vectors", rows.extent(0), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) selected(i, axis) = columns(rows(i), axis);
      });
  return selected;
}

/// Measures the wall time of one evaluation of a request for all bodies [s], extrapolated from a
/// subset of targets if that is cheaper. Restores the state of the solver. Fences.
template <class Real>
double time_forces(Context const& context, forces::Solver<Real>& solver,
                   forces::Request<Real> request) {
  constexpr double long_enough = 0.05;  // [s]
  std::size_t const own_count = request.targets.size();
  auto const shares = gather_values(context, std::vector{own_count});
  std::size_t const largest_share = *std::max_element(shares.begin(), shares.end());
  // Number of targets of each rank; ranks with fewer bodies evaluate all of theirs.
  std::size_t targets =
      solver.needs_full_sweep() ? largest_share : std::min<std::size_t>(largest_share, 64);
  // A solver that uses results of its previous evaluation makes one that is not timed, since it
  // has such results in most evaluations of a run.
  SavedState saved;
  solver.exchange(saved);
  if (solver.needs_full_sweep()) {
    request.counted = true;
    solver.evaluate(context, request);
    request.counted = false;
  }
  double seconds = 0.0;
  for (bool warm = false; targets > 0;) {
    std::size_t const own_targets = std::min(own_count, targets);
    request.targets.select(forces::BodyRows::range(0, own_targets), own_targets);
    auto const begin = std::chrono::steady_clock::now();
    solver.evaluate(context, request);
    context.space.fence("apsis::simulation::time_forces");
    std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - begin;
    seconds = gather_values(context, std::vector{elapsed.count()}).front();
    if (seconds > long_enough || (warm && targets == largest_share)) break;
    warm = targets == largest_share;
    targets = std::min(largest_share, 4 * targets);
  }
  SavedState restored(saved.blocks());
  solver.exchange(restored);
  restored.finish();
  if (targets == 0) return 0.0;
  return seconds * static_cast<double>(largest_share) / static_cast<double>(targets);
}

/// Measures the wall time of a request for a few targets of each rank [s].
template <class Real>
double time_few(Context const& context, forces::Solver<Real>& solver,
                forces::Request<Real> request) {
  std::size_t const few = std::min<std::size_t>(request.targets.size(), 8);
  request.targets.select(forces::BodyRows::range(0, few), few);
  double seconds = 0.0;
  // The first evaluation may load kernels and allocate memory; the second one counts.
  for (int evaluation = 0; evaluation < 2; ++evaluation) {
    Stopwatch const watch;
    solver.evaluate(context, request);
    context.space.fence("apsis::simulation::time_few");
    seconds = watch.seconds();
  }
  return seconds;
}

template <class Real>
class MethodOf final : public Method {
 public:
  MethodOf(Context const& context, deck::Configuration const& run, Bodies<Real> const& bodies,
           std::unique_ptr<forces::Solver<Real>> solver)
      : Method(context, bodies, bodies.id, solver->gravity(), run),
        bodies_(bodies),
        solver_(std::move(solver)),
        stepper_(integrators::make_stepper<Real>(*run.integrator.entry, run.integrator.values)),
        derivatives_(run.integrator.entry->derivatives),
        workspace_vectors_(run.integrator.entry->vectors(run.integrator.values)),
        largest_square_(forces::largest_square(run.gravity.precision)) {
    if (extra_forces_) solver_->set_extra_forces(extra_forces_);
  }

  void set_time(double time) override { solver_->set_time(time); }
  void start(double time, double time_step) override {
    forces::EvaluationPoll const scope(evaluation_poll_);
    solver_->set_time(time);
    stepper_->start(context_, bodies_, *solver_, time_step);
  }
  void advance(double time, double time_step, Column<double> const* potential) override {
    forces::EvaluationPoll const scope(evaluation_poll_);
    solver_->set_time(time);
    stepper_->advance(context_, bodies_, *solver_, time_step, potential);
  }
  std::uint64_t advance_few(double time_step, std::uint64_t steps) override {
    return stepper_->advance_few(context_, bodies_, *solver_, time_step, steps, largest_square_);
  }
  void refine() override { stepper_->refine(); }
  void observe(integrators::StepWatch* watch, integrators::TangentFlow* tangent) override {
    stepper_->set_watch(watch);
    if (tangent != nullptr) stepper_->set_tangent(tangent);
  }
  void set_step_poll(Poll poll, bool within_steps) override {
    evaluation_poll_ = within_steps ? poll : Poll();
    stepper_->set_poll(std::move(poll));
  }

  std::size_t find_sources(std::vector<std::uint8_t> const& species) override {
    if (gravity().softening_by_species) {
      solver_->set_species(context_, {species, bodies_.first, bodies_.size(), bodies_.total});
    }
    return solver_->exclude_massless_sources(context_, bodies_.mass);
  }
  void evaluate_potential(Column<double> const& potential, bool with_forces) override {
    solver_->evaluate(context_, with_forces ? acceleration_request(&potential)
                                            : forces::potentials_of(bodies_, potential));
  }
  bool has_potential_with_forces() const override {
    return stepper_->provides_potential() && solver_->has_exact_potential(bodies_.total);
  }
  double energy_of_extra_forces() const override {
    return extra_forces_ ? extra_forces_->energy(context_, bodies_, solver_->time()) : 0.0;
  }
  MeasuredTimes time_solver(unsigned measured) override {
    auto const is_requested = [&](Measured measurement) { return (measured & measurement) != 0; };
    MeasuredTimes times;
    times.potential_with_forces = has_potential_with_forces();
    if (is_requested(measured_forces)) {
      times.forces = simulation::time_forces(context_, *solver_, acceleration_request());
    }
    if (is_requested(measured_few)) {
      times.few = time_few(context_, *solver_, acceleration_request());
    }
    if (is_requested(measured_potential) && solver_->needs_full_sweep()) {
      times.potential = times.forces;
    } else if (is_requested(measured_potential)) {
      Column<double> const buffer(
          Kokkos::view_alloc(context_.space, "apsis::simulation::method::timed_potential"),
          bodies_.size());
      auto request = forces::potentials_of(bodies_, buffer);
      request.counted = false;
      times.potential = simulation::time_forces(context_, *solver_, request);
    }
    return times;
  }

  Counters counters() const override {
    return {solver_->interactions(), stepper_->steps(), solver_->falls_back()};
  }
  std::optional<integrators::UnresolvedPassage> unresolved_passage() const override {
    return stepper_->unresolved_passage(context_);
  }
  SimulationInfo info() const override {
    return {.massless = {},
            .kernel = solver_->describe_evaluation(context_, bodies_.total, derivatives_),
            .force_errors = solver_->errors(),
            .threads = 0,
            .bytes = static_cast<double>(bodies_.total * (device_bytes_per_body<Real>() +
                                                          3 * sizeof(Real) * workspace_vectors_))};
  }

  /// Uses a separate buffer for present accelerations: the integrator needs its own unchanged, and
  /// they may be those at other positions.
  std::variant<Bodies<float>, Bodies<double>> gather(forces::BodyList const* rows,
                                                     bool present_accelerations) override {
    auto stored = bodies_;
    if (present_accelerations) {
      auto const request = acceleration_request();
      solver_->evaluate(context_, request);
      stored.acceleration = request.wanted.acceleration;
    }
    auto bodies = gather_bodies(context_, stored);
    if (rows == nullptr) return bodies;
    auto const& space = context_.space;
    bodies.position = select_vectors(space, bodies.position, *rows);
    bodies.velocity = select_vectors(space, bodies.velocity, *rows);
    bodies.acceleration = select_vectors(space, bodies.acceleration, *rows);
    bodies.mass = select_rows(space, bodies.mass, *rows);
    bodies.id = select_rows(space, bodies.id, *rows);
    bodies.total = rows->extent(0);
    return bodies;
  }
  void overwrite(HostBodies const& bodies) override {
    auto const& space = context_.space;
    auto const changed = to_device<Real>(space, bodies);
    Kokkos::deep_copy(space, bodies_.mass, changed.mass);
    Kokkos::deep_copy(space, bodies_.position, changed.position);
    Kokkos::deep_copy(space, bodies_.velocity, changed.velocity);
    space.fence("apsis::simulation::method: the copies are freed");
  }

  void save(Point point, std::uint64_t step) override {
    if (!step_of(point)) allocate(point);
    copy_bodies(context_.space, saved(point).position, bodies_.position);
    copy_bodies(context_.space, saved(point).velocity, bodies_.velocity);
    step_of(point) = step;
  }
  void restore(Point point) override {
    copy_bodies(context_.space, bodies_.position, saved(point).position);
    copy_bodies(context_.space, bodies_.velocity, saved(point).velocity);
  }

  void exchange_bodies(SavedState& state) override {
    auto const& space = context_.space;
    state.exchange(space, "bodies/position", bodies_.position);
    state.exchange(space, "bodies/velocity", bodies_.velocity);
    state.exchange(space, "bodies/acceleration", bodies_.acceleration);
    state.exchange(space, "bodies/mass", bodies_.mass);
    state.exchange(space, "bodies/id", bodies_.id);
  }
  void exchange(SavedState& state, bool started) override {
    solver_->exchange(state);
    if (extra_forces_) extra_forces_->exchange(state);
    if (started) stepper_->exchange(context_, bodies_, state);
    auto& mark = step_of(Point::mark);
    bool is_marked = mark.has_value();
    state.exchange("mark/there", is_marked);
    if (!is_marked) return;
    if (state.restores()) allocate(Point::mark);
    auto step = mark.value_or(0);
    state.exchange("mark/step", step);
    mark = step;
    state.exchange(context_.space, "mark/position", saved(Point::mark).position);
    state.exchange(context_.space, "mark/velocity", saved(Point::mark).velocity);
  }

 private:
  struct Saved {
    VectorColumns<Real> position, velocity;
  };

  Saved& saved(Point point) { return saved_[static_cast<std::size_t>(point)]; }
  void allocate(Point point) {
    auto const make = [&](std::string const& name) {
      return VectorColumns<Real>(
          Kokkos::view_alloc(context_.space, "apsis::simulation::saved::" + name), bodies_.size());
    };
    saved(point) = {make("position"), make("velocity")};
  }

  /// Request for accelerations in a buffer of their own, which are not counted.
  forces::Request<Real> acceleration_request(Column<double> const* potential = nullptr) {
    auto result = bodies_;
    result.acceleration = VectorColumns<Real>(
        Kokkos::view_alloc(context_.space, "apsis::simulation::method::accelerations"),
        bodies_.size());
    auto request = forces::accelerations_of(result, potential);
    request.counted = false;
    return request;
  }

  Bodies<Real> const bodies_;
  std::unique_ptr<forces::Solver<Real>> const solver_;
  std::unique_ptr<integrators::Stepper<Real>> const stepper_;
  int derivatives_;
  std::size_t workspace_vectors_;
  Poll evaluation_poll_;
  double largest_square_;  ///< of a finite distance from the origin [length^2]
  std::array<Saved, 3> saved_;
};

}  // namespace

Method::Method(Context context, ReadBodies const& bodies, Column<std::uint64_t> ids,
               forces::Gravity const& gravity, deck::Configuration const& run)
    : context_(std::move(context)),
      read_bodies_(bodies),
      ids_(std::move(ids)),
      gravity_(gravity),
      precision_(run.gravity.precision) {
  if (run.forces.empty()) return;
  extra_forces_ = std::make_shared<forces::ExtraForces>(run.forces, run.force_setting);
}

std::unique_ptr<Method> make_method(deck::Configuration const& run,
                                    std::shared_ptr<Communicator const> const& communicator,
                                    HostBodies const* start, std::size_t total) {
  auto const share =
      communicator ? share_of(total, communicator->rank(), communicator->size()) : Share{0, total};
  Context const context(execution_space_for(share.count, run.use_all_threads), communicator);
  auto const make = [&]<class Real>(Real) -> std::unique_ptr<Method> {
    auto bodies = start == nullptr ? allocate_bodies<Real>(context.space, share.count)
                  : is_shared(context)
                      ? to_device<Real>(context.space, scatter_bodies(context, *start, total))
                      : to_device<Real>(context.space, *start);
    bodies.first = share.first;
    bodies.total = total;
    return std::make_unique<MethodOf<Real>>(
        context, run, bodies, run.gravity.solver->make<Real>(run.gravity.demand(run.integrator)));
  };
  if (run.gravity.precision == forces::Precision::single_precision) return make(float());
  return make(double());
}

}  // namespace apsis::simulation
