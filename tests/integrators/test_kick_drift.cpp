// SPDX-License-Identifier: Apache-2.0
#include "integrators/kick_drift.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>

#include <doctest/doctest.h>

using namespace apsis;
using apsis::testing::approximately;

TEST_CASE_TEMPLATE("kick, drift and damp change positions and velocities" * testing::thread_counts,
                   Real, float, double) {
  ExecutionSpace const space;
  for (std::size_t const count : {0, 1, 100}) {
    auto const host = testing::sample_bodies(count);
    auto const bodies = to_device<Real>(space, host);
    Kokkos::deep_copy(space, bodies.acceleration, Real(2));
    auto const before = to_host(space, bodies);
    integrators::kick(space, bodies, 0.25);
    integrators::drift(space, bodies, 0.5);
    integrators::damp(space, bodies, 0.5);
    auto const after = to_host(space, bodies);
    for (std::size_t i = 0; i < count; ++i) {
      double const kicked = before.velocity[i].y + 0.5;
      CHECK(after.position[i].y == approximately(before.position[i].y + 0.5 * kicked, 1e-6));
      CHECK(after.velocity[i].y == approximately(0.5 * kicked, 1e-6));
      CHECK(after.mass[i] == before.mass[i]);
    }
  }
}

TEST_CASE_TEMPLATE("kick_and_drift equals a kick followed by a drift" * testing::thread_counts,
                   Real, float, double) {
  ExecutionSpace const space;
  for (std::size_t const count : {0, 1, 100}) {
    auto const host = testing::sample_bodies(count);
    auto const fused = to_device<Real>(space, host);
    auto const separate = to_device<Real>(space, host);
    Kokkos::deep_copy(space, fused.acceleration, Real(2));
    Kokkos::deep_copy(space, separate.acceleration, Real(2));
    integrators::kick_and_drift(space, fused, 0.25, 0.5);
    integrators::kick(space, separate, 0.25);
    integrators::drift(space, separate, 0.5);
    auto const result = to_host(space, fused);
    auto const expected = to_host(space, separate);
    double const rounding = sizeof(Real) == 4 ? 1e-6 : 1e-15;
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(norm(result.position[i] - expected.position[i]) < rounding);
      CHECK(norm(result.velocity[i] - expected.velocity[i]) < rounding);
    }
  }
}
