// SPDX-License-Identifier: Apache-2.0
#include "support/models.hpp"
#include "support/relative.hpp"
#include <apsis/diagnostics/system_scales.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::model;
using apsis::testing::values_for;

TEST_CASE("the scales of a displaced Plummer sphere agree with its formulas") {
  constexpr std::int64_t count = 20000;
  auto values = values_for(model("plummer"), count);
  values.set("mass", 500.0);
  values.set("scale_radius", 2.0);
  double const gravity = 0.0045;
  auto bodies = model("plummer").make(values, gravity);
  for (auto& x : bodies.position) x = x + Vec3<double>{100.0, -20.0, 3.0};
  bodies.mass[7] *= 3.0;
  bodies.mass[8] = 0.0;
  auto const scales = diagnostics::system_scales(bodies, gravity);
  CHECK(scales.mass == approximately(500.0 * 20001.0 / 20000.0));
  CHECK(scales.heaviest == approximately(3.0 * 0.025));
  CHECK(scales.lightest == approximately(0.025));
  CHECK(scales.massless == 1);
  // 1.3048 a encloses half of the mass.
  double const half = 1.3048 * 2.0;
  CHECK(scales.half_mass_radius == approximately(half, 0.03));
  CHECK(scales.half_number_radius == approximately(half, 0.03));
  double const dynamical = std::sqrt(half * half * half / (gravity * 500.0));
  REQUIRE(scales.crossing_time);
  REQUIRE(scales.relaxation_time);
  CHECK(*scales.crossing_time == approximately(2.8284 * dynamical, 0.05));
  double const exact = std::sqrt(std::pow(scales.half_mass_radius, 3) / (gravity * scales.mass));
  CHECK(*scales.crossing_time == approximately(2.0 * std::sqrt(2.0) * exact));
  CHECK(*scales.relaxation_time ==
        approximately(0.138 * 19999 / std::log(0.11 * 19999) * dynamical, 0.05));
}

TEST_CASE("heavy bodies near the centre reduce the half-mass radius, not the half-number radius") {
  HostBodies bodies(101);
  bodies.mass[100] = 1.0;  // at the centre
  for (std::size_t i = 0; i < 100; ++i) {
    double const r = static_cast<double>(i / 2 + 1);  // one body on either side
    bodies.position[i] = {i % 2 == 0 ? r : -r, 0.0, 0.0};
    bodies.mass[i] = i < 10 ? 9.0 : 1.0;
  }
  auto const scales = diagnostics::system_scales(bodies, 1.0);
  CHECK(scales.half_mass_radius == approximately(5.0));
  CHECK(scales.half_number_radius == approximately(25.0));
}

TEST_CASE("systems of few, dominated or massless bodies have no relaxation time") {
  auto const pair = model("kepler").make(values_for(model("kepler")), 1.0);
  auto const pair_scales = diagnostics::system_scales(pair, 1.0);
  CHECK(pair_scales.mass == 1.0);
  CHECK(pair_scales.radius > 0.4);
  CHECK_FALSE(pair_scales.crossing_time);
  auto cluster = model("plummer").make(values_for(model("plummer"), 100), 1.0);
  cluster.mass[0] = 10.0;
  CHECK_FALSE(diagnostics::system_scales(cluster, 1.0).relaxation_time);
  for (double& m : cluster.mass) m = 0.0;
  auto const massless = diagnostics::system_scales(cluster, 1.0);
  CHECK(massless.mass == 0.0);
  CHECK(massless.massless == 100);
  CHECK(massless.radius > 0.5);
  CHECK(diagnostics::system_scales({}, 1.0).mass == 0.0);
}
