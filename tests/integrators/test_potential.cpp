// SPDX-License-Identifier: Apache-2.0
#include "support/integrators.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/integrators/stepper.hpp>

#include <doctest/doctest.h>

using namespace apsis;
using namespace apsis::testing;
using namespace apsis::integrators;

namespace {

struct Found {
  std::vector<double> along, alone;  ///< potentials
  HostBodies bodies;
  bool finds;
};

/// Everybody's potential after some times, as it came along with the last of them if `asked`, and
/// as it is evaluated there.
Found found(IntegratorEntry const& entry, Values const& stepping, bool asked) {
  ExecutionSpace const space;
  auto const host = sample_bodies(200);
  auto const bodies = to_device<double>(space, host);
  forces::Direct<forces::Double> solver({1.0, 0.1});
  auto values = defaults(entry.parameters);
  values.set("stepping", std::make_shared<Values const>(stepping));
  auto const stepper = make_stepper<double>(entry, values);
  Column<double> along("apsis::testing::along", host.size()),
      alone("apsis::testing::alone", host.size());
  Kokkos::deep_copy(along, 77.0);
  stepper->start(space, bodies, solver, 0.01);
  for (int i = 0; i < 3; ++i) {
    stepper->advance(space, bodies, solver, 0.01, asked ? along : Column<double>());
  }
  solver.evaluate(space, forces::potentials_of(bodies, alone));
  space.fence();
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), along);
  auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), alone);
  return {{a.data(), a.data() + host.size()},
          {b.data(), b.data() + host.size()},
          to_host(space, bodies),
          stepper->finds_potential()};
}

Values steps(std::string const& mode, double eta) {
  Values stepping;
  stepping.set("mode", mode);
  stepping.set("criterion", std::string("softened_acceleration"));
  stepping.set("eta", eta);
  return stepping;
}

}  // namespace

TEST_CASE("a scheme that finds potentials finds those of the end of the step, and moves nobody") {
  int finders = 0;
  for (auto const& entry : integrators::integrators()) {
    CAPTURE(entry.name);
    std::vector<Values> steppings{steps("fixed", 0.0), steps("adaptive", 0.025)};
    if (entry.has_blocks()) steppings.push_back(steps("block", 0.02));
    for (auto const& stepping : steppings) {
      CAPTURE(stepping.text("mode"));
      auto const with = found(entry, stepping, true);
      auto const without = found(entry, stepping, false);
      CHECK(with.bodies.position == without.bodies.position);
      CHECK(with.bodies.velocity == without.bodies.velocity);
      finders += with.finds ? 1 : 0;
      for (std::size_t i = 0; i < with.along.size(); ++i) {
        if (with.finds) {
          CHECK(std::abs(with.along[i] / with.alone[i] - 1.0) < 1e-14);
        } else {
          CHECK(with.along[i] == 77.0);
        }
      }
    }
  }
  CHECK(finders == 7);  // leapfrog_kdk and blanes_moan*, with fixed and adaptive steps
}
