// SPDX-License-Identifier: Apache-2.0
#include "support/reference_force.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/diagnostics/force_error_sample.hpp>
#include <apsis/diagnostics/reference_field.hpp>
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <set>

using namespace apsis;
using namespace apsis::testing;
using diagnostics::random_sample;

TEST_CASE("the compensated reference is a long double loop to the last digit but one") {
  for (std::size_t const count : {1, 2, 300}) {
    for (double const softening : {0.0, 0.05}) {
      auto const host = sample_bodies(count);
      ReferenceForce const expected(host, 1.7, softening);
      auto const found = diagnostics::reference_field(host, {1.7, softening});
      REQUIRE(found.acceleration.size() == count);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(norm(found.acceleration[i] - expected.acceleration[i]) <=
              1e-15 * norm(expected.acceleration[i]));
        CHECK(std::abs(found.potential[i] - expected.potential[i]) <=
              5e-16 * std::abs(expected.potential[i]));
      }
    }
  }
}

TEST_CASE("the reference knows every softening kernel") {
  for (auto const& entry : forces::softening_kernels()) {
    CAPTURE(entry.name);
    auto const host = sample_bodies(300);
    double const eps = entry.kernel == forces::SofteningKernel::none ? 0.0 : 0.4;
    ReferenceForce const expected(host, 1.7, eps, entry.kernel);
    auto const found = diagnostics::reference_field(host, {1.7, eps, entry.kernel});
    for (std::size_t i = 0; i < host.size(); ++i) {
      CHECK(norm(found.acceleration[i] - expected.acceleration[i]) <=
            4e-15 * norm(expected.acceleration[i]));
      CHECK(std::abs(found.potential[i] - expected.potential[i]) <=
            1e-15 * std::abs(expected.potential[i]));
    }
  }
}

TEST_CASE("the reference at some bodies is that at all of them") {
  auto host = sample_bodies(100);
  host.mass[3] = 0.0;
  host.position[7] = host.position[42];  // unsoftened in one place: no pull, but infinitely deep
  auto const all = diagnostics::reference_field(host, {1.0, 0.0});
  auto const some = diagnostics::reference_field(host, {1.0, 0.0}, {42, 3, 99});
  REQUIRE(some.acceleration.size() == 3);
  CHECK((some.acceleration[0] == all.acceleration[42]));
  CHECK((some.acceleration[1] == all.acceleration[3]));
  CHECK((some.acceleration[2] == all.acceleration[99]));
  CHECK(some.potential[2] == all.potential[99]);
  CHECK(std::isinf(some.potential[0]));
  CHECK(std::isfinite(some.acceleration[0].x));
}

TEST_CASE("a random sample depends on the seed and the step, and favours nobody") {
  auto const sample = random_sample(1, 2, 10, 1000);
  CHECK(sample == random_sample(1, 2, 10, 1000));
  CHECK(sample != random_sample(1, 3, 10, 1000));
  CHECK(sample != random_sample(2, 2, 10, 1000));
  CHECK(random_sample(1, 2, 5, 5) == std::vector<std::size_t>{0, 1, 2, 3, 4});
  CHECK(random_sample(1, 2, 9, 3) == std::vector<std::size_t>{0, 1, 2});
  CHECK(random_sample(1, 2, 3, 0).empty());
  std::vector<int> chosen(20);
  for (std::uint64_t step = 0; step < 10000; ++step) {
    auto const places = random_sample(7, step, 5, 20);
    CHECK(std::is_sorted(places.begin(), places.end()));
    CHECK(std::set<std::size_t>(places.begin(), places.end()).size() == 5);
    for (std::size_t const i : places) ++chosen.at(i);
  }
  // 2500 each on average, with a standard deviation of 43.
  for (int const times : chosen) CHECK(std::abs(times - 2500) < 5 * 43);
}

TEST_CASE_TEMPLATE("force errors are those of the accelerations that were found", Real, float,
                   double) {
  ExecutionSpace const space;
  constexpr std::size_t count = 400;
  forces::Gravity const gravity{1.3, 0.05};
  auto const host =
      sizeof(Real) == 4 ? rounded_to_single(sample_bodies(count)) : sample_bodies(count);
  auto const bodies = to_device<Real>(space, host);
  forces::Direct<forces::Arithmetic<Real, Real, Real>> solver(gravity);
  solver.evaluate(space, forces::accelerations_of(bodies));
  auto const all = random_sample(0, 0, count, count);
  auto const honest = diagnostics::force_errors(space, bodies, gravity, all);
  double const digits = std::numeric_limits<Real>::epsilon();
  CHECK(honest.maximum < 100.0 * digits);
  CHECK(honest.median > 0.05 * digits);
  CHECK(honest.median <= honest.p90);
  CHECK(honest.p90 <= honest.p99);
  CHECK(honest.p99 <= honest.maximum);

  // Bodies whose acceleration is wrong by a known part.
  ReferenceForce const expected(host, gravity.G, gravity.softening);
  auto const mirror = Kokkos::create_mirror_view(bodies.acceleration);
  auto const spoil = [&](std::size_t i, double part) {
    Vec3<double> const a = (1.0 + part) * expected.acceleration[i];
    mirror(i, 0) = static_cast<Real>(a.x);
    mirror(i, 1) = static_cast<Real>(a.y);
    mirror(i, 2) = static_cast<Real>(a.z);
  };
  for (std::size_t i = 0; i < count; ++i) spoil(i, i < 220 ? 0.1 : i < 370 ? 0.2 : 0.3);
  spoil(399, 0.4);
  Kokkos::deep_copy(bodies.acceleration, mirror);
  auto const spoilt = diagnostics::force_errors(space, bodies, gravity, all);
  CHECK(spoilt.median == approximately(0.1, 1e-4));
  CHECK(spoilt.p90 == approximately(0.2, 1e-4));
  CHECK(spoilt.p99 == approximately(0.3, 1e-4));
  CHECK(spoilt.maximum == approximately(0.4, 1e-4));
  CHECK(diagnostics::force_errors(space, bodies, gravity, {0, 200, 219}).maximum ==
        approximately(0.1, 1e-4));
  CHECK(diagnostics::force_errors(space, bodies, gravity, {}).maximum == 0.0);
  // Alone, no force is no error.
  auto const alone = to_device<Real>(space, sample_bodies(1));
  CHECK(diagnostics::force_errors(space, alone, gravity, {0}).maximum == 0.0);

  Kokkos::deep_copy(bodies.acceleration, std::numeric_limits<Real>::quiet_NaN());
  CHECK(std::isinf(diagnostics::force_errors(space, bodies, gravity, {1}).median));
}

TEST_CASE("errors of potentials are those of bodies and of what they add up to") {
  forces::Gravity const gravity{1.3, 0.05};
  auto const bodies = sample_bodies(400);
  ReferenceForce const expected(bodies, gravity.G, gravity.softening);
  auto const all = random_sample(0, 0, 400, 400);
  auto const honest = diagnostics::potential_errors(bodies, expected.potential, gravity, all);
  CHECK(honest.bodies.maximum < 1e-14);
  CHECK(std::abs(honest.energy) < 1e-14);

  // Too deep by a tenth for half of them, not deep enough by as much for the others.
  auto spoilt = expected.potential;
  for (std::size_t i = 0; i < 400; ++i) spoilt[i] *= i % 2 == 0 ? 1.1 : 0.9;
  double off = 0.0, energy = 0.0;
  for (std::size_t i = 0; i < 400; ++i) {
    off += bodies.mass[i] * (spoilt[i] - expected.potential[i]);
    energy += bodies.mass[i] * std::abs(expected.potential[i]);
  }
  auto const found = diagnostics::potential_errors(bodies, spoilt, gravity, all);
  CHECK(found.bodies.median == approximately(0.1));
  CHECK(found.bodies.maximum == approximately(0.1));
  CHECK(found.energy == approximately(off / energy));
  CHECK(std::abs(found.energy) < 0.02);
  CHECK(diagnostics::potential_errors(bodies, spoilt, gravity, {0, 2}).energy ==
        approximately(-0.1));
  CHECK(diagnostics::potential_errors(bodies, spoilt, gravity, {1, 3, 5}).energy ==
        approximately(0.1));
  CHECK(diagnostics::potential_errors(bodies, spoilt, gravity, {}).energy == 0.0);
}
