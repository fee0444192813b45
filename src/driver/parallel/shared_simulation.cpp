// SPDX-License-Identifier: Apache-2.0
#include "shared_simulation.hpp"

#include "collective_guard.hpp"
#include "driver/observers/background.hpp"
#include "rank_infos.hpp"
#include "remote_call.hpp"
#include "remote_methods.hpp"
#include <apsis/bodies/share.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/integrators/collision.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <utility>

namespace apsis::driver {

namespace {

class SharedSimulation final : public Simulation {
  template <auto method, class... Arguments>
  RemoteCall make_call(Arguments const&... arguments) const {
    RemoteCall call{CallKind::method, number_, SimulationMethods::index<method>()};
    SimulationMethods::pack<method>(call.arguments, arguments...);
    return call;
  }

  /// Calls a method with the same arguments on all ranks.
  template <auto method, class... Arguments>
  decltype(auto) call_on_all_ranks(Arguments const&... arguments) const {
    return run_on_all_ranks(make_call<method>(arguments...), [&]() -> decltype(auto) {
      return std::invoke(method, *own_simulation_, arguments...);
    });
  }

  /// Broadcasts a call and runs the part of this rank.
  template <class Action>
  decltype(auto) run_on_all_ranks(RemoteCall const& call, Action const& action) const {
    if (is_alone_) return action();
    return broadcast_and_run(call, action);
  }
  template <class Action>
  decltype(auto) broadcast_and_run(RemoteCall const& call, Action const& action) const {
    if (broken_) {
      throw Error(ExitStatus::internal,
                  Problem{"processes", "cannot continue",
                          "an error in one of them interrupted a collective operation",
                          "see the previous error, then resume the run"});
    }
    broadcast_call(*communicator_, call);
    CollectiveGuard guard(broken_);
    try {
      return action();
    } catch (integrators::Collision const&) {
      guard.set_on_all_ranks();
      throw;
    } catch (Interrupted const&) {
      // Only the leader rank computes here, after all communication: no other rank waits for it.
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
    if (!broken_ && !is_alone_) broadcast_call(*communicator_, {CallKind::forget, number_});
  }

  /// `check_memory` throws on all ranks alike, and then no rank makes a simulation.
  void begin(RemoteCall const& call, std::string const& deck,
             std::function<void()> const& check_memory, MakeOwn const& make) {
    if (is_alone_) {
      own_simulation_ = make(nullptr);
      return;
    }
    broadcast_and_run(call, [&] { broadcast_text(*communicator_, deck); });
    check_memory();
    CollectiveGuard const guard(broken_);
    own_simulation_ = make(communicator_);
  }

  std::uint64_t step() const override { return own_simulation_->step(); }
  double time() const override { return own_simulation_->time(); }
  double G() const override { return own_simulation_->G(); }
  std::size_t count() const override { return own_simulation_->count(); }
  double time_step() const override { return own_simulation_->time_step(); }
  Massless massless() const override { return own_simulation_->massless(); }
  double interactions() const override { return own_simulation_->interactions(); }
  std::uint64_t integrator_steps() const override { return own_simulation_->integrator_steps(); }
  std::string kernel() const override { return own_simulation_->kernel(); }
  std::optional<forces::ForceErrors> force_accuracy() const override {
    return own_simulation_->force_accuracy();
  }
  bool falls_back() const override { return own_simulation_->falls_back(); }
  int threads() const override { return own_simulation_->threads(); }
  double bytes() const override { return own_simulation_->bytes(); }

  HostBodies const& bodies() override { return call_on_all_ranks<&Simulation::bodies>(); }
  std::vector<double> const& potential() override {
    return call_on_all_ranks<&Simulation::potential>();
  }
  diagnostics::Measurement const& measure() override {
    return call_on_all_ranks<&Simulation::measure>();
  }
  std::optional<diagnostics::DensityCentre> const& density_centre() override {
    return call_on_all_ranks<&Simulation::density_centre>();
  }
  std::optional<ClosestApproach> closest_approach() override {
    return call_on_all_ranks<&Simulation::closest_approach>();
  }
  std::optional<diagnostics::PairDistances> pair_distances() override {
    return call_on_all_ranks<&Simulation::pair_distances>();
  }
  std::optional<diagnostics::FarthestBody> farthest_body() override {
    return call_on_all_ranks<&Simulation::farthest_body>();
  }
  diagnostics::ErrorPercentiles force_errors(std::uint64_t seed, std::size_t sample) override {
    return call_on_all_ranks<&Simulation::force_errors>(seed, sample);
  }
  diagnostics::PotentialErrors potential_errors(std::uint64_t seed, std::size_t sample) override {
    return call_on_all_ranks<&Simulation::potential_errors>(seed, sample);
  }
  void show(BodiesReader& reader) override {
    std::exception_ptr failed;  // errors of the reader concern this rank only; no other rank waits
    CallbackReader safe_reader([&](auto const&... arguments) {
      try {
        reader.read(arguments...);
      } catch (...) {
        failed = std::current_exception();
      }
    });
    run_on_all_ranks(make_call<&show_share>(), [&] { own_simulation_->show(safe_reader); });
    if (failed) std::rethrow_exception(failed);
  }
  void copy_to(HostColumns& copies, deck::SnapshotContent const& content) override {
    run_on_all_ranks(make_call<&copy_share>(content.accelerations, content.potentials),
                     [&] { own_simulation_->copy_to(copies, content); });
  }

  void advance(std::uint64_t steps, FollowUp follow_up) override {
    if (is_alone_) {
      own_simulation_->advance(steps, follow_up);
      // Signals of other ranks are gathered at most 50 times per second, since a step may take only
      // a microsecond.
      constexpr std::chrono::milliseconds interval{20};
      if (std::chrono::steady_clock::now() - last_signals_ > interval) receive_signals();
      return;
    }
    run_on_all_ranks(make_call<&Simulation::advance>(steps, follow_up), [&] {
      own_simulation_->advance(steps, follow_up);
      gather_signals(*communicator_);
    });
  }
  void receive_signals() override {
    broadcast_and_run({CallKind::receive_signals}, [&] { gather_signals(*communicator_); });
    last_signals_ = std::chrono::steady_clock::now();
  }
  void set_time_step(double time_step) override {
    call_on_all_ranks<&Simulation::set_time_step>(time_step);
  }
  void reverse_time() override { call_on_all_ranks<&Simulation::reverse_time>(); }
  std::optional<CoarsestPassage> coarsest_passage() override {
    return call_on_all_ranks<&Simulation::coarsest_passage>();
  }
  std::optional<NotFinite> not_finite() override {
    return call_on_all_ranks<&Simulation::not_finite>();
  }
  NotFinite not_finite_measurement() override {
    return call_on_all_ranks<&Simulation::not_finite_measurement>();
  }
  void mark() override { call_on_all_ranks<&Simulation::mark>(); }
  void roll_back() override { call_on_all_ranks<&Simulation::roll_back>(); }
  void exchange(SavedState& state) override {
    APSIS_EXPECT(!state.restores(), "a shared simulation is restored by Leader::restore()");
    run_on_all_ranks(make_call<&save_share>(), [&] { own_simulation_->exchange(state); });
  }
  void set_poll(Poll poll) override { own_simulation_->set_poll(std::move(poll)); }
  void set_step_poll(Poll) override {}
  void poll() override { own_simulation_->poll(); }
  MeasuredTimes time_measurements(unsigned measured) override {
    return call_on_all_ranks<&Simulation::time_measurements>(measured);
  }
  double time_forces() override { return call_on_all_ranks<&Simulation::time_forces>(); }
  BodiesIdentity identity() const override { return call_on_all_ranks<&Simulation::identity>(); }

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
      {restores ? CallKind::restore : CallKind::make, number, 0, {bodies, run.use_all_threads}},
      deck,
      [&] {
        auto const count = share_of(bodies, communicator->rank(), communicator->size()).count;
        all_have_memory(communicator, ranks.front(), run, count, bodies);
      },
      make);
  return shared;
}

}  // namespace apsis::driver
