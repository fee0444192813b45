// SPDX-License-Identifier: Apache-2.0
#include "support/integrators.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/integrators/stepper.hpp>

#include <doctest/doctest.h>

using namespace apsis;
using namespace apsis::testing;
using namespace apsis::integrators;

namespace {

struct Result {
  std::vector<double> from_stepper, from_solver;  ///< potentials of all bodies
  HostBodies bodies;
  bool provides;
};

/// Advances bodies three times. Returns their potentials from the last advance, if `is_requested`,
/// and from a separate evaluation.
Result advance(IntegratorEntry const& entry, Values const& stepping, bool is_requested) {
  ExecutionSpace const space;
  auto const host = sample_bodies(200);
  auto const bodies = to_device<double>(space, host);
  forces::Direct<forces::Double> solver({1.0, 0.1});
  auto values = defaults(entry.parameters);
  values.set("stepping", std::make_shared<Values const>(stepping));
  auto const stepper = make_stepper<double>(entry, values);
  Column<double> from_stepper("apsis::testing::from_stepper", host.size()),
      from_solver("apsis::testing::from_solver", host.size());
  Kokkos::deep_copy(from_stepper, 77.0);
  stepper->start(space, bodies, solver, 0.01);
  for (int i = 0; i < 3; ++i) {
    stepper->advance(space, bodies, solver, 0.01, is_requested ? &from_stepper : nullptr);
  }
  solver.evaluate(space, forces::potentials_of(bodies, from_solver));
  space.fence();
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from_stepper);
  auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from_solver);
  return {{a.data(), a.data() + host.size()},
          {b.data(), b.data() + host.size()},
          to_host(space, bodies),
          stepper->provides_potential()};
}

Values steps(std::string const& mode, double eta) {
  Values stepping;
  stepping.set("mode", mode);
  stepping.set("criterion", std::string("softened_acceleration"));
  stepping.set("eta", eta);
  stepping.set("epsilon", 1e-9);
  stepping.set("judged", std::string("massive"));
  return stepping;
}

}  // namespace

TEST_CASE("potentials from a stepper are those at the end and do not change the motion" *
          testing::thread_counts) {
  int provider_count = 0;
  for (auto const& entry : general_integrators()) {
    CAPTURE(entry.name);
    for (auto const& mode : stepping_modes(entry)) {
      auto const stepping = steps(mode, 0.025);
      CAPTURE(stepping.text("mode"));
      auto const requested = advance(entry, stepping, true);
      auto const not_requested = advance(entry, stepping, false);
      CHECK(requested.bodies.position == not_requested.bodies.position);
      CHECK(requested.bodies.velocity == not_requested.bodies.velocity);
      provider_count += requested.provides ? 1 : 0;
      for (std::size_t i = 0; i < requested.from_stepper.size(); ++i) {
        if (requested.provides) {
          CHECK(std::abs(requested.from_stepper[i] / requested.from_solver[i] - 1.0) < 1e-14);
        } else {
          CHECK(requested.from_stepper[i] == 77.0);
        }
      }
    }
  }
  CHECK(provider_count == 7);  // leapfrog_kdk and blanes_moan*, with fixed and adaptive steps
}
