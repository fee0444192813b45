// SPDX-License-Identifier: Apache-2.0
#include "acts.hpp"

#include <apsis/core/saved_state.hpp>
#include <apsis/driver/background.hpp>
#include <apsis/driver/configuration.hpp>

namespace apsis::driver {

void save_share(Simulation& of) {
  SavedState state;
  of.exchange(state);
}

void show_share(Simulation& of) {
  ReaderBy nobody([](auto const&...) {});
  of.show(nobody);
}

void copy_share(Simulation& of, bool accelerations, bool potentials) {
  HostColumns nothing;
  SnapshotContent content;
  content.accelerations = accelerations;
  content.potentials = potentials;
  of.copy_to(nothing, content);
}

}  // namespace apsis::driver
