// SPDX-License-Identifier: Apache-2.0
#include "fmm_run.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// Largest relative errors of forces and potentials, and that of the potential energy.
struct SizeErrors {
  double force = 0.0, potential = 0.0, energy = 0.0;
};

SizeErrors size_errors(Outcome const& outcome, HostBodies const& bodies,
                       forces::Gravity const& gravity) {
  ReferenceForce const exact(bodies, gravity.G, gravity.softening, gravity.softening_kernel);
  SizeErrors errors;
  double energy_error = 0.0, energy = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const& a = outcome.acceleration[i];
    auto const& b = exact.acceleration[i];
    double const apart = std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
    double const phi = exact.potential[i], difference = outcome.potential[i] - phi;
    errors.force = std::max(errors.force, nan_to_infinity(apart / std::hypot(b.x, b.y, b.z)));
    errors.potential = std::max(errors.potential, nan_to_infinity(std::abs(difference / phi)));
    energy_error += bodies.mass[i] * difference;
    energy += bodies.mass[i] * phi;
  }
  errors.energy = nan_to_infinity(std::abs(energy_error / energy));
  return errors;
}

}  // namespace

// Within its size a softened source is not a point, so overlapping cells must be near, however
// small they are.
TEST_CASE("cells within the size of a compact kernel are not well separated" * expensive) {
  auto const bodies = plummer(2000);
  for (auto const kernel :
       {forces::SofteningKernel::spline, forces::SofteningKernel::wendland_c2}) {
    // The kernels reach as far as cells of hundreds of bodies.
    for (double const softening : {0.7, 1.0, 1.5}) {
      CAPTURE(static_cast<int>(kernel));
      CAPTURE(softening);
      forces::Gravity const gravity{1.0, softening, kernel};
      Run<forces::Double> run(bodies, gravity);
      run.evaluate();
      auto const errors = size_errors(run.evaluate(), bodies, gravity);
      CHECK(errors.force <= 2e-4);
      CHECK(errors.potential <= 1e-5);
      CHECK(errors.energy <= 3e-8);
    }
  }
}

// Cells of coincident bodies have no radius, so the geometric part of the criterion accepts them at
// any distance. The derivatives of their field overflow where the force does not.
TEST_CASE_TEMPLATE("fmm uses P2P for very near cells, whose expansions overflow", Number,
                   forces::Single, forces::Mixed, forces::Double) {
  using Real = typename Number::Real;
  // Its third power is finite, its sixth is not.
  double const near = std::pow(static_cast<double>(std::numeric_limits<Real>::max()), -0.25);
  auto bodies = plummer(3000);
  for (std::size_t i = 0; i < 256; ++i) {
    bodies.position[i] = {i < 128 ? 0.0 : near, 0.0, 0.0};
  }
  if constexpr (sizeof(typename Number::Stored) == 4) bodies = rounded_to_single(bodies);
  forces::Gravity const gravity{1.0, 0.0};
  Run<Number> run(bodies, gravity);
  run.evaluate(false);
  auto outcome = run.evaluate(false);
  outcome.potential.assign(bodies.size(), 0.0);
  ReferenceForce const exact(bodies, gravity.G, gravity.softening);
  for (std::size_t i = 0; i < bodies.size(); i += 13) {
    CAPTURE(i);
    auto const& a = outcome.acceleration[i];
    auto const& b = exact.acceleration[i];
    CHECK(std::hypot(a.x - b.x, a.y - b.y, a.z - b.z) <= 5e-3 * std::hypot(b.x, b.y, b.z));
  }
}
