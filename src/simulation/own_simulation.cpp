// SPDX-License-Identifier: Apache-2.0
#include "own_simulation.hpp"

#include "body_events.hpp"
#include "body_labels.hpp"
#include "collisions.hpp"
#include "core/execution_space_for.hpp"
#include "core/profiling_region.hpp"
#include "diagnostics/finite_watch.hpp"
#include "method.hpp"
#include "state_cache.hpp"
#include "tracked_steps.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/forces/few_bodies.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace apsis::simulation {

namespace {

/// Most steps between two calls of the callback of set_step_poll().
constexpr std::uint64_t most_quiet_steps = 4096;
/// Most time of a copy of the state over that of the steps that follow.
constexpr double most_cost = 0.02;
constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Simulation of the bodies of this process. If several ranks share the bodies, each rank has one,
/// and all ranks make the same calls. Only the leader rank then has gathered bodies.
class OwnSimulation final : public Simulation {
 public:
  OwnSimulation(deck::Configuration const& run, std::unique_ptr<Method> method)
      : method_(std::move(method)),
        context_(method_->context()),
        time_step_(run.integrator.time_step),
        use_all_threads_(run.use_all_threads),
        may_collide_(run.integrator.has_variable_steps()),
        origin_time_(run.start_time),
        events_(run),
        cache_(*method_, labels_, events_),
        tracked_(run),
        watch_(context_, forces::largest_square(run.gravity.precision)) {}

  /// Begins with the bodies of the method, which have these labels and radii.
  void begin(HostBodies const& start) {
    labels_.set_species(start.species, total());
    events_.set_radii(context_, start.radius, total());
    labels_.set_names(start.name, total());
    identify_massless(nullptr);
    watch();
  }

  // Queries of the present state.
  SimulationState state() const override {
    auto const counters = method_->counters();
    return {.step = step_,
            .time = present_time(),
            .time_step = time_step_,
            .count = total(),
            .G = method_->gravity().G,
            .interactions = counters.interactions,
            .integrator_steps = counters.steps,
            .falls_back = counters.falls_back,
            .gone = events_.gone()};
  }
  SimulationInfo info() const override {
    auto info = method_->info();
    info.massless = massless_;
    info.threads = threads_for(method_->bodies().size(), use_all_threads_);
    return info;
  }

  WholeBodies& whole(bool potentials) override { return cache_.whole(potentials); }
  WholeBodies with_accelerations() override { return cache_.gather(true); }
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
    auto const id = [&](std::uint64_t number) {
      return number < ids().size() ? ids()[number] : number;  // of all bodies, also those gone
    };
    if (auto const found = method_->unresolved_passage()) {
      using Kind = CoarsestPassage::Kind;
      return CoarsestPassage{.measure = found->passage.measure,
                             .limit = 1.0,
                             .distance = found->passage.distance,
                             .time = found->passage.time,
                             .body = id(found->passage.body),
                             .massive = id(found->passage.massive),
                             .kind = found->is_encounter ? Kind::encounter : Kind::pericentre,
                             .is_massless = found->is_massless};
    }
    if (!tracked_.has_passages()) return std::nullopt;
    auto const passage = tracked_.watch()->coarsest_passage(context_);
    if (!passage) return std::nullopt;
    return CoarsestPassage{.measure = passage->measure,
                           .limit = tracked_.coarsest_measure(),
                           .distance = passage->distance,
                           .time = passage->time,
                           .body = id(passage->body),
                           .massive = id(passage->massive)};
  }

  std::optional<integrators::Megno> megno() const override { return tracked_.megno(); }

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

  std::optional<NotFinite> not_finite() override {
    auto const finding = watch_.finding(context_);
    if (!finding) return std::nullopt;
    return NotFinite{finding->step, events_.present_index(finding->index),
                     "its position or velocity"};
  }

  void mark() override {
    method_->save(Point::mark, step_);
    tracked_.mark(context_);
  }

  void roll_back() override {
    auto const marked_step = method_->saved_step(Point::mark);
    APSIS_EXPECT(marked_step, "roll_back() needs an earlier mark()");
    cache_.invalidate();
    method_->restore(Point::mark);
    tracked_.roll_back(context_);
    step_ = *marked_step;
    method_->refine();
    undo_step_at_collision([&] { start(); });
  }

  void exchange(SavedState& state) override {
    state.walk_collectively(context_.communicator,
                            [&](SavedState& shared) { exchange_bodies(shared); });
    if (is_leader()) {
      labels_.exchange(state, total());
      events_.exchange(context_, state, total());
    }
    state.walk_collectively(context_.communicator,
                            [&](SavedState& shared) { exchange_method(shared); });
    if (state.restores()) cache_.invalidate();
  }

  void set_step_poll(Poll poll, StepPoll kind) override {
    can_interrupt_ = poll && kind == StepPoll::interrupt;
    if (!can_interrupt_) return method_->set_step_poll(std::move(poll), false);
    // A clock takes longer than a part of a step of few bodies.
    std::uint64_t const polled = total() <= forces::max_few_bodies ? 16 : 1;
    auto const count_and_poll = [this, polled, poll = std::move(poll)](double fraction) {
      ++polls_;
      if (is_interruptible_ && polls_ % polled == 0) poll(fraction);
    };
    method_->set_step_poll(count_and_poll, true);
  }
  MeasuredTimes time_solver(unsigned measured) override { return method_->time_solver(measured); }

 private:
  /// Number of bodies of all ranks.
  std::size_t total() const { return method_->bodies().total; }
  double present_time() const {
    return origin_time_ + static_cast<double>(step_ - origin_step_) * time_step_;
  }
  bool is_leader() const { return !is_shared(context_) || context_.communicator->rank() == 0; }

  /// Identifies the massless bodies: the solver omits them as sources, and they are judged
  /// individually. `changed`: the rows of bodies that an event has changed; null at the start.
  void identify_massless(std::vector<std::size_t> const* changed) {
    std::size_t const massive = method_->find_sources(*labels_.species());
    massless_ = {.count = total() - massive - events_.gone(), .measured = massive <= 1};
    if (auto* const extra = method_->extra_forces()) {
      extra->bind(context_, events_.bodies_of_forces(*method_, *labels_.species()));
      massless_.measured = massless_.measured && extra->conserved().massless_energies;
    }
    if (massless_.count == 0 || !massless_.measured) {
      test_particles_.reset();
    } else if (changed != nullptr && test_particles_) {
      test_particles_->forget(context_, *changed);
    } else {
      test_particles_.emplace(context_, method_->bodies());
    }
    tracked_.begin(*method_, time_step_, massless_.count > 0 && !massless_.measured,
                   events_.radius());
  }

  /// Starts a check of the bodies; not_finite() returns the result later.
  void watch() { watch_.check(context_, method_->bodies(), step_); }

  void advance_steps(std::uint64_t steps, FollowUp follow_up) {
    events_.clear();
    if (!started_) undo_at_interruption([&] { start(); });
    for (std::uint64_t left = steps; left > 0; --left) {
      // Nothing is measured after the steps before the last one.
      while (left > 1) {
        auto const step_count = make_quiet_steps(std::min(left - 1, most_quiet_steps), unlimited);
        if (step_count == 0) break;
        left -= step_count;
      }
      // Potentials are computed with the last forces of a step where they are equally exact.
      bool const with_potential =
          left == 1 && follow_up == FollowUp::measurement && method_->has_potential_with_forces();
      cache_.invalidate();
      auto const* const potential = with_potential ? &cache_.own_potential() : nullptr;
      bool is_complete = false;
      undo_at_interruption([&] { is_complete = make_step(potential); });
      if (!is_complete) return;
      watch();
    }
    if (steps == 0 && step_ > 0 && follow_up == FollowUp::measurement &&
        method_->has_potential_with_forces()) {
      method_->evaluate_potential(cache_.own_potential(), true);
      cache_.set_own_potential_valid();
    }
  }

  /// Simulation::advance_quietly(), but a Collision leaves the state as it is.
  std::uint64_t make_quiet_steps(std::uint64_t steps, double seconds) {
    if (!started_ || events_.is_active() || is_shared(context_) || !is_loop_faster(total())) {
      return 0;
    }
    cache_.invalidate();
    auto const first = step_;
    if (!may_collide_ && tracked_.watch() == nullptr && !tracked_.has_tangent()) {
      step_ += method_->advance_few(time_step_, steps);
    }
    if (step_ == first) {
      Stopwatch const stopwatch;
      undo_at_interruption([&] {
        while (step_ - first < steps) {
          make_step(nullptr);
          if (!watch_.passes(method_->bodies()) || stopwatch.seconds() >= seconds) break;
        }
      });
    }
    if (!watch_.passes(method_->bodies())) watch();  // a kernel launch takes longer than a step
    return step_ - first;
  }

  /// Makes one step and the potentials at its end if `potential` is not null. Returns false if an
  /// event ends the run before the end of the step. Precondition: the cache is invalid.
  bool make_step(Column<double> const* potential) {
    if (may_collide_ || events_.is_active()) {
      method_->save(Point::step_start, step_);
      tracked_.save_step_start();
    }
    ProfilingRegion const region("apsis::step");
    bool changed = false;
    if (events_.is_active()) {
      started_ = events_.advance(motion(), present_time(), time_step_, potential, changed);
      if (!started_) return false;
    } else {
      if (auto* watched = tracked_.watch()) {
        watched->begin(context_, method_->bodies(), present_time());
      }
      method_->advance(present_time(), time_step_, potential);
    }
    if (potential != nullptr && !changed) cache_.set_own_potential_valid();
    ++step_;
    method_->set_time(present_time());
    return true;
  }

  /// Calls make_steps(), which makes steps after which nothing is measured, or prepares the first.
  /// If the poll interrupts one of them, restores its beginning: the state before the first one,
  /// from which the others are made again. So one copy of the state serves many steps of few
  /// bodies.
  template <class MakeSteps>
  void undo_at_interruption(MakeSteps const& make_steps) {
    if (!can_interrupt_ || !is_copy_worthwhile()) return make_steps();
    auto const first = step_;
    SavedState start;
    Stopwatch const stopwatch;
    exchange_own(start);
    double const seconds_of_copy = stopwatch.seconds();
    polls_ = 0;
    try {
      interruptible(make_steps);
    } catch (integrators::Collision const&) {
      throw;
    } catch (...) {
      auto const completed = step_ - first;
      cache_.invalidate();
      SavedState restored(start.blocks());
      exchange_own(restored);
      events_.drop_step();
      while (step_ - first < completed) make_step(nullptr);
      watch();
      throw;
    }
    if (step_ == first) return;
    bool const is_long = most_cost * stopwatch.seconds() > seconds_of_copy;
    copies_equal_steps_ = polls_ > 2 && is_long;
  }

  /// Whether the poll may interrupt the next steps. Steps of schemes that choose them may take any
  /// time. All others take equally long: a single evaluation of forces, or little longer than the
  /// copy, cannot be interrupted.
  bool is_copy_worthwhile() const {
    constexpr std::size_t most_bodies = std::size_t{1} << 20;  // before the first step is measured
    return may_collide_ || copies_equal_steps_.value_or(total() <= most_bodies);
  }

  /// Lets the poll interrupt act().
  template <class Act>
  void interruptible(Act const& act) {
    is_interruptible_ = true;
    try {
      act();
    } catch (...) {
      is_interruptible_ = false;
      throw;
    }
    is_interruptible_ = false;
  }

  /// Saves or restores all that a step changes, on this rank.
  void exchange_own(SavedState& state) {
    exchange_bodies(state);
    events_.exchange(context_, state, total());
    exchange_method(state);
  }

  StepMotion motion() { return {*method_, tracked_, update_bodies_}; }

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
      bool const is_single = method_->precision() == forces::Precision::single_precision;
      double const epsilon = is_single ? std::numeric_limits<float>::epsilon()
                                       : std::numeric_limits<double>::epsilon();
      collision.pair = describe_collision(*pair, bodies(), method_->gravity().G, epsilon,
                                          present_time() + collision.elapsed());
    }
    if (method_->saved_step(Point::step_start) == step_) {
      cache_.invalidate();
      method_->restore(Point::step_start);
      tracked_.undo_step();
      events_.undo_changes(motion());
    }
    method_->set_time(present_time());
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
    tracked_.watch()->reset_row(context_, method_->saved_step(Point::mark) == step_);
    return approach(closest);
  }

  std::vector<std::uint64_t> const& ids() {
    if (!ids_) {
      auto const id = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(),
                                                          gather_column(context_, method_->ids()));
      ids_.emplace(id.data(), id.data() + id.extent(0));
    }
    return *ids_;
  }

  void start() {
    started_ = false;
    method_->start(present_time(), time_step_);
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
    method_->exchange_bodies(state);
  }

  void exchange_method(SavedState& state) {
    if (state.restores()) identify_massless(nullptr);
    if (test_particles_) test_particles_->exchange(context_, state);
    tracked_.exchange(*method_, state);
    method_->set_time(present_time());
    method_->exchange(state, started_);
  }

  std::unique_ptr<Method> const method_;
  Context const& context_;
  double time_step_;  ///< negative: backwards [time]
  bool use_all_threads_;
  bool may_collide_;
  bool can_interrupt_ = false;              ///< whether the poll of steps may interrupt them
  bool is_interruptible_ = false;           ///< whether it may do so now
  std::uint64_t polls_ = 0;                 ///< since the last copy of the state
  std::optional<bool> copies_equal_steps_;  ///< see is_copy_worthwhile(); empty: not yet known
  std::uint64_t step_ = 0;
  std::uint64_t origin_step_ = 0;  ///< step since which time_step_ is constant
  double origin_time_;             ///< time of that step [time]
  bool started_ = false;           ///< whether the stepper has started
  BodyLabels labels_;
  BodyEvents events_;
  std::function<void(std::vector<std::size_t> const&)> const update_bodies_ =
      [this](std::vector<std::size_t> const& rows) { identify_massless(&rows); };
  StateCache cache_;
  TrackedSteps tracked_;
  diagnostics::FiniteWatch watch_;
  Massless massless_;
  std::optional<diagnostics::TestParticles> test_particles_;
  std::optional<std::vector<std::uint64_t>> ids_;  ///< of all bodies, on the leader rank
};

}  // namespace

std::unique_ptr<Simulation> make_share(deck::Configuration const& run,
                                       std::shared_ptr<Communicator const> const& communicator,
                                       HostBodies const& start, std::size_t total) {
  auto simulation =
      std::make_unique<OwnSimulation>(run, make_method(run, communicator, &start, total));
  simulation->begin(start);
  return simulation;
}

std::unique_ptr<Simulation> restore_share(deck::Configuration const& run,
                                          std::shared_ptr<Communicator const> const& communicator,
                                          std::size_t total, SavedState& state) {
  auto simulation =
      std::make_unique<OwnSimulation>(run, make_method(run, communicator, nullptr, total));
  simulation->exchange(state);
  return simulation;
}

}  // namespace apsis::simulation
