// SPDX-License-Identifier: Apache-2.0
#include "driver/run/share_of_simulation.hpp"
#include "rank_infos.hpp"
#include "remote_call.hpp"
#include "remote_methods.hpp"
#include "time_gathers.hpp"
#include <apsis/bodies/share.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/driver/signals.hpp>
#include <apsis/integrators/collision.hpp>

#include <map>
#include <optional>

namespace apsis::driver {

ExitStatus follow(
    std::shared_ptr<Communicator const> const& communicator,
    std::function<RankInfo(SharingOptions const&, std::shared_ptr<void>& session)> const& begin) {
  std::optional<Signals> signals;
  std::shared_ptr<void> session;
  std::map<std::uint64_t, std::unique_ptr<Simulation>> simulations;
  RankInfo own_info;
  for (;;) {
    auto const call = receive_call(*communicator);
    if (call.kind == CallKind::release) {
      simulations.clear();
      return static_cast<ExitStatus>(call.arguments[0]);
    }
    if (call.kind == CallKind::begin) {
      SharingOptions options;
      if (call.arguments[0] != 0) options.threads = static_cast<int>(call.arguments[0]);
      options.share_devices = (call.arguments[1] & devices_bit) != 0;
      options.heeds_signals = (call.arguments[1] & signals_bit) != 0;
      if (options.heeds_signals && !signals) signals.emplace(-1, Signals::Until::end_of_process);
      try {
        own_info = begin(options, session);
      } catch (...) {
        own_info = failed_rank(error_from(std::current_exception()));
      }
      gather_rank_infos(*communicator, own_info);
    } else if (call.kind == CallKind::connect) {
      communicator->transport();
    } else if (call.kind == CallKind::make || call.kind == CallKind::restore) {
      auto run = deck::configure(broadcast_text(*communicator), "the leader's deck", {},
                                 deck::BodiesFiles::leave)
                     .configuration;
      run.use_all_threads = call.arguments[1] != 0;
      auto const total = static_cast<std::size_t>(call.arguments[0]);
      auto const count = share_of(total, communicator->rank(), communicator->size()).count;
      if (!all_have_memory(communicator, own_info, run, count, total)) continue;
      SavedState state{std::vector<StateBlock>()};
      auto& simulation = simulations[call.simulation];
      simulation = call.kind == CallKind::make
                       ? make_share(run, communicator, {}, call.arguments[0])
                       : restore_share(run, communicator, call.arguments[0], state);
    } else if (call.kind == CallKind::time_gathers) {
      time_gathers(*communicator, call.arguments[0], static_cast<int>(call.arguments[1]));
    } else if (call.kind == CallKind::receive_signals) {
      gather_signals(*communicator);
    } else if (call.kind == CallKind::forget) {
      simulations.erase(call.simulation);
    } else {
      try {
        SimulationMethods::call(call.method, *simulations.at(call.simulation), call.arguments);
        if (call.method == SimulationMethods::index<&Simulation::advance>())
          gather_signals(*communicator);
      } catch (integrators::Collision const&) {
        // Occurs on all ranks; the caller of the leader handles it.
      }
    }
  }
}

}  // namespace apsis::driver
