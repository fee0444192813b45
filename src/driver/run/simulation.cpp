// SPDX-License-Identifier: Apache-2.0
#include "collision_pair.hpp"
#include "pinned_columns.hpp"
#include "rollback_point.hpp"
#include "share_of_simulation.hpp"
#include "state_cache.hpp"
#include "time_forces.hpp"
#include <apsis/bodies/collect.hpp>
#include <apsis/bodies/share.hpp>
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/digest.hpp>
#include <apsis/core/execution_space_for.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/diagnostics/finite_watch.hpp>
#include <apsis/diagnostics/force_error_sample.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/diagnostics/reference_field.hpp>
#include <apsis/diagnostics/test_particles.hpp>
#include <apsis/driver/background.hpp>
#include <apsis/driver/leader.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/integrators/step_watch.hpp>
#include <apsis/integrators/stepper.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace apsis::driver {

namespace {

/// Simulation of the bodies of this process. If several ranks share the bodies, each rank has one,
/// and all are called alike. Quantities other than sums over all bodies are computed on the leader
/// rank from gathered bodies; the results of the other ranks are meaningless.
template <class Real>
class SimulationOf final : public Simulation {
 public:
  SimulationOf(Context context, deck::Configuration const& run, Bodies<Real> bodies)
      : context_(std::move(context)),
        derivatives_(run.integrator->derivatives),
        workspace_vectors_(run.integrator->vectors(run.integrator_values)),
        time_step_(run.time_step),
        use_all_threads_(run.use_all_threads),
        may_collide_(has_variable_steps(run)),
        watches_passages_(!run.integrator->needs_dominant_body),
        coarsest_measure_(
            integrators::coarsest_measure(run.integrator->order, run.integrator->symplectic)),
        watch_request_(watch_request<Real>(run)),
        bodies_(std::move(bodies)),
        solver_(run.solver->make<Real>(run.demand(run))),
        stepper_(integrators::make_stepper<Real>(*run.integrator, run.integrator_values)),
        cache_(context_, bodies_, *solver_),
        watch_(context_, forces::largest_square(run.precision)) {}

  /// Sets the species of the bodies, which never change.
  void set_species(std::vector<std::uint8_t> species) {
    bool const sound = (species.empty() || species.size() == bodies_.total) &&
                       std::all_of(species.begin(), species.end(),
                                   [](std::uint8_t kind) { return kind < species_types::count; });
    APSIS_VALIDATE(sound, {"species", "not one for each body", "", "give one for each, 0 to 5"});
    species_ = std::make_shared<std::vector<std::uint8_t> const>(std::move(species));
  }

  // Queries of the present state.
  std::uint64_t step() const override { return step_; }
  double time() const override {
    return origin_time_ + static_cast<double>(step_ - origin_step_) * time_step_;
  }
  double G() const override { return solver_->gravity().G; }
  std::size_t count() const override { return bodies_.total; }

  HostBodies const& bodies() override { return cache_.bodies(*species_); }
  std::vector<double> const& potential() override { return cache_.potential(); }
  diagnostics::Measurement const& measure() override { return cache_.measure(test_particles_); }
  std::optional<diagnostics::DensityCentre> const& density_centre() override {
    return cache_.density_centre(bodies(), poll_);
  }
  std::optional<ClosestApproach> closest_approach() override {
    if (watch_request_.approaches_in_step && !step_watch_->is_fresh()) {
      auto const result = step_watch_->approach_in_step(context_);
      if (!result) return std::nullopt;
      return ClosestApproach{std::sqrt(result->squared), result->time, result->first,
                             result->second};
    }
    auto const result = diagnostics::closest_pair(context_.space, cache_.gathered_bodies());
    if (!result) return std::nullopt;
    return ClosestApproach{result->distance, time(), result->first, result->second};
  }
  std::optional<diagnostics::PairDistances> pair_distances() override {
    if (pair_distances_) return pair_distances_;
    // Ranks that share the bodies wait for each other below, so they must not be interrupted.
    auto result = diagnostics::pair_distances(context_.space, cache_.gathered_bodies(),
                                              is_shared(context_) ? Poll() : poll_);
    if (watch_request_.approaches_since_row) {
      auto const closest = step_watch_->approach_since_row(context_);
      if (result && closest && std::sqrt(closest->squared) < result->closest.distance) {
        result->closest = {std::sqrt(closest->squared), closest->first, closest->second};
      }
      step_watch_->reset_row(context_, mark_.is_set() && mark_.step() == step_);
    }
    return pair_distances_ = result;
  }
  std::optional<CoarsestPassage> coarsest_passage() override {
    if (!watch_request_.passages) return std::nullopt;
    auto const result = step_watch_->coarsest_passage(context_);
    if (!result) return std::nullopt;
    auto const id = [&](std::uint64_t number) {
      return number < ids().size() ? ids()[number] : number;
    };
    return CoarsestPassage{result->measure, coarsest_measure_, result->distance,
                           result->time,    id(result->body),  id(result->massive)};
  }
  std::optional<diagnostics::FarthestBody> farthest_body() override {
    return diagnostics::farthest_body(context_.space, cache_.gathered_bodies());
  }

  diagnostics::ErrorPercentiles force_errors(std::uint64_t seed, std::size_t sample) override {
    auto const whole = collected(context_, bodies_with_accelerations());
    return diagnostics::force_errors(context_.space, whole, solver_->gravity(),
                                     diagnostics::random_sample(seed, step_, sample, whole.size()),
                                     poll_);
  }

  diagnostics::PotentialErrors potential_errors(std::uint64_t seed, std::size_t sample) override {
    auto const& host = bodies();
    return diagnostics::potential_errors(
        host, potential(), solver_->gravity(),
        diagnostics::random_sample(seed, step_, sample, host.size()), poll_);
  }

  void show(BodiesReader& reader) override {
    auto const& whole = cache_.gathered_bodies();
    if (is_leader()) reader.read(context_.space, whole, *species_);
  }

  void copy_to(HostColumns& copies, deck::SnapshotContent const& content) override {
    if (!std::any_cast<PinnedColumns<Real>>(&copies.memory)) copies.memory = PinnedColumns<Real>();
    auto& pinned = *std::any_cast<PinnedColumns<Real>>(&copies.memory);
    auto const whole = content.accelerations ? collected(context_, bodies_with_accelerations())
                                             : cache_.gathered_bodies();
    auto const potential = content.potentials ? cache_.gathered_potential() : Column<double>();
    io::SnapshotColumns<Real> columns{copied(pinned.position, context_, "position", whole.position),
                                      copied(pinned.velocity, context_, "velocity", whole.velocity),
                                      copied(pinned.mass, context_, "mass", whole.mass),
                                      copied(pinned.id, context_, "id", whole.id)};
    if (content.accelerations) {
      columns.acceleration =
          copied(pinned.acceleration, context_, "acceleration", whole.acceleration);
    }
    if (content.potentials) {
      columns.potential = copied(pinned.potential, context_, "potential", potential);
    }
    pinned.species = species_;
    columns.species = *species_;
    context_.space.fence(
        "apsis::driver::simulation: the host reads the copies, and temporaries are freed");
    copies.columns = columns;
  }

  // Evolution of the bodies.
  void advance(std::uint64_t steps, FollowUp follow_up) override {
    undo_step_at_collision([&] { advance_steps(steps, follow_up); });
  }

  void set_time_step(double time_step) override {
    count_time_from_here(time_step);
    undo_step_at_collision([&] { start(); });
  }
  void reverse_time() override { count_time_from_here(-time_step_); }
  double time_step() const override { return time_step_; }

  /// Starts a check of the bodies; not_finite() returns the result later.
  void watch() { watch_.check(context_, bodies_, step_); }

  std::optional<NotFinite> not_finite() override {
    auto const finding = watch_.finding(context_);
    if (!finding) return std::nullopt;
    return NotFinite{finding->step, finding->index, "its position or velocity"};
  }

  NotFinite not_finite_measurement() override {
    auto const potential = cache_.gathered_potential();
    return {step_,
            diagnostics::first_not_finite(context_.space, cache_.gathered_bodies(), potential),
            "its energy or angular momentum"};
  }

  void mark() override {
    mark_.save(context_.space, bodies_, step_);
    if (step_watch_) step_watch_->mark(context_);
  }

  void roll_back() override {
    APSIS_EXPECT(mark_.is_set(), "roll_back() needs an earlier mark()");
    invalidate();
    mark_.restore(context_.space, bodies_);
    if (step_watch_) step_watch_->roll_back(context_);
    step_ = mark_.step();
    stepper_->refine();
    undo_step_at_collision([&] { start(); });
  }

  void exchange(SavedState& state) override {
    state.walk_collectively(context_.communicator,
                            [&](SavedState& shared) { exchange_bodies(shared); });
    if (is_leader()) exchange_species(state);
    state.walk_collectively(context_.communicator,
                            [&](SavedState& shared) { exchange_method(shared); });
    if (state.restores()) invalidate();
  }

  /// Identifies the massless bodies: the solver omits them as sources, and they are judged
  /// individually.
  void identify_massless() {
    std::size_t const massive = solver_->exclude_massless_sources(context_, bodies_.mass);
    massless_ = {count() - massive, massive <= 1};
    if (massless_.count > 0 && massless_.measured) test_particles_.emplace(context_, bodies_);
    make_step_watch();
  }
  Massless massless() const override { return massless_; }

  void set_poll(Poll poll) override { poll_ = std::move(poll); }
  void poll() override {
    if (poll_) poll_(0.0);
  }

  void set_step_poll(Poll poll) override { stepper_->set_poll(std::move(poll)); }

  MeasuredTimes time_measurements(unsigned measured) override {
    auto const is_requested = [&](Measured measurement) { return (measured & measurement) != 0; };
    MeasuredTimes times;
    times.potential_with_forces = potential_with_forces();
    if (is_requested(measured_forces)) times.forces = time_forces();
    if (is_requested(measured_few)) times.few = time_few();
    if (is_requested(measured_potential) && solver_->needs_full_sweep()) {
      times.potential = times.forces;
    } else if (is_requested(measured_potential)) {
      Column<double> const buffer(
          Kokkos::view_alloc(context_.space, "apsis::driver::simulation::timed_potential"),
          bodies_.size());
      auto request = forces::potentials_of(bodies_, buffer);
      request.counted = false;
      times.potential = driver::time_forces(context_, *solver_, request);
    }
    auto const whole = collected(context_, bodies_);
    auto const timed = [&](auto const& measure) {
      return extrapolated_time([&](Poll const& poll) { measure(context_.space, whole, poll); });
    };
    if (is_requested(measured_density_centre)) {
      times.density_centre =
          timed([](auto const&... arguments) { diagnostics::neighbour_densities(arguments...); });
    }
    if (is_requested(measured_pair_distances)) {
      times.pair_distances =
          timed([](auto const&... arguments) { diagnostics::pair_distances(arguments...); });
    }
    if (!is_requested(measured_bodies) && !is_requested(measured_reference)) return times;
    Stopwatch const watch;
    auto const host = to_host(context_.space, whole);
    times.bodies = watch.seconds();
    if (!is_requested(measured_reference) || host.size() == 0) return times;
    auto const sample = diagnostics::random_sample(0, 0, 64, host.size());
    times.reference = extrapolated_time([&](Poll const& poll) {
                        diagnostics::reference_field(host, solver_->gravity(), sample, poll);
                      }) /
                      static_cast<double>(sample.size());
    return times;
  }

  /// Wall time of the forces on a few bodies of each rank [s].
  double time_few() {
    auto request = acceleration_request();
    request.targets.range = {0, std::min<std::size_t>(bodies_.size(), 8)};
    request.targets.total = request.targets.size();
    double seconds = 0.0;
    for (int turn = 0; turn < 2; ++turn) {
      Stopwatch const watch;
      solver_->evaluate(context_, request);
      context_.space.fence("apsis::driver::simulation: few forces are timed");
      seconds = watch.seconds();
    }
    return seconds;
  }

  double time_forces() override {
    return driver::time_forces(context_, *solver_, acceleration_request());
  }

  BodiesIdentity identity() const override {
    auto const mass =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), collected(context_, bodies_.mass));
    auto const id =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), collected(context_, bodies_.id));
    BodiesIdentity identity;
    identity.count = mass.extent(0);
    SetDigest ids;
    for (std::size_t i = 0; i < identity.count; ++i) {
      ids.add(id(i));
      identity.mass += mass(i);
    }
    identity.ids = ids.value();
    return identity;
  }

  double interactions() const override { return solver_->interactions(); }
  std::uint64_t integrator_steps() const override { return stepper_->steps(); }
  std::string kernel() const override {
    return solver_->describe_evaluation(bodies_.total, derivatives_);
  }
  std::optional<forces::ForceErrors> force_accuracy() const override { return solver_->errors(); }
  bool falls_back() const override { return solver_->falls_back(); }
  int threads() const override { return threads_for(bodies_.size(), use_all_threads_); }
  double bytes() const override {
    return static_cast<double>(
        count() * (device_bytes_per_body<Real>() + 3 * sizeof(Real) * workspace_vectors_));
  }

 private:
  bool potential_with_forces() const {
    return stepper_->provides_potential() && solver_->has_exact_potential(bodies_.total);
  }
  bool is_leader() const { return !is_shared(context_) || context_.communicator->rank() == 0; }

  void advance_steps(std::uint64_t steps, FollowUp follow_up) {
    if (!started_) start();
    for (std::uint64_t left = steps; left > 0; --left) {
      // Potentials are computed with the last forces of a step where they are equally exact.
      bool const with_potential =
          left == 1 && follow_up == FollowUp::measurement && potential_with_forces();
      invalidate();
      if (may_collide_) step_start_.save(context_.space, bodies_, step_);
      if (step_watch_) step_watch_->begin(context_, bodies_, time());
      stepper_->advance(context_, bodies_, *solver_, time_step_,
                        with_potential ? cache_.own_potential() : Column<double>());
      if (with_potential) cache_.set_own_potential_valid();
      ++step_;
      watch();
    }
    if (steps == 0 && step_ > 0 && follow_up == FollowUp::measurement && potential_with_forces()) {
      auto request = acceleration_request();
      request.wanted.potential = cache_.own_potential();
      solver_->evaluate(context_, request);
      cache_.set_own_potential_valid();
    }
  }

  /// Invalidates all cached results. Call before the bodies move.
  void invalidate() {
    cache_.invalidate();
    pair_distances_.reset();
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
    invalidate();
    auto const& whole = cache_.gathered_bodies();
    if (auto const pair = diagnostics::tightest_pair(context_.space, whole)) {
      collision.pair = describe_collision(*pair, cache_.bodies(*species_), G(),
                                          static_cast<double>(std::numeric_limits<Real>::epsilon()),
                                          time() + collision.elapsed());
    }
    if (step_start_.is_set() && step_start_.step() == step_) {
      invalidate();
      step_start_.restore(context_.space, bodies_);
    }
    started_ = false;
  }

  std::vector<std::uint64_t> const& ids() {
    if (!ids_) {
      auto const id =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), collected(context_, bodies_.id));
      ids_.emplace(id.data(), id.data() + id.extent(0));
    }
    return *ids_;
  }

  using StepWatch = integrators::StepWatch<Real>;

  void make_step_watch() {
    watch_request_.passages = watches_passages_ && massless_.count > 0 && !massless_.measured;
    if (!watch_request_.any()) return;
    step_watch_.emplace(context_, bodies_, solver_->gravity(), watch_request_);
    if (watch_request_.passages && step_watch_->largest_measure(time_step_) <= coarsest_measure_) {
      watch_request_.passages = false;
      step_watch_->drop_passages();
    }
    if (!watch_request_.any()) step_watch_.reset();
    stepper_->set_watch(step_watch_ ? &*step_watch_ : nullptr);
  }

  void exchange_step_watch(SavedState& state) {
    bool saved = step_watch_.has_value();
    state.exchange("simulation/watches_steps", saved);
    if (!saved) return;
    // The deck of a resumed run may track other quantities: then the saved state is read and
    // dropped.
    if (step_watch_) return step_watch_->exchange(context_, state);
    StepWatch(context_, bodies_, solver_->gravity(), {}).exchange(context_, state);
  }

  void start() {
    started_ = false;
    stepper_->start(context_, bodies_, *solver_, time_step_);
    started_ = true;
  }

  void count_time_from_here(double time_step) {
    origin_time_ = time();
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
    exchange_step_watch(state);
    solver_->exchange(state);
    if (started_) stepper_->exchange(context_, bodies_, state);
    mark_.exchange(context_.space, bodies_.size(), state);
  }

  void exchange_species(SavedState& state) {
    std::string digits;  // one digit per body
    for (auto const kind : *species_) digits += static_cast<char>('0' + kind);
    state.exchange("bodies/species", digits);
    if (!state.restores()) return;
    std::vector<std::uint8_t> kinds;
    for (char const digit : digits) kinds.push_back(static_cast<std::uint8_t>(digit - '0'));
    set_species(std::move(kinds));
  }

  /// Returns the bodies with accelerations at their present positions, in a separate buffer: those
  /// of the integrator may be of other positions, and it needs them unchanged.
  Bodies<Real> bodies_with_accelerations() {
    auto result = bodies_;
    auto const request = acceleration_request();
    solver_->evaluate(context_, request);
    result.acceleration = request.wanted.acceleration;
    return result;
  }
  forces::Request<Real> acceleration_request() {
    auto result = bodies_;
    result.acceleration = VectorColumns<Real>(
        Kokkos::view_alloc(context_.space, "apsis::driver::simulation::looked_at"), bodies_.size());
    auto request = forces::accelerations_of(result);
    request.counted = false;
    return request;
  }

  Context context_;
  int derivatives_;
  std::size_t workspace_vectors_;
  double time_step_;  ///< negative: backwards [time]
  bool use_all_threads_;
  bool may_collide_;
  /// Whether the steps have to resolve passages; Kepler orbits about a dominant body are exact.
  bool watches_passages_;
  double coarsest_measure_;  ///< largest measure of a passage that the integrator resolves
  typename integrators::StepWatch<Real>::Request watch_request_;
  std::uint64_t step_ = 0;
  std::uint64_t origin_step_ = 0;  ///< step since which time_step_ is constant
  double origin_time_ = 0.0;       ///< [time]
  bool started_ = false;           ///< whether the stepper has started
  Bodies<Real> bodies_;
  std::shared_ptr<std::vector<std::uint8_t> const> species_ =
      std::make_shared<std::vector<std::uint8_t> const>();
  std::unique_ptr<forces::Solver<Real>> solver_;
  std::unique_ptr<integrators::Stepper<Real>> stepper_;
  StateCache<Real> cache_;
  diagnostics::FiniteWatch<Real> watch_;
  Massless massless_;
  std::optional<diagnostics::TestParticles<Real>> test_particles_;
  std::optional<integrators::StepWatch<Real>> step_watch_;
  std::optional<diagnostics::PairDistances> pair_distances_;  ///< of this step
  std::optional<std::vector<std::uint64_t>> ids_;             ///< of all bodies, on the leader rank
  RollbackPoint<Real> mark_;
  RollbackPoint<Real> step_start_;  ///< restored after a collision
  Poll poll_;
};

/// Calls `make` with a context and a value of the type in which the bodies of this rank are stored.
template <class Make>
std::unique_ptr<Simulation> make_for_precision(
    deck::Configuration const& run, std::shared_ptr<Communicator const> const& communicator,
    Share const& share, Make const& make) {
  Context const context(execution_space_for(share.count, run.use_all_threads), communicator);
  if (run.precision == forces::Precision::single_precision) return make(context, float());
  return make(context, double());
}

Share own_share(std::shared_ptr<Communicator const> const& communicator, std::size_t total) {
  return communicator ? share_of(total, communicator->rank(), communicator->size())
                      : Share{0, total};
}

}  // namespace

std::unique_ptr<Simulation> make_share(deck::Configuration const& run,
                                       std::shared_ptr<Communicator const> const& communicator,
                                       HostBodies const& start, std::size_t total) {
  auto const share = own_share(communicator, total);
  return make_for_precision(
      run, communicator, share, [&]<class Real>(Context const& context, Real) {
        auto bodies = is_shared(context)
                          ? to_device<Real>(context.space, distributed(context, start, total))
                          : to_device<Real>(context.space, start);
        bodies.first = share.first;
        bodies.total = total;
        auto simulation = std::make_unique<SimulationOf<Real>>(context, run, std::move(bodies));
        simulation->set_species(start.species);
        simulation->identify_massless();
        simulation->watch();
        return simulation;
      });
}

std::unique_ptr<Simulation> restore_share(deck::Configuration const& run,
                                          std::shared_ptr<Communicator const> const& communicator,
                                          std::size_t total, SavedState& state) {
  auto const share = own_share(communicator, total);
  return make_for_precision(
      run, communicator, share, [&]<class Real>(Context const& context, Real) {
        auto bodies = allocate_bodies<Real>(context.space, share.count);
        bodies.first = share.first;
        bodies.total = total;
        auto simulation = std::make_unique<SimulationOf<Real>>(context, run, std::move(bodies));
        simulation->exchange(state);
        return simulation;
      });
}

std::unique_ptr<Simulation> make_simulation(deck::Configuration const& run,
                                            HostBodies const& start) {
  return run.leader ? run.leader->make(run, start) : make_share(run, nullptr, start, start.size());
}

std::unique_ptr<Simulation> restore_simulation(deck::Configuration const& run, std::size_t count,
                                               SavedState& state) {
  return run.leader ? run.leader->restore(run, count, state)
                    : restore_share(run, nullptr, count, state);
}

}  // namespace apsis::driver
