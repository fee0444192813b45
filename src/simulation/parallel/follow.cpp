// SPDX-License-Identifier: Apache-2.0
#include "core/signals.hpp"
#include "rank_infos.hpp"
#include "remote_call.hpp"
#include "simulation/own_simulation.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <map>
#include <optional>

namespace apsis::simulation {

namespace {

using BeginRank = std::function<RankInfo(SharingOptions const&, std::shared_ptr<void>& session)>;

/// A follower rank: its simulations, and its part in each operation of the leader rank. Results are
/// used on the leader rank only.
class Follower {
 public:
  Follower(std::shared_ptr<Communicator const> communicator, BeginRank begin)
      : communicator_(std::move(communicator)), begin_(std::move(begin)) {}

  ExitStatus run() {
    for (;;) {
      auto const call = receive_call(*communicator_);
      if (call.operation == Operation::release) {
        simulations_.clear();
        return call.status;
      }
      try {
        execute(call);
      } catch (integrators::Collision const&) {
        // Occurs on all ranks; the caller of the leader handles it.
      }
    }
  }

 private:
  void execute(RemoteCall const& call) {
    auto const simulation = [&]() -> Simulation& { return *simulations_.at(call.simulation); };
    switch (call.operation) {
      case Operation::begin:
        return begin(call.options);
      case Operation::connect:
        communicator_->transport();
        break;
      case Operation::release:
        break;
      case Operation::time_gathers:
        time_gathers(*communicator_, call.bytes, call.times);
        break;
      case Operation::receive_signals:
        return gather_signals(*communicator_);
      case Operation::make:
      case Operation::restore:
        return make(call);
      case Operation::forget:
        simulations_.erase(call.simulation);
        break;
      case Operation::advance:
        simulation().advance(call.steps, call.follow_up);
        return gather_signals(*communicator_);
      case Operation::set_time_step:
        return simulation().set_time_step(call.time_step);
      case Operation::reverse_time:
        return simulation().reverse_time();
      case Operation::mark:
        return simulation().mark();
      case Operation::roll_back:
        return simulation().roll_back();
      case Operation::save: {
        SavedState state;
        simulation().exchange(state);
        break;
      }
      case Operation::whole:
        simulation().whole(call.potentials);
        break;
      case Operation::with_accelerations:
        simulation().with_accelerations();
        break;
      case Operation::measure:
        simulation().measure();
        break;
      case Operation::closest_approach:
        simulation().closest_approach(call.since);
        break;
      case Operation::coarsest_passage:
        simulation().coarsest_passage();
        break;
      case Operation::not_finite:
        simulation().not_finite();
        break;
      case Operation::time_solver:
        simulation().time_solver(call.measured);
        break;
    }
  }

  void begin(SharingOptions const& options) {
    if (options.heeds_signals && !signals_) signals_.emplace(-1, Signals::Until::end_of_process);
    try {
      own_info_ = begin_(options, session_);
    } catch (...) {
      own_info_ = failed_rank(error_from(std::current_exception()));
    }
    gather_rank_infos(*communicator_, own_info_);
  }

  void make(RemoteCall const& call) {
    auto run = deck::configure(broadcast_text(*communicator_), "the leader's deck", {},
                               deck::BodiesFiles::leave)
                   .configuration;
    run.use_all_threads = call.use_all_threads;
    auto const share = share_of(call.bodies, communicator_->rank(), communicator_->size());
    if (!all_have_memory(communicator_, own_info_, run, share.count, call.bodies)) return;
    SavedState state{std::vector<StateBlock>()};
    simulations_[call.simulation] = call.operation == Operation::make
                                        ? make_share(run, communicator_, {}, call.bodies)
                                        : restore_share(run, communicator_, call.bodies, state);
  }

  std::shared_ptr<Communicator const> communicator_;
  BeginRank begin_;
  std::optional<Signals> signals_;
  std::shared_ptr<void> session_;
  std::map<std::uint64_t, std::unique_ptr<Simulation>> simulations_;
  RankInfo own_info_;
};

}  // namespace

ExitStatus follow(std::shared_ptr<Communicator const> const& communicator, BeginRank const& begin) {
  return Follower(communicator, begin).run();
}

}  // namespace apsis::simulation
