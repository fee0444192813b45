// SPDX-License-Identifier: Apache-2.0
#include "support/integrators.hpp"
#include "support/scratch.hpp"
#include <apsis/core/execution.hpp>
#include <apsis/run/loop.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <set>

using namespace apsis;

namespace {

std::set<std::string>& labels() {
  static std::set<std::string> names;
  return names;
}

void record_kernel(char const* name, std::uint32_t, std::uint64_t*) {
  labels().insert(name);
}
void record_allocation(Kokkos::Tools::SpaceHandle, char const* name, void const*, std::uint64_t) {
  labels().insert(name);
}

/// Whether a label was set by a library.
bool is_library_label(std::string const& label) {
  for (auto const* prefix : {"KokkosBlas::", "Kokkos::", "MirrorSpace", "none"}) {
    if (label.rfind(prefix, 0) == 0) return true;
  }
  return label.find("_mirror") != std::string::npos || label.empty();
}

}  // namespace

TEST_CASE("every kernel and every allocation has a label with its path") {
  using namespace Kokkos::Tools::Experimental;
  set_begin_parallel_for_callback(record_kernel);
  set_begin_parallel_reduce_callback(record_kernel);
  set_begin_parallel_scan_callback(record_kernel);
  set_allocate_data_callback(record_allocation);
  for (auto const* precision : {"single", "double"}) {
    for (auto const& integrator : apsis::testing::general_integrators()) {
      if (integrator.needs_exact_forces && precision != std::string("double")) continue;
      auto const deck = deck::configure(
          R"({"bodies": {"generator": "plummer", "count": 300, "henon_units": true},
              "gravity": {"softening": 0.1}, "integrator": {"time_step": 0.01}, "run": {"steps": 3, "encounter_distance": 1e-9, "escape_radius": 1000},
              "diagnostics": {"lagrangian_radii": {}, "structure": {}, "pair_distances": {},
                              "force_error_sample": {}, "potential_error_sample": {}}})",
          "deck",
          {"gravity.precision=" + std::string(precision), "integrator.name=" + integrator.name});
      auto const bodies = simulation::make_bodies(deck.configuration);
      apsis::testing::Scratch const scratch;
      run::RunDirectory directory(scratch / "run", run::Existing::replace);
      directory.prepare();
      run::RunOutput output(deck.configuration, directory, deck.resolved);
      auto const outcome = run::simulate(deck.configuration, bodies, output);
      CHECK(outcome.exit == ExitStatus::conserved);
    }
  }
  set_begin_parallel_for_callback(nullptr);
  set_begin_parallel_reduce_callback(nullptr);
  set_begin_parallel_scan_callback(nullptr);
  set_allocate_data_callback(nullptr);
  CHECK(labels().count("apsis::forces::direct::accelerate") == 1);
  CHECK(labels().count("apsis::bodies::position") == 1);
  for (auto const* diagnostic : {"neighbour_densities", "pair_distances", "reference_field"}) {
    CHECK(labels().count(std::string("apsis::diagnostics::") + diagnostic) == 1);
  }
  for (auto const& label : labels()) {
    CAPTURE(label);
    CHECK_UNARY(is_library_label(label) || label.rfind("apsis::", 0) == 0);
  }
}
