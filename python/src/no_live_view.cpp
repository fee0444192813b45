// SPDX-License-Identifier: Apache-2.0
#include "live_view.hpp"
#include <apsis/core/error.hpp>

/// In builds without live views no LiveView exists.
namespace apsis::python {

LiveView::LiveView(simulation::SteeredSimulation& /*simulation*/, std::uint16_t /*port*/,
                   std::vector<std::string> const& /*frames*/) {
  throw Error(ExitStatus::usage,
              {"show", "live views are not in this build", "APSIS_ENABLE_VIEW is off",
               "build Apsis with APSIS_ENABLE_VIEW=ON, or draw sim.picture()"});
}

LiveView::~LiveView() = default;
bool LiveView::is_open() {
  return false;
}
std::string LiveView::url() {
  return {};
}
std::size_t LiveView::viewers() {
  return 0;
}
void LiveView::follow(simulation::Instant& /*now*/) {}
void LiveView::arrive(simulation::Instant& /*now*/) {}
void LiveView::rest(simulation::Instant& /*now*/) {}
void LiveView::restart(simulation::SteeredSimulation& /*simulation*/) {}
void LiveView::add_measurement(simulation::Instant& /*now*/) {}
void LiveView::close(std::string const& /*message*/) {}

}  // namespace apsis::python
