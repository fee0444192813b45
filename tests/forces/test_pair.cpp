// SPDX-License-Identifier: Apache-2.0
#include <apsis/forces/pair.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

using namespace apsis::forces;

namespace {
/// Potential of a unit mass at the origin, seen from (x, 0, 0).
double potential(double x, double eps) {
  PointMass<double> const source{0, 0, 0, 1};
  auto const r = separation(Point<double>{x, 0, 0}, source, eps * eps);
  return -depth<true, double>(source.m, pull<true>(source.m, r), r);
}
}  // namespace

TEST_CASE("the pair law gives numbers that were worked out by hand") {
  // 3-4-12-13: distance 12 with softening 5 is 13, mass 2197 = 13^3.
  PointMass<double> const source{12, 0, 0, 2197};
  auto const r = separation(Point<double>{0, 0, 0}, source, 25.0);
  CHECK(r.squared == 169.0);
  CHECK(pull<true>(source.m, r) == doctest::Approx(1.0).epsilon(1e-15));
  CHECK(depth<true, double>(source.m, pull<true>(source.m, r), r) ==
        doctest::Approx(169.0).epsilon(1e-15));
  CHECK(r.x == 12.0);
}

TEST_CASE("acceleration is minus the gradient of the potential") {
  for (double const eps : {0.0, 0.1, 2.0}) {
    for (double const x : {0.3, 1.0, 5.0}) {
      PointMass<double> const source{0, 0, 0, 1};
      auto const r = separation(Point<double>{x, 0, 0}, source, eps * eps);
      double const acceleration = pull<true>(source.m, r) * r.x;
      double const h = 1e-4 * x;
      double const gradient = (8 * (potential(x + h, eps) - potential(x - h, eps)) -
                               (potential(x + 2 * h, eps) - potential(x - 2 * h, eps))) /
                              (12 * h);
      CHECK(acceleration == doctest::Approx(-gradient).epsilon(1e-10));
    }
  }
}

TEST_CASE("unsoftened bodies in one place do not pull") {
  PointMass<double> const source{1, 2, 3, 4};
  CHECK(pull<false>(source.m, separation(Point<double>{1, 2, 3}, source, 0.0)) == 0.0);
}
