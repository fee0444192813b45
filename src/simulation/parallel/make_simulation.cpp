// SPDX-License-Identifier: Apache-2.0
#include "simulation/share_of_simulation.hpp"
#include <apsis/deck/configuration.hpp>
#include <apsis/simulation/leader.hpp>

namespace apsis::simulation {

std::unique_ptr<Simulation> make_simulation(deck::Configuration const& run,
                                            HostBodies const& start) {
  return run.leader ? run.leader->make(run, start) : make_share(run, nullptr, start, start.size());
}

std::unique_ptr<Simulation> restore_simulation(deck::Configuration const& run, std::size_t count,
                                               SavedState& state) {
  return run.leader ? run.leader->restore(run, count, state)
                    : restore_share(run, nullptr, count, state);
}

}  // namespace apsis::simulation
