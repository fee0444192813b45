// SPDX-License-Identifier: Apache-2.0
#include "shared_simulation.hpp"

#include "diagnostics/measurement.hpp"
#include "rank_infos.hpp"
#include "remote_call.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <chrono>
#include <functional>
#include <utility>

namespace apsis::simulation {

namespace {

/// Broadcasts each collective operation, then takes the part of the leader rank in it.
class SharedSimulation final : public Simulation {
  RemoteCall call(RemoteCall remote) const {
    remote.simulation = number_;
    return remote;
  }

  /// Lets all ranks apply an operation to their simulations; `method` is its part on this rank.
  template <class Method, class... Arguments>
  decltype(auto) run_on_all_ranks(RemoteCall const& remote, Method const& method,
                                  Arguments... arguments) {
    auto const own_part = [&]() -> decltype(auto) {
      return std::invoke(method, *own_simulation_, arguments...);
    };
    return is_alone_ ? own_part() : broadcast_and_run(call(remote), own_part);
  }
  template <class Action>
  decltype(auto) broadcast_and_run(RemoteCall const& remote, Action const& action) {
    if (broken_) {
      throw Error(ExitStatus::internal,
                  Problem{"processes", "cannot continue",
                          "an error in one of them interrupted a collective operation",
                          "see the previous error, then resume the run"});
    }
    broadcast_call(*communicator_, remote);
    CollectiveGuard guard(broken_);
    try {
      return action();
    } catch (integrators::Collision const&) {
      guard.set_on_all_ranks();
      throw;
    }
  }

 public:
  SharedSimulation(std::shared_ptr<Communicator const> communicator, std::uint64_t number,
                   bool is_alone, bool& broken)
      : communicator_(std::move(communicator)),
        number_(number),
        is_alone_(is_alone),
        broken_(broken) {}
  ~SharedSimulation() override {
    own_simulation_.reset();
    if (!broken_ && !is_alone_) broadcast_call(*communicator_, call({Operation::forget}));
  }

  /// Makes the simulations of all ranks. `check_memory` throws if a rank lacks memory; then no rank
  /// makes a simulation.
  void begin(RemoteCall const& remote, std::string const& deck,
             std::function<void()> const& check_memory, MakeOwn const& make) {
    if (is_alone_) {
      own_simulation_ = make(nullptr);
      return;
    }
    broadcast_and_run(remote, [&] { broadcast_text(*communicator_, deck); });
    check_memory();
    CollectiveGuard const guard(broken_);
    own_simulation_ = make(communicator_);
  }

  // Known to the leader rank without a broadcast.
  SimulationState state() const override { return own_simulation_->state(); }
  SimulationInfo info() const override { return own_simulation_->info(); }
  std::optional<integrators::Megno> megno() const override { return own_simulation_->megno(); }

  // Collective operations.
  void advance(std::uint64_t steps, FollowUp follow_up) override {
    if (is_alone_) {
      own_simulation_->advance(steps, follow_up);
      // Signals of other ranks are gathered at most 50 times per second, since a step may take only
      // a microsecond.
      constexpr std::chrono::milliseconds interval{20};
      if (std::chrono::steady_clock::now() - last_signals_ > interval) receive_signals();
      return;
    }
    broadcast_and_run(
        call({.operation = Operation::advance, .steps = steps, .follow_up = follow_up}), [&] {
          own_simulation_->advance(steps, follow_up);
          gather_signals(*communicator_);
        });
  }
  void receive_signals() override {
    broadcast_and_run({Operation::receive_signals}, [&] { gather_signals(*communicator_); });
    last_signals_ = std::chrono::steady_clock::now();
  }
  void set_time_step(double time_step) override {
    run_on_all_ranks({.operation = Operation::set_time_step, .time_step = time_step},
                     &Simulation::set_time_step, time_step);
  }
  void reverse_time() override {
    run_on_all_ranks({Operation::reverse_time}, &Simulation::reverse_time);
  }
  void set_step_poll(Poll poll, StepPoll kind) override {
    if (is_alone_) own_simulation_->set_step_poll(std::move(poll), kind);
  }
  void mark() override { run_on_all_ranks({Operation::mark}, &Simulation::mark); }
  void roll_back() override { run_on_all_ranks({Operation::roll_back}, &Simulation::roll_back); }
  void exchange(SavedState& state) override {
    APSIS_EXPECT(!state.restores(), "a shared simulation is restored by Leader::restore()");
    run_on_all_ranks({Operation::save},
                     [&](Simulation& simulation) { simulation.exchange(state); });
  }
  WholeBodies& whole(bool potentials) override {
    return run_on_all_ranks({.operation = Operation::whole, .potentials = potentials},
                            &Simulation::whole, potentials);
  }
  WholeBodies with_accelerations() override {
    return run_on_all_ranks({Operation::with_accelerations}, &Simulation::with_accelerations);
  }
  diagnostics::Measurement const& measure() override {
    return run_on_all_ranks({Operation::measure}, &Simulation::measure);
  }
  std::optional<ClosestApproach> closest_approach(Since since) override {
    return run_on_all_ranks({.operation = Operation::closest_approach, .since = since},
                            &Simulation::closest_approach, since);
  }
  std::optional<CoarsestPassage> coarsest_passage() override {
    return run_on_all_ranks({Operation::coarsest_passage}, &Simulation::coarsest_passage);
  }
  std::optional<NotFinite> not_finite() override {
    return run_on_all_ranks({Operation::not_finite}, &Simulation::not_finite);
  }
  MeasuredTimes time_solver(unsigned measured) override {
    return run_on_all_ranks({.operation = Operation::time_solver, .measured = measured},
                            &Simulation::time_solver, measured);
  }

 private:
  std::shared_ptr<Communicator const> communicator_;
  std::uint64_t number_;
  bool is_alone_;  ///< all bodies are on the leader rank
  bool& broken_;
  std::chrono::steady_clock::time_point last_signals_{};  ///< last gathering of signals
  std::unique_ptr<Simulation> own_simulation_;
};

}  // namespace

std::unique_ptr<Simulation> shared_simulation(
    std::shared_ptr<Communicator const> const& communicator, std::vector<RankInfo> const& ranks,
    std::uint64_t number, bool& broken, std::string const& deck, deck::Configuration const& run,
    std::size_t bodies, bool restores, MakeOwn const& make) {
  auto shared =
      std::make_unique<SharedSimulation>(communicator, number, one_rank_has_all(bodies), broken);
  shared->begin(
      {.operation = restores ? Operation::restore : Operation::make,
       .simulation = number,
       .bodies = bodies,
       .use_all_threads = run.use_all_threads},
      deck,
      [&] {
        auto const count = share_of(bodies, communicator->rank(), communicator->size()).count;
        all_have_memory(communicator, ranks.front(), run, count, bodies);
      },
      make);
  return shared;
}

}  // namespace apsis::simulation
