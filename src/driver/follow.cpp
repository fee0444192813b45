// SPDX-License-Identifier: Apache-2.0
#include "acts.hpp"
#include "echo.hpp"
#include "members.hpp"
#include "share_of_simulation.hpp"
#include "told.hpp"
#include <apsis/bodies/share.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/signals.hpp>
#include <apsis/integrators/collision.hpp>

#include <map>
#include <optional>

namespace apsis::driver {

ExitStatus follow(std::shared_ptr<Communicator const> const& leader,
                  std::function<Member(Sharing const&, std::shared_ptr<void>& kept)> const& begin) {
  std::optional<Signals> signals;
  std::shared_ptr<void> kept;
  std::map<std::uint64_t, std::unique_ptr<Simulation>> simulations;
  Member own;
  for (;;) {
    auto const told = hear(*leader);
    if (told.call == Call::release) {
      simulations.clear();
      return static_cast<ExitStatus>(told.numbers[0]);
    }
    if (told.call == Call::begin) {
      Sharing how;
      if (told.numbers[0] != 0) how.threads = static_cast<int>(told.numbers[0]);
      how.share_devices = (told.numbers[1] & devices_bit) != 0;
      how.heeds_signals = (told.numbers[1] & signals_bit) != 0;
      if (how.heeds_signals && !signals) signals.emplace(-1, Signals::Until::end_of_process);
      try {
        own = begin(how, kept);
      } catch (...) {
        own = failed_member(error_from(std::current_exception()));
      }
      members_of(*leader, own);
    } else if (told.call == Call::connect) {
      leader->transport();
    } else if (told.call == Call::make || told.call == Call::restore) {
      auto run = configure(text_of_the_first(*leader), "the leader's deck", {}, BodiesFiles::leave)
                     .configuration;
      run.use_all_threads = told.numbers[1] != 0;
      auto const total = static_cast<std::size_t>(told.numbers[0]);
      auto const count = share_of(total, leader->rank(), leader->size()).count;
      if (!all_have_memory(leader, own, run, count, total)) continue;
      SavedState state{std::vector<StateBlock>()};
      auto& made = simulations[told.simulation];
      made = told.call == Call::make ? make_share(run, leader, {}, told.numbers[0])
                                     : restore_share(run, leader, told.numbers[0], state);
    } else if (told.call == Call::echo) {
      echoed(*leader, told.numbers[0], static_cast<int>(told.numbers[1]));
    } else if (told.call == Call::hear_signals) {
      hear_of_signals(*leader);
    } else if (told.call == Call::forget) {
      simulations.erase(told.simulation);
    } else {
      try {
        SharedActs::act(told.act, *simulations.at(told.simulation), told.numbers);
        if (told.act == SharedActs::number<&Simulation::advance>()) hear_of_signals(*leader);
      } catch (integrators::Collision const&) {
        // Occurs on all ranks; the caller of the leader handles it.
      }
    }
  }
}

}  // namespace apsis::driver
