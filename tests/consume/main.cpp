// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/initial_conditions/model.hpp>
#include <apsis/integrators/integrator.hpp>
#include <apsis/view/server.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  apsis::HostBodies bodies(2);
  bodies.mass = {1.0, 1.0};
  bodies.position[1] = {2.0, 0.0, 0.0};
  apsis::ExecutionSpace const space;
  apsis::forces::Direct<apsis::forces::Double> solver({1.0, 0.0});
  auto const on_device = apsis::to_device<double>(space, bodies);
  solver.evaluate(space, apsis::forces::accelerations_of(on_device));
  apsis::integrators::integrators().front().make<double>({})->step(space, on_device, solver, 2.0);
  double const x = apsis::to_host(space, on_device).position[0].x;
  std::printf("%g\n", x);
#if APSIS_ENABLE_VIEW
  apsis::view::Server server{apsis::view::ServerOptions{}};
  server.say("state", "{}");
  std::printf("%s\n", server.url().c_str());
#endif
  return x == 0.5 ? 0 : 1;  // half a kick of 1/4 over 2, drifted for 2
}
