// SPDX-License-Identifier: Apache-2.0
#include "support/relative.hpp"
#include "verification/experiment.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace apsis;
using apsis::testing::approximately;

TEST_CASE("the larger error and NaN are kept") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(verification::worse(1.0, -2.0) == 2.0);
  CHECK(verification::worse(-3.0, 2.0) == 3.0);
  CHECK(std::isnan(verification::worse(nan, 1.0)));
  CHECK(std::isnan(verification::worse(1.0, nan)));
  HostBodies a(3), b(3);
  b.position[1] = {0.0, 3.0, 4.0};
  CHECK(verification::largest_distance(a, b) == 5.0);
  b.position[0].x = nan;
  CHECK(std::isnan(verification::largest_distance(a, b)));
}

TEST_CASE("an experiment advances a deck by its own time steps, forwards and backwards") {
  std::string const deck = R"({
    "bodies": {"list": [{"mass": 1, "position": [1, 0, 0], "velocity": [0, 0, 2]}]},
    "integrator": {"time_step": 1}, "run": {"steps": 1}})";
  auto const body = verification::make_experiment(
      {}, deck, {verification::make_override("integrator.time_step", 1.0 / 3.0)});
  CHECK(body->state().time_step == 1.0 / 3.0);
  body->advance(6);
  CHECK(body->time() == 2.0);
  CHECK(body->bodies().position[0].z == approximately(4.0, 1e-15));
  CHECK(body->measure().kinetic == 2.0);
  body->reverse_time();
  body->advance(6);
  CHECK(std::abs(body->time()) < 1e-15);
  CHECK(std::abs(body->bodies().position[0].z) < 1e-15);
  CHECK(verification::make_deck_bodies(deck).position[0] == Vec3<double>{1.0, 0.0, 0.0});
}
