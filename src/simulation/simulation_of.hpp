// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bodies_of_forces.hpp"
#include "body_events.hpp"
#include "collision_pair.hpp"
#include "core/execution_space_for.hpp"
#include "core/profiling_region.hpp"
#include "diagnostics/finite_watch.hpp"
#include "diagnostics/measurement.hpp"
#include "diagnostics/test_particles.hpp"
#include "forces/softening.hpp"
#include "rollback_point.hpp"
#include "species.hpp"
#include "state_cache.hpp"
#include "tangent_of_run.hpp"
#include "time_forces.hpp"
#include "tracked_steps.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/forces/extra.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/integrators/step_watch.hpp>
#include <apsis/integrators/stepper.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace apsis::simulation {

/// Simulation of the bodies of this process. If several ranks share the bodies, each rank has one,
/// and all ranks make the same calls. Only the leader rank then has gathered bodies.
template <class Real>
class SimulationOf final : public Simulation {
 public:
  SimulationOf(Context context, deck::Configuration const& run, Bodies<Real> bodies)
      : context_(std::move(context)),
        derivatives_(run.integrator.entry->derivatives),
        workspace_vectors_(run.integrator.entry->vectors(run.integrator.values)),
        time_step_(run.integrator.time_step),
        use_all_threads_(run.use_all_threads),
        may_collide_(run.integrator.has_variable_steps()),
        origin_time_(run.start_time),
        bodies_(std::move(bodies)),
        solver_(run.gravity.solver->make<Real>(run.gravity.demand(run.integrator))),
        stepper_(integrators::make_stepper<Real>(*run.integrator.entry, run.integrator.values)),
        events_(run.events, forceless_place(run)),
        cache_(context_, bodies_, species_, events_, names_, *solver_),
        tracked_(run),
        tangent_(run),
        largest_square_(forces::largest_square(run.gravity.precision)),
        watch_(context_, largest_square_) {
    if (run.forces.empty()) return;
    solver_->set_extra_forces(std::make_shared<forces::ExtraForces>(run.forces, run.force_setting));
  }

  void set_species(std::vector<std::uint8_t> species) {
    species_.set(std::move(species), bodies_.total);
  }
  void set_radii(std::vector<double> radii) {
    events_.set_radii(context_.space, std::move(radii), bodies_.total);
  }

  void set_names(std::vector<std::string> names) { names_.set(std::move(names), bodies_.total); }

  // Queries of the present state.
  SimulationState state() const override {
    return {.step = step_,
            .time = present_time(),
            .time_step = time_step_,
            .count = bodies_.total,
            .G = solver_->gravity().G,
            .interactions = solver_->interactions(),
            .integrator_steps = stepper_->steps(),
            .falls_back = solver_->falls_back(),
            .gone = events_.gone()};
  }
  SimulationInfo info() const override {
    return {.massless = massless_,
            .kernel = solver_->describe_evaluation(context_, bodies_.total, derivatives_),
            .force_errors = solver_->errors(),
            .threads = threads_for(bodies_.size(), use_all_threads_),
            .bytes = static_cast<double>(bodies_.total * (device_bytes_per_body<Real>() +
                                                          3 * sizeof(Real) * workspace_vectors_))};
  }

  WholeBodies& whole(bool potentials) override { return cache_.whole(potentials); }
  /// Uses a separate buffer for the accelerations: the integrator needs its own unchanged, and they
  /// may be those at other positions.
  WholeBodies with_accelerations() override {
    auto accelerated = bodies_;
    auto const request = acceleration_request();
    solver_->evaluate(context_, request);
    accelerated.acceleration = request.wanted.acceleration;
    return cache_.gather(accelerated);
  }
  diagnostics::Measurement const& measure() override { return cache_.measure(test_particles_); }

  std::optional<ClosestApproach> closest_approach(Since since) override {
    if (since == Since::row) return approach_since_row();
    if (tracked_.has_approaches_in_step()) {
      return approach(tracked_.watch()->approach_in_step(context_));
    }
    auto const& whole = cache_.whole(false);
    auto const closest = diagnostics::closest_pair(whole.space, whole.read());
    if (!closest) return std::nullopt;
    return ClosestApproach{closest->distance, present_time(), closest->first, closest->second};
  }
  std::optional<CoarsestPassage> coarsest_passage() override {
    if (!tracked_.has_passages()) return std::nullopt;
    auto const passage = tracked_.watch()->coarsest_passage(context_);
    if (!passage) return std::nullopt;
    auto const id = [&](std::uint64_t number) {
      return number < ids().size() ? ids()[number] : number;  // of all bodies, also those gone
    };
    return CoarsestPassage{.measure = passage->measure,
                           .limit = tracked_.coarsest_measure(),
                           .distance = passage->distance,
                           .time = passage->time,
                           .body = id(passage->body),
                           .massive = id(passage->massive)};
  }

  std::optional<integrators::Megno> megno() const override { return tangent_.megno(); }

  // Evolution of the bodies.
  void advance(std::uint64_t steps, FollowUp follow_up) override {
    undo_step_at_collision([&] { advance_steps(steps, follow_up); });
  }

  std::vector<Event> const& events() const override { return events_.events(); }

  std::uint64_t advance_quietly(std::uint64_t steps, double seconds) override {
    std::uint64_t step_count = 0;
    undo_step_at_collision([&] { step_count = make_quiet_steps(steps, seconds); });
    return step_count;
  }

  void set_time_step(double time_step) override {
    count_time_from_here(time_step);
    undo_step_at_collision([&] { start(); });
  }
  void reverse_time() override { count_time_from_here(-time_step_); }

  /// Starts a check of the bodies; not_finite() returns the result later.
  void watch() { watch_.check(context_, bodies_, step_); }

  std::optional<NotFinite> not_finite() override {
    auto const finding = watch_.finding(context_);
    if (!finding) return std::nullopt;
    return NotFinite{finding->step, events_.present_index(finding->index),
                     "its position or velocity"};
  }

  void mark() override {
    mark_.save(context_.space, bodies_, step_);
    if (auto* watch = tracked_.watch()) watch->mark(context_);
    tangent_.mark();
  }

  void roll_back() override {
    APSIS_EXPECT(mark_.is_set(), "roll_back() needs an earlier mark()");
    cache_.invalidate();
    mark_.restore(context_.space, bodies_);
    if (auto* watch = tracked_.watch()) watch->roll_back(context_);
    tangent_.roll_back();
    step_ = mark_.step();
    stepper_->refine();
    undo_step_at_collision([&] { start(); });
  }

  void exchange(SavedState& state) override {
    state.walk_collectively(context_.communicator,
                            [&](SavedState& shared) { exchange_bodies(shared); });
    if (is_leader()) {
      species_.exchange(state, bodies_.total);
      names_.exchange(state, bodies_.total);
      events_.exchange(context_.space, state, bodies_.total);
    }
    state.walk_collectively(context_.communicator,
                            [&](SavedState& shared) { exchange_method(shared); });
    if (state.restores()) cache_.invalidate();
  }

  /// Identifies the massless bodies: the solver omits them as sources, and they are judged
  /// individually. `changed`: the rows of bodies that an event has changed; null at the start.
  void identify_massless(std::vector<std::size_t> const* changed = nullptr) {
    if (solver_->gravity().softening_by_species) {
      solver_->set_species(context_,
                           {*species_.kinds(), bodies_.first, bodies_.size(), bodies_.total});
    }
    std::size_t const massive = solver_->exclude_massless_sources(context_, bodies_.mass);
    massless_ = {.count = bodies_.total - massive - events_.gone(), .measured = massive <= 1};
    if (auto* const extra = solver_->extra_forces()) {
      extra->bind(context_, bodies_of_forces(bodies_, species_, events_));
      massless_.measured = massless_.measured && extra->conserved().massless_energies;
    }
    if (massless_.count == 0 || !massless_.measured) {
      test_particles_.reset();
    } else if (changed != nullptr && test_particles_) {
      test_particles_->forget(context_, *changed);
    } else {
      test_particles_.emplace(context_, bodies_);
    }
    tracked_.begin(context_, bodies_, solver_->gravity(), time_step_,
                   massless_.count > 0 && !massless_.measured, events_.radius());
    stepper_->set_watch(tracked_.watch());
    tangent_.begin(bodies_, solver_->gravity(), *stepper_);
  }

  void set_step_poll(Poll poll) override { stepper_->set_poll(std::move(poll)); }

  MeasuredTimes time_solver(unsigned measured) override {
    auto const is_requested = [&](Measured measurement) { return (measured & measurement) != 0; };
    MeasuredTimes times;
    times.potential_with_forces = potential_with_forces();
    if (is_requested(measured_forces)) {
      times.forces = simulation::time_forces(context_, *solver_, acceleration_request());
    }
    if (is_requested(measured_few))
      times.few = time_few(context_, *solver_, acceleration_request());
    if (is_requested(measured_potential) && solver_->needs_full_sweep()) {
      times.potential = times.forces;
    } else if (is_requested(measured_potential)) {
      Column<double> const buffer(
          Kokkos::view_alloc(context_.space, "apsis::simulation::simulation::timed_potential"),
          bodies_.size());
      auto request = forces::potentials_of(bodies_, buffer);
      request.counted = false;
      times.potential = simulation::time_forces(context_, *solver_, request);
    }
    return times;
  }

 private:
  bool potential_with_forces() const {
    return stepper_->provides_potential() && solver_->has_exact_potential(bodies_.total);
  }
  double present_time() const {
    return origin_time_ + static_cast<double>(step_ - origin_step_) * time_step_;
  }
  bool is_leader() const { return !is_shared(context_) || context_.communicator->rank() == 0; }

  void advance_steps(std::uint64_t steps, FollowUp follow_up) {
    events_.clear();
    if (!started_) start();
    for (std::uint64_t left = steps; left > 0; --left) {
      // Nothing is measured after the steps before the last one.
      while (left > 1) {
        auto const step_count = make_quiet_steps(std::min(left - 1, most_quiet_steps), unlimited);
        if (step_count == 0) break;
        left -= step_count;
      }
      // Potentials are computed with the last forces of a step where they are equally exact.
      bool const with_potential =
          left == 1 && follow_up == FollowUp::measurement && potential_with_forces();
      cache_.invalidate();
      auto const* const potential = with_potential ? &cache_.own_potential() : nullptr;
      if (!make_step(potential)) return;
      watch();
    }
    if (steps == 0 && step_ > 0 && follow_up == FollowUp::measurement && potential_with_forces()) {
      solver_->evaluate(context_, acceleration_request(&cache_.own_potential()));
      cache_.set_own_potential_valid();
    }
  }

  /// Simulation::advance_quietly(), but a Collision leaves the state as it is.
  std::uint64_t make_quiet_steps(std::uint64_t steps, double seconds) {
    if (!started_ || events_.is_active() || is_shared(context_) || !is_loop_faster(count())) {
      return 0;
    }
    cache_.invalidate();
    auto const first = step_;
    if (!may_collide_ && tracked_.watch() == nullptr && !tangent_.is_active()) {
      step_ +=
          stepper_->advance_few(context_, bodies_, *solver_, time_step_, steps, largest_square_);
    }
    if (step_ == first) {
      Stopwatch const stopwatch;
      while (step_ - first < steps) {
        make_step(nullptr);
        if (!watch_.passes(bodies_) || stopwatch.seconds() >= seconds) break;
      }
    }
    if (!watch_.passes(bodies_)) watch();  // a kernel launch takes longer than a step
    return step_ - first;
  }

  /// Makes one step and the potentials at its end if `potential` is not null. Returns false if an
  /// event ends the run before the end of the step. Precondition: the cache is invalid.
  bool make_step(Column<double> const* potential) {
    if (may_collide_) save_step_start();
    ProfilingRegion const region("apsis::step");
    solver_->set_time(present_time());
    bool changed = false;
    if (events_.is_active()) {
      started_ = events_.advance(motion(), present_time(), time_step_, potential, changed);
      if (!started_) return false;
    } else {
      if (auto* watched = tracked_.watch()) watched->begin(context_, bodies_, present_time());
      stepper_->advance(context_, bodies_, *solver_, time_step_, potential);
    }
    if (potential != nullptr && !changed) cache_.set_own_potential_valid();
    ++step_;
    solver_->set_time(present_time());
    return true;
  }

  void save_step_start() {
    step_start_.save(context_.space, bodies_, step_);
    tangent_.save_step_start();
  }

  /// Distance from the origin at which all forces vanish [length]: the place of bodies that are
  /// gone, which then do not affect step criteria. 0 if the scheme needs an orbit of each body.
  static double forceless_place(deck::Configuration const& run) {
    if (run.integrator.entry->needs_dominant_body) return 0.0;
    return 4.0 * (run.gravity.precision == forces::Precision::double_precision
                      ? forces::largest_force_distance<double>
                      : forces::largest_force_distance<float>);
  }

  typename BodyEvents<Real>::Motion motion() {
    return {context_, bodies_, *solver_, *stepper_, tracked_, tangent_, update_bodies_};
  }

  template <class Act>
  void undo_step_at_collision(Act const& act) {
    try {
      act();
    } catch (integrators::Collision& collision) {
      undo_step(collision);
      throw;
    }
  }

  /// Finds the pair that collided and restores the beginning of the step. The stepper starts anew
  /// from there.
  void undo_step(integrators::Collision& collision) {
    cache_.invalidate();
    auto const& whole = cache_.whole(false);
    if (auto const pair = diagnostics::tightest_pair(whole.space, whole.read())) {
      collision.pair = describe_collision(*pair, bodies(), solver_->gravity().G,
                                          static_cast<double>(std::numeric_limits<Real>::epsilon()),
                                          present_time() + collision.elapsed());
    }
    if (step_start_.is_set() && step_start_.step() == step_) {
      cache_.invalidate();
      step_start_.restore(context_.space, bodies_);
      tangent_.undo_step();
      events_.undo_changes(motion());
    }
    solver_->set_time(present_time());
    started_ = false;
  }

  std::optional<ClosestApproach> approach(
      std::optional<integrators::Approach> const& tracked) const {
    // A body that was merged since then has no row in the outputs; its merger is an event.
    bool const is_known =
        tracked && !events_.is_gone(tracked->first) && !events_.is_gone(tracked->second);
    if (!is_known) return std::nullopt;
    return ClosestApproach{std::sqrt(tracked->squared), tracked->time,
                           events_.present_index(tracked->first),
                           events_.present_index(tracked->second)};
  }
  std::optional<ClosestApproach> approach_since_row() {
    if (!tracked_.has_approaches_since_row()) return std::nullopt;
    auto const closest = tracked_.watch()->approach_since_row(context_);
    tracked_.watch()->reset_row(context_, mark_.is_set() && mark_.step() == step_);
    return approach(closest);
  }

  std::vector<std::uint64_t> const& ids() {
    if (!ids_) {
      auto const id = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(),
                                                          gather_column(context_, bodies_.id));
      ids_.emplace(id.data(), id.data() + id.extent(0));
    }
    return *ids_;
  }

  void start() {
    started_ = false;
    solver_->set_time(present_time());
    stepper_->start(context_, bodies_, *solver_, time_step_);
    started_ = true;
  }

  void count_time_from_here(double time_step) {
    origin_time_ = present_time();
    origin_step_ = step_;
    time_step_ = time_step;
  }

  void exchange_bodies(SavedState& state) {
    state.exchange("simulation/step", step_);
    state.exchange("simulation/time_step", time_step_);
    state.exchange("simulation/origin_step", origin_step_);
    state.exchange("simulation/origin_time", origin_time_);
    state.exchange("simulation/started", started_);
    state.exchange(context_.space, "bodies/position", bodies_.position);
    state.exchange(context_.space, "bodies/velocity", bodies_.velocity);
    state.exchange(context_.space, "bodies/acceleration", bodies_.acceleration);
    state.exchange(context_.space, "bodies/mass", bodies_.mass);
    state.exchange(context_.space, "bodies/id", bodies_.id);
  }

  void exchange_method(SavedState& state) {
    if (state.restores()) identify_massless();
    if (test_particles_) test_particles_->exchange(context_.space, state);
    tracked_.exchange(context_, bodies_, solver_->gravity(), state);
    tangent_.exchange(context_.space, bodies_.size(), state);
    solver_->exchange(state);
    solver_->set_time(present_time());
    if (auto* const extra = solver_->extra_forces()) extra->exchange(state);
    if (started_) stepper_->exchange(context_, bodies_, state);
    mark_.exchange(context_.space, bodies_.size(), state);
  }

  forces::Request<Real> acceleration_request(Column<double> const* potential = nullptr) {
    auto result = bodies_;
    result.acceleration = VectorColumns<Real>(
        Kokkos::view_alloc(context_.space, "apsis::simulation::simulation::accelerations"),
        bodies_.size());
    auto request = forces::accelerations_of(result, potential);
    request.counted = false;
    return request;
  }

  /// Most steps between two calls of the callback of set_step_poll().
  static constexpr std::uint64_t most_quiet_steps = 4096;
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  Context context_;
  int derivatives_;
  std::size_t workspace_vectors_;
  double time_step_;  ///< negative: backwards [time]
  bool use_all_threads_;
  bool may_collide_;
  std::uint64_t step_ = 0;
  std::uint64_t origin_step_ = 0;  ///< step since which time_step_ is constant
  double origin_time_;             ///< time of that step [time]
  bool started_ = false;           ///< whether the stepper has started
  Bodies<Real> bodies_;
  Species species_;
  BodyNames names_;
  std::unique_ptr<forces::Solver<Real>> solver_;
  std::unique_ptr<integrators::Stepper<Real>> stepper_;
  BodyEvents<Real> events_;
  std::function<void(std::vector<std::size_t> const&)> const update_bodies_ =
      [this](std::vector<std::size_t> const& rows) { identify_massless(&rows); };
  StateCache<Real> cache_;
  TrackedSteps<Real> tracked_;
  TangentOfRun tangent_;
  double largest_square_;  ///< of a finite distance from the origin [length^2]
  diagnostics::FiniteWatch watch_;
  Massless massless_;
  std::optional<diagnostics::TestParticles> test_particles_;
  std::optional<std::vector<std::uint64_t>> ids_;  ///< of all bodies, on the leader rank
  RollbackPoint<Real> mark_;
  RollbackPoint<Real> step_start_;  ///< restored after a collision
};

}  // namespace apsis::simulation
