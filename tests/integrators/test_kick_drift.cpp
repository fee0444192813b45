// SPDX-License-Identifier: Apache-2.0
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/integrators/kick_drift.hpp>

#include <doctest/doctest.h>

using namespace apsis;
using apsis::testing::approximately;

TEST_CASE_TEMPLATE("kick, drift and damp do what they say", Real, float, double) {
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

TEST_CASE_TEMPLATE("a kick and a drift in one launch are a kick and then a drift", Real, float,
                   double) {
  ExecutionSpace const space;
  for (std::size_t const count : {0, 1, 100}) {
    auto const host = testing::sample_bodies(count);
    auto const one = to_device<Real>(space, host);
    auto const two = to_device<Real>(space, host);
    Kokkos::deep_copy(space, one.acceleration, Real(2));
    Kokkos::deep_copy(space, two.acceleration, Real(2));
    integrators::kick_and_drift(space, one, 0.25, 0.5);
    integrators::kick(space, two, 0.25);
    integrators::drift(space, two, 0.5);
    auto const found = to_host(space, one);
    auto const expected = to_host(space, two);
    double const rounding = sizeof(Real) == 4 ? 1e-6 : 1e-15;
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(norm(found.position[i] - expected.position[i]) < rounding);
      CHECK(norm(found.velocity[i] - expected.velocity[i]) < rounding);
    }
  }
}
