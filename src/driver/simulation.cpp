// SPDX-License-Identifier: Apache-2.0
#include "pinned_columns.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/digest.hpp>
#include <apsis/core/execution_space_for.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/diagnostics/finite_watch.hpp>
#include <apsis/diagnostics/force_error_sample.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/diagnostics/test_particles.hpp>
#include <apsis/driver/background.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/integrators/stepper.hpp>

#include <algorithm>
#include <chrono>

namespace apsis::driver {

namespace {

template <class Real>
class SimulationOf final : public Simulation {
 public:
  SimulationOf(Context context, Configuration const& run, Bodies<Real> bodies)
      : context_(std::move(context)),
        derivatives_(run.integrator->derivatives),
        workspace_vectors_(run.integrator->vectors(run.integrator_values)),
        time_step_(run.time_step),
        use_all_threads_(run.use_all_threads),
        bodies_(std::move(bodies)),
        potential_(Kokkos::view_alloc(context_.space, "apsis::driver::potential"), bodies_.size()),
        solver_(run.solver->make<Real>(run.precision, run.gravity, run.solver_values)),
        stepper_(integrators::make_stepper<Real>(*run.integrator, run.integrator_values)),
        watch_(context_, forces::largest_square(run.precision)) {}

  /// What tells the bodies apart, which never changes.
  void set_species(std::vector<std::uint8_t> species) {
    bool const sound = (species.empty() || species.size() == bodies_.size()) &&
                       std::all_of(species.begin(), species.end(),
                                   [](std::uint8_t kind) { return kind < species_types::count; });
    APSIS_VALIDATE(sound, {"species", "not one for each body", "", "give one for each, 0 to 5"});
    species_ = std::make_shared<std::vector<std::uint8_t> const>(std::move(species));
  }

  // The present.
  std::uint64_t step() const override { return step_; }
  double time() const override {
    return origin_time_ + static_cast<double>(step_ - origin_step_) * time_step_;
  }
  double G() const override { return solver_->gravity().G; }
  std::size_t count() const override { return bodies_.size(); }

  HostBodies const& bodies() override {
    if (!found_.bodies) {
      found_.bodies = to_host(context_, bodies_);
      found_.bodies->species = *species_;
    }
    return *found_.bodies;
  }

  std::vector<double> const& potential() override {
    if (!found_.potential) {
      find_potential();
      found_.potential.emplace(count());
      Kokkos::deep_copy(context_.space,
                        Kokkos::View<double*, Kokkos::HostSpace>(found_.potential->data(), count()),
                        potential_);
      context_.space.fence("apsis::driver::simulation: the host reads potentials");
    }
    return *found_.potential;
  }

  diagnostics::Measurement const& measure() override {
    if (!found_.measurement) {
      find_potential();
      found_.measurement = diagnostics::measure(context_, bodies_, potential_);
      if (test_particles_) {
        found_.measurement->test_particle_energy_error =
            test_particles_->energy_error(context_, bodies_, potential_);
      }
    }
    return *found_.measurement;
  }

  std::optional<diagnostics::DensityCentre> const& density_centre() override {
    if (!found_.centre) {
      found_.centre.emplace(diagnostics::density_centre(
          bodies(), diagnostics::neighbour_densities(context_, bodies_)));
    }
    return *found_.centre;
  }

  std::optional<diagnostics::ClosestPair> closest_pair() override {
    return diagnostics::closest_pair(context_, bodies_);
  }
  std::optional<diagnostics::PairDistances> pair_distances() override {
    return diagnostics::pair_distances(context_, bodies_);
  }
  std::optional<diagnostics::FarthestBody> farthest_body() override {
    return diagnostics::farthest_body(context_, bodies_);
  }

  diagnostics::ErrorPercentiles force_errors(std::uint64_t seed, std::size_t sample) override {
    return diagnostics::force_errors(context_, with_accelerations(), solver_->gravity(),
                                     diagnostics::random_sample(seed, step_, sample, count()));
  }

  void show(BodiesReader& to) override { to.read(context_, bodies_, *species_); }

  void copy_to(HostColumns& to, SnapshotContent const& content) override {
    if (!std::any_cast<PinnedColumns<Real>>(&to.memory)) to.memory = PinnedColumns<Real>();
    auto& pinned = *std::any_cast<PinnedColumns<Real>>(&to.memory);
    io::SnapshotColumns<Real> columns{
        copied(pinned.position, context_, "position", bodies_.position),
        copied(pinned.velocity, context_, "velocity", bodies_.velocity),
        copied(pinned.mass, context_, "mass", bodies_.mass),
        copied(pinned.id, context_, "id", bodies_.id)};
    Bodies<Real> looked_at;
    if (content.accelerations) {
      looked_at = with_accelerations();
      columns.acceleration =
          copied(pinned.acceleration, context_, "acceleration", looked_at.acceleration);
    }
    if (content.potentials) {
      find_potential();
      columns.potential = copied(pinned.potential, context_, "potential", potential_);
    }
    pinned.species = species_;
    columns.species = *species_;
    context_.space.fence(
        "apsis::driver::simulation: the host reads, and what was looked at is freed");
    to.columns = columns;
  }

  // The way of the bodies.
  void advance(std::uint64_t steps, Ask at_the_end) override {
    if (!started_) start();
    for (std::uint64_t left = steps; left > 0; --left) {
      // Potentials come along with the last forces of a step where that is as exact.
      bool const both = left == 1 && at_the_end == Ask::measurement &&
                        stepper_->finds_potential() && solver_->has_exact_potential(bodies_.total);
      moved();
      stepper_->advance(context_, bodies_, *solver_, time_step_,
                        both ? potential_ : Column<double>());
      found_.potential_on_device = both;
      ++step_;
      watch();
    }
  }

  void set_time_step(double time_step) override {
    count_time_from_here(time_step);
    start();
  }
  void turn_back() override { count_time_from_here(-time_step_); }
  double time_step() const override { return time_step_; }

  /// Looks at the bodies as they are; what is found is heard of later.
  void watch() { watch_.look(context_, bodies_, step_); }

  std::optional<NotFinite> not_finite() override {
    auto const finding = watch_.finding(context_);
    if (!finding) return std::nullopt;
    return NotFinite{finding->step, finding->index, "its position or velocity"};
  }

  NotFinite not_finite_measurement() override {
    find_potential();
    return {step_, diagnostics::first_not_finite(context_, bodies_, potential_),
            "its energy or angular momentum"};
  }

  void mark() override {
    if (!marked_) allocate_mark();
    Kokkos::deep_copy(context_.space, marked_position_, bodies_.position);
    Kokkos::deep_copy(context_.space, marked_velocity_, bodies_.velocity);
    marked_step_ = step_;
  }

  void go_back() override {
    APSIS_EXPECT(marked_, "there is a time to go back to");
    moved();
    Kokkos::deep_copy(context_.space, bodies_.position, marked_position_);
    Kokkos::deep_copy(context_.space, bodies_.velocity, marked_velocity_);
    step_ = marked_step_;
    stepper_->refine();
    start();
  }

  void exchange(SavedState& state) override {
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
    exchange_species(state);
    if (state.restores()) know_masses();
    if (test_particles_) test_particles_->exchange(context_.space, state);
    solver_->exchange(state);
    if (started_) stepper_->exchange(context_, bodies_, state);
    state.exchange("mark/there", marked_);
    if (marked_) {
      if (state.restores()) allocate_mark();
      state.exchange("mark/step", marked_step_);
      state.exchange(context_.space, "mark/position", marked_position_);
      state.exchange(context_.space, "mark/velocity", marked_velocity_);
    }
    if (state.restores()) moved();
  }

  /// Looks for the bodies without mass: they are not summed over, and judged by themselves.
  void know_masses() {
    std::size_t const massive = solver_->leave_out_massless(context_, bodies_.mass);
    massless_ = {count() - massive, massive <= 1};
    if (massless_.count > 0 && massless_.measured) test_particles_.emplace(context_, bodies_);
  }
  Massless massless() const override { return massless_; }

  double time_forces() override {
    constexpr double long_enough = 0.05;  // [s]
    std::size_t targets = std::min<std::size_t>(count(), 64);
    auto look = accelerations_elsewhere();
    double seconds = 0.0;
    for (bool warm = false; targets > 0;) {
      look.targets.range = {0, targets};
      look.targets.total = targets;
      auto const begin = std::chrono::steady_clock::now();
      solver_->evaluate(context_, look);
      context_.space.fence("apsis::driver::simulation::time_forces");
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (seconds > long_enough || (warm && targets == count())) break;
      warm = targets == count();
      targets = std::min(count(), 4 * targets);
    }
    if (targets == 0) return 0.0;
    return seconds * static_cast<double>(count()) / static_cast<double>(targets);
  }

  BodiesIdentity identity() const override {
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

  double interactions() const override { return solver_->interactions(); }
  std::uint64_t integrator_steps() const override { return stepper_->steps(); }
  std::string kernel() const override {
    return solver_->describe_evaluation(bodies_.total, derivatives_);
  }
  int threads() const override { return threads_for(count(), use_all_threads_); }
  double bytes() const override {
    return static_cast<double>(
        count() * (device_bytes_per_body<Real>() + 3 * sizeof(Real) * workspace_vectors_));
  }

 private:
  /// What was found of the present.
  struct Found {
    bool potential_on_device = false;
    std::optional<HostBodies> bodies;
    std::optional<std::vector<double>> potential;
    std::optional<diagnostics::Measurement> measurement;
    std::optional<std::optional<diagnostics::DensityCentre>> centre;
  };

  void moved() { found_ = {}; }

  void start() {
    stepper_->start(context_, bodies_, *solver_, time_step_);
    started_ = true;
  }

  void count_time_from_here(double time_step) {
    origin_time_ = time();
    origin_step_ = step_;
    time_step_ = time_step;
  }

  void find_potential() {
    if (!found_.potential_on_device) {
      solver_->evaluate(context_, forces::potentials_of(bodies_, potential_));
    }
    found_.potential_on_device = true;
  }

  void exchange_species(SavedState& state) {
    std::string digits;  // as a text: one digit each
    for (auto const kind : *species_) digits += static_cast<char>('0' + kind);
    state.exchange("bodies/species", digits);
    if (!state.restores()) return;
    std::vector<std::uint8_t> kinds;
    for (char const digit : digits) kinds.push_back(static_cast<std::uint8_t>(digit - '0'));
    set_species(std::move(kinds));
  }

  /// The same bodies with their accelerations where they are: the integrator's own may be of other
  /// places, and it may want them back.
  Bodies<Real> with_accelerations() {
    auto looked_at = bodies_;
    auto const look = accelerations_elsewhere();
    solver_->evaluate(context_, look);
    looked_at.acceleration = look.wanted.acceleration;
    return looked_at;
  }
  forces::Request<Real> accelerations_elsewhere() {
    auto looked_at = bodies_;
    looked_at.acceleration = VectorColumns<Real>(
        Kokkos::view_alloc(context_.space, "apsis::driver::simulation::looked_at"), count());
    auto look = forces::accelerations_of(looked_at);
    look.counted = false;
    return look;
  }

  void allocate_mark() {
    marked_position_ = VectorColumns<Real>(
        Kokkos::view_alloc(context_.space, "apsis::driver::simulation::marked_position"), count());
    marked_velocity_ = VectorColumns<Real>(
        Kokkos::view_alloc(context_.space, "apsis::driver::simulation::marked_velocity"), count());
    marked_ = true;
  }

  Context context_;
  int derivatives_;
  std::size_t workspace_vectors_;
  double time_step_;  ///< < 0 backwards [time]
  bool use_all_threads_;
  std::uint64_t step_ = 0;
  std::uint64_t origin_step_ = 0;  ///< from which on the time step is what it is
  double origin_time_ = 0.0;       ///< [time]
  bool started_ = false;           ///< whether the stepper is
  Bodies<Real> bodies_;
  std::shared_ptr<std::vector<std::uint8_t> const> species_ =
      std::make_shared<std::vector<std::uint8_t> const>();
  Column<double> potential_;  ///< of the present if found_ says so
  std::unique_ptr<forces::Solver<Real>> solver_;
  std::unique_ptr<integrators::Stepper<Real>> stepper_;
  diagnostics::FiniteWatch<Real> watch_;
  Massless massless_;
  std::optional<diagnostics::TestParticles<Real>> test_particles_;
  Found found_;
  bool marked_ = false;
  std::uint64_t marked_step_ = 0;
  VectorColumns<Real> marked_position_, marked_velocity_;
};

/// What `make` makes of a space for so many bodies and the type that a run stores them in.
template <class Make>
std::unique_ptr<Simulation> made(Configuration const& run, std::size_t count, Make const& make) {
  auto const space = execution_space_for(count, run.use_all_threads);
  if (run.precision == Precision::single_precision) return make(space, float());
  return make(space, double());
}

}  // namespace

std::unique_ptr<Simulation> make_simulation(Configuration const& run, HostBodies const& start) {
  return made(run, start.size(), [&]<class Real>(ExecutionSpace const& space, Real) {
    auto of = std::make_unique<SimulationOf<Real>>(space, run, to_device<Real>(space, start));
    of->set_species(start.species);
    of->know_masses();
    of->watch();
    return of;
  });
}

std::unique_ptr<Simulation> restore_simulation(Configuration const& run, std::size_t count,
                                               SavedState& state) {
  return made(run, count, [&]<class Real>(ExecutionSpace const& space, Real) {
    auto bodies = allocate_bodies<Real>(space, count);
    auto of = std::make_unique<SimulationOf<Real>>(space, run, std::move(bodies));
    of->exchange(state);
    return of;
  });
}

}  // namespace apsis::driver
