// SPDX-License-Identifier: Apache-2.0
// A program that uses an installed Apsis: parts of the library, a run of a deck with a force, an
// integrator and an observer of its own, and a simulation that it steers.
#include "additions.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/integrators/integrator.hpp>
#include <apsis/run/session.hpp>
#include <apsis/simulation/steered_simulation.hpp>
#include <apsis/view/simulation_view.hpp>

#include <cmath>
#include <cstdio>

namespace {

using namespace apsis;

/// Half a kick of 1/4 over 2, drifted for 2.
bool has_leapfrog_step() {
  HostBodies bodies(2);
  bodies.mass = {1.0, 1.0};
  bodies.position[1] = {2.0, 0.0, 0.0};
  ExecutionSpace const space;
  forces::Direct<forces::Double> solver({1.0, 0.0});
  auto const on_device = to_device<double>(space, bodies);
  solver.evaluate(space, forces::accelerations_of(on_device));
  integrators::integrators().front().make<double>({})->step(space, on_device, solver, 2.0);
  return to_host(space, on_device).position[0].x == 0.5;
}

/// A massless body on the spring alone: a cosine, to the order of the scheme.
bool has_run_with_additions() {
  char const* const deck = R"({
    "bodies": {"list": [{"mass": 0, "position": [1, 0, 0]}]},
    "forces": [{"name": "spring", "k": 4}],
    "integrator": {"name": "pefrl", "time_step": 0.03125},
    "run": {"end_time": 3}, "output": {"final_state": false}
  })";
  run::Session session({.text = deck, .output = "consume.run", .existing = run::Existing::replace});
  double distance = 0.0;
  run::Hooks hooks;
  hooks.add_observers = [&](auto const&, run::RunOutput& output) {
    output.add("extent", run::OnError::end_the_run,
               [&](auto&) { return make_extent(32, distance); });
  };
  auto const outcome = session.run(hooks);
  return outcome.exit == ExitStatus::conserved && outcome.steps == 96;
}

bool has_steered_simulation() {
  simulation::SteeredSimulation simulation(deck::configure_simulation(
      R"({"bodies": {"list": [{"mass": 0, "position": [1, 0, 0]}]},
          "forces": [{"name": "spring", "k": 4}],
          "integrator": {"name": "pefrl", "time_step": 0.03125}})",
      "deck", {}));
#if APSIS_ENABLE_VIEW
  view::SimulationView view(simulation.deck().configuration, simulation.now(), {});
  std::printf("%s\n", view.url().c_str());
#endif
  simulation.advance_to(1.0);
  double const x = simulation.now().bodies().position[0].x;
  std::printf("x = %g\n", x);
  return std::abs(x - std::cos(2.0)) < 1e-6;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  add_spring();
  add_pefrl();
  return has_leapfrog_step() && has_run_with_additions() && has_steered_simulation() ? 0 : 1;
}
