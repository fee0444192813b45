// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/simulation/simulation.hpp>

namespace apsis::simulation {

/// Versions of make_simulation() and restore_simulation() for the share of one rank of the `total`
/// bodies. The leader rank passes all bodies and the state; the arguments of the other ranks are
/// ignored. All ranks make the same calls of their simulations; only the leader rank then has
/// gathered bodies.
std::unique_ptr<Simulation> make_share(deck::Configuration const& run,
                                       std::shared_ptr<Communicator const> const& communicator,
                                       HostBodies const& start, std::size_t total);
std::unique_ptr<Simulation> restore_share(deck::Configuration const& run,
                                          std::shared_ptr<Communicator const> const& communicator,
                                          std::size_t total, SavedState& state);

}  // namespace apsis::simulation
