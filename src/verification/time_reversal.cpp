// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "problems.hpp"
#include <apsis/integrators/integrator_entry.hpp>

namespace apsis::verification {

namespace {

void verify(Extent, Tell const& tell) {
  for (auto const& integrator : integrators::integrators()) {
    if (!integrator.time_reversible) continue;
    auto const sphere = experiment(R"({"bodies": {"generator": "plummer", "count": 128, "seed": 1},
                                 "gravity": {"softening": 0.05},
                                 "integrator": {"time_step": 0.0078125}, "run": {"steps": 1}})",
                                   {"integrator.name=" + integrator.name});
    auto const start = sphere->bodies();
    sphere->advance(128);
    sphere->turn_back();
    sphere->advance(128);
    tell({"Plummer sphere, forth and back: distance missed", integrator.name,
          largest_distance(start, sphere->bodies()), std::nullopt, 1e-13});
  }
}

}  // namespace

KnownAnswer time_reversal() {
  return {"time_reversal", "every time-reversible integrator runs back to its start", verify};
}

}  // namespace apsis::verification
