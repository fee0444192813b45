// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/force_error_sample.hpp"
#include "support/reference_force.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <set>

using namespace apsis;
using namespace apsis::testing;
using diagnostics::random_sample;

TEST_CASE("the reference field with compensated sums agrees with a long double loop" *
          testing::thread_counts) {
  for (std::size_t const count : {1, 2, 300}) {
    for (double const softening : {0.0, 0.05}) {
      auto const host = sample_bodies(count);
      ReferenceForce const expected(host, 1.7, softening);
      auto const result = diagnostics::reference_field(host, {1.7, softening});
      REQUIRE(result.acceleration.size() == count);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(norm(result.acceleration[i] - expected.acceleration[i]) <=
              1e-15 * norm(expected.acceleration[i]));
        CHECK(std::abs(result.potential[i] - expected.potential[i]) <=
              5e-16 * std::abs(expected.potential[i]));
      }
    }
  }
}

TEST_CASE("the reference field supports every softening kernel") {
  for (auto const& entry : forces::softening_kernels()) {
    CAPTURE(entry.name);
    auto const host = sample_bodies(300);
    double const eps = entry.kernel == forces::SofteningKernel::none ? 0.0 : 0.4;
    ReferenceForce const expected(host, 1.7, eps, entry.kernel);
    auto const result = diagnostics::reference_field(host, {1.7, eps, entry.kernel});
    for (std::size_t i = 0; i < host.size(); ++i) {
      CHECK(norm(result.acceleration[i] - expected.acceleration[i]) <=
            4e-15 * norm(expected.acceleration[i]));
      CHECK(std::abs(result.potential[i] - expected.potential[i]) <=
            1e-15 * std::abs(expected.potential[i]));
    }
  }
}

TEST_CASE("the reference field of a subset of bodies equals that of all bodies" *
          testing::thread_counts) {
  auto host = sample_bodies(100);
  host.mass[3] = 0.0;
  // Without softening, bodies at one position do not accelerate each other; the potential is
  // infinite.
  host.position[7] = host.position[42];
  auto const full = diagnostics::reference_field(host, {1.0, 0.0});
  auto const subset = diagnostics::reference_field(host, {1.0, 0.0}, {42, 3, 99});
  REQUIRE(subset.acceleration.size() == 3);
  CHECK((subset.acceleration[0] == full.acceleration[42]));
  CHECK((subset.acceleration[1] == full.acceleration[3]));
  CHECK((subset.acceleration[2] == full.acceleration[99]));
  CHECK(subset.potential[2] == full.potential[99]);
  CHECK(std::isinf(subset.potential[0]));
  CHECK(std::isfinite(subset.acceleration[0].x));
}

TEST_CASE("a random sample is uniform and depends on the seed and the step") {
  auto const sample = random_sample(1, 2, 10, 1000);
  CHECK(sample == random_sample(1, 2, 10, 1000));
  CHECK(sample != random_sample(1, 3, 10, 1000));
  CHECK(sample != random_sample(2, 2, 10, 1000));
  CHECK(random_sample(1, 2, 5, 5) == std::vector<std::size_t>{0, 1, 2, 3, 4});
  CHECK(random_sample(1, 2, 9, 3) == std::vector<std::size_t>{0, 1, 2});
  CHECK(random_sample(1, 2, 3, 0).empty());
  std::vector<int> chosen(20);
  for (std::uint64_t step = 0; step < 10000; ++step) {
    auto const indices = random_sample(7, step, 5, 20);
    CHECK(std::is_sorted(indices.begin(), indices.end()));
    CHECK(std::set<std::size_t>(indices.begin(), indices.end()).size() == 5);
    for (std::size_t const i : indices) ++chosen.at(i);
  }
  // The mean is 2500 for each index, the standard deviation 43.
  for (int const times : chosen) CHECK(std::abs(times - 2500) < 5 * 43);
}

TEST_CASE_TEMPLATE("force errors agree with known errors of accelerations" * testing::thread_counts,
                   Real, float, double) {
  ExecutionSpace const space;
  constexpr std::size_t count = 400;
  forces::Gravity const gravity{1.3, 0.05};
  auto const host =
      sizeof(Real) == 4 ? rounded_to_single(sample_bodies(count)) : sample_bodies(count);
  auto const bodies = to_device<Real>(space, host);
  forces::Direct<forces::Arithmetic<Real, Real, Real>> solver(gravity);
  solver.evaluate(space, forces::accelerations_of(bodies));
  auto const sample = random_sample(0, 0, count, count);
  auto const exact = diagnostics::force_errors(space, bodies, gravity, sample);
  double const digits = std::numeric_limits<Real>::epsilon();
  CHECK(exact.maximum < 100.0 * digits);
  CHECK(exact.median > 0.05 * digits);
  CHECK(exact.median <= exact.p90);
  CHECK(exact.p90 <= exact.p99);
  CHECK(exact.p99 <= exact.maximum);

  // Each acceleration has a known relative error.
  ReferenceForce const expected(host, gravity.G, gravity.softening);
  auto const mirror = Kokkos::create_mirror_view(bodies.acceleration);
  auto const perturb = [&](std::size_t i, double relative_error) {
    Vec3<double> const a = (1.0 + relative_error) * expected.acceleration[i];
    mirror(i, 0) = static_cast<Real>(a.x);
    mirror(i, 1) = static_cast<Real>(a.y);
    mirror(i, 2) = static_cast<Real>(a.z);
  };
  for (std::size_t i = 0; i < count; ++i) perturb(i, i < 220 ? 0.1 : i < 370 ? 0.2 : 0.3);
  perturb(399, 0.4);
  Kokkos::deep_copy(bodies.acceleration, mirror);
  auto const perturbed = diagnostics::force_errors(space, bodies, gravity, sample);
  CHECK(perturbed.median == approximately(0.1, 1e-4));
  CHECK(perturbed.p90 == approximately(0.2, 1e-4));
  CHECK(perturbed.p99 == approximately(0.3, 1e-4));
  CHECK(perturbed.maximum == approximately(0.4, 1e-4));
  CHECK(diagnostics::force_errors(space, bodies, gravity, {0, 200, 219}).maximum ==
        approximately(0.1, 1e-4));
  CHECK(diagnostics::force_errors(space, bodies, gravity, {}).maximum == 0.0);
  // A single body has no force and no error.
  auto const single = to_device<Real>(space, sample_bodies(1));
  CHECK(diagnostics::force_errors(space, single, gravity, {0}).maximum == 0.0);

  Kokkos::deep_copy(bodies.acceleration, std::numeric_limits<Real>::quiet_NaN());
  CHECK(std::isinf(diagnostics::force_errors(space, bodies, gravity, {1}).median));
}

TEST_CASE("potential errors agree with known errors of bodies and of the potential energy" *
          testing::thread_counts) {
  forces::Gravity const gravity{1.3, 0.05};
  auto const bodies = sample_bodies(400);
  ReferenceForce const expected(bodies, gravity.G, gravity.softening);
  auto const sample = random_sample(0, 0, 400, 400);
  auto const exact = diagnostics::potential_errors(bodies, expected.potential, gravity, sample);
  CHECK(exact.bodies.maximum < 1e-14);
  CHECK(std::abs(exact.energy) < 1e-14);

  // Half of the potentials are too deep by a tenth, the other half too shallow by a tenth.
  auto perturbed = expected.potential;
  for (std::size_t i = 0; i < 400; ++i) perturbed[i] *= i % 2 == 0 ? 1.1 : 0.9;
  double energy_difference = 0.0, energy = 0.0;
  for (std::size_t i = 0; i < 400; ++i) {
    energy_difference += bodies.mass[i] * (perturbed[i] - expected.potential[i]);
    energy += bodies.mass[i] * std::abs(expected.potential[i]);
  }
  auto const result = diagnostics::potential_errors(bodies, perturbed, gravity, sample);
  CHECK(result.bodies.median == approximately(0.1));
  CHECK(result.bodies.maximum == approximately(0.1));
  CHECK(result.energy == approximately(energy_difference / energy));
  CHECK(std::abs(result.energy) < 0.02);
  CHECK(diagnostics::potential_errors(bodies, perturbed, gravity, {0, 2}).energy ==
        approximately(-0.1));
  CHECK(diagnostics::potential_errors(bodies, perturbed, gravity, {1, 3, 5}).energy ==
        approximately(0.1));
  CHECK(diagnostics::potential_errors(bodies, perturbed, gravity, {}).energy == 0.0);
}
