// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/simulation/leader.hpp>
#include <apsis/simulation/simulation.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace apsis::simulation {

/// Whether the bodies fit in one block of the fixed-order sum, so that all other ranks have none.
constexpr bool one_rank_has_all(std::size_t bodies) {
  return bodies <= fixed_sum_block;
}

/// Guard of a collective operation. An exception on this rank leaves the other ranks waiting in it.
/// The guard records this in `broken`, unless the exception occurs on all ranks.
class CollectiveGuard {
 public:
  explicit CollectiveGuard(bool& broken) : broken_(broken) {}
  ~CollectiveGuard() {
    broken_ = broken_ || (std::uncaught_exceptions() > exceptions_before_ && !on_all_ranks_);
  }
  CollectiveGuard(CollectiveGuard const&) = delete;
  CollectiveGuard& operator=(CollectiveGuard const&) = delete;

  void set_on_all_ranks() { on_all_ranks_ = true; }

 private:
  bool& broken_;
  bool on_all_ranks_ = false;
  int exceptions_before_ = std::uncaught_exceptions();
};

/// Makes the simulation of the bodies of this rank, which shares the run with the ranks of the
/// communicator. With null it has all bodies.
using MakeOwn = std::function<std::unique_ptr<Simulation>(
    std::shared_ptr<Communicator const> const& communicator)>;

/// Makes the simulation of a run that several ranks share, for the leader rank. Each call is
/// broadcast to the follower ranks, which apply it to their simulations.
///
///     shared_simulation()                        follow()
///       broadcast_call(make, count)   ------->     receive_call()
///       broadcast_text(deck)          ------->     configure(deck)
///       all_have_memory()             <------>     all_have_memory()
///       make(communicator)            <------>     make_share(...), stored by its number
///
/// `make` makes the simulation of the leader rank after the deck was sent. With `restores` all
/// ranks restore a saved state instead. An exception that does not occur on all ranks leaves the
/// others waiting in a collective operation and sets `broken`.
///
/// If one block holds all bodies, they stay on the leader rank without a communicator: the other
/// ranks would only wait in every sum. They still take part in the exchange of signals.
std::unique_ptr<Simulation> shared_simulation(
    std::shared_ptr<Communicator const> const& communicator, std::vector<RankInfo> const& ranks,
    std::uint64_t number, bool& broken, std::string const& deck, deck::Configuration const& run,
    std::size_t bodies, bool restores, MakeOwn const& make);

}  // namespace apsis::simulation
