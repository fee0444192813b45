// SPDX-License-Identifier: Apache-2.0
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/diagnostics/farthest_body.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace apsis;

namespace {
template <class Real = double>
std::optional<diagnostics::FarthestBody> farthest(HostBodies const& bodies) {
  ExecutionSpace const space;
  return diagnostics::farthest_body(space, to_device<Real>(space, bodies));
}
}  // namespace

TEST_CASE_TEMPLATE("the farthest body agrees with a loop in long double" * testing::thread_counts,
                   Real, float, double) {
  for (std::size_t const count : {1u, 2u, 127u, 128u, 1000u}) {
    auto const bodies = testing::rounded_to_single(testing::sample_bodies(count));
    long double mass = 0, x = 0, y = 0, z = 0;
    for (std::size_t i = 0; i < count; ++i) {
      long double const m = bodies.mass[i];
      mass += m;
      x += m * bodies.position[i].x;
      y += m * bodies.position[i].y;
      z += m * bodies.position[i].z;
    }
    long double largest = -1;
    std::size_t index_of_largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto const p = bodies.position[i];
      long double const r = std::hypot(p.x - x / mass, p.y - y / mass, p.z - z / mass);
      if (r > largest) {
        largest = r;
        index_of_largest = i;
      }
    }
    auto const result = farthest<Real>(bodies);
    REQUIRE(result.has_value());
    CHECK(result->index == index_of_largest);
    CHECK(std::abs(result->distance - static_cast<double>(largest)) < 1e-14);
  }
}

TEST_CASE("farthest body: massless bodies count, equal distances give the first, none is empty" *
          testing::thread_counts) {
  HostBodies bodies(300);
  bodies.mass[7] = 2.0;
  bodies.position[7] = {1.0, 0.0, 0.0};
  bodies.position[20] = {1.0, 3.0, 0.0};
  bodies.position[250] = {1.0, 0.0, -3.0};
  CHECK(farthest(bodies)->index == 20);
  CHECK(farthest(bodies)->distance == 3.0);
  bodies.mass[7] = 0.0;  // without mass, distances are from the origin
  CHECK(farthest(bodies)->distance == std::sqrt(10.0));
  CHECK_FALSE(farthest(HostBodies(0)).has_value());
}
