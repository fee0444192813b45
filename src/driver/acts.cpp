// SPDX-License-Identifier: Apache-2.0
#include "acts.hpp"

#include <apsis/core/saved_state.hpp>
#include <apsis/driver/background.hpp>
#include <apsis/driver/configuration.hpp>

namespace apsis::driver {

namespace {

/// One who looks at nothing.
class NoReader final : public BodiesReader {
 public:
  void read(Context const&, Bodies<float> const&, std::vector<std::uint8_t> const&) override {}
  void read(Context const&, Bodies<double> const&, std::vector<std::uint8_t> const&) override {}
};

}  // namespace

void save_share(Simulation& of) {
  SavedState state;
  of.exchange(state);
}

void show_share(Simulation& of) {
  NoReader nobody;
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
