// SPDX-License-Identifier: Apache-2.0
#include "remote_methods.hpp"

#include "driver/observers/background.hpp"
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>

namespace apsis::driver {

void save_share(Simulation& simulation) {
  SavedState state;
  simulation.exchange(state);
}

void show_share(Simulation& simulation) {
  CallbackReader reader([](auto const&...) {});
  simulation.show(reader);
}

void copy_share(Simulation& simulation, bool accelerations, bool potentials) {
  HostColumns copies;
  deck::SnapshotContent content;
  content.accelerations = accelerations;
  content.potentials = potentials;
  simulation.copy_to(copies, content);
}

}  // namespace apsis::driver
