// SPDX-License-Identifier: Apache-2.0
#include "forces/pair.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

using namespace apsis;
using namespace apsis::forces;
using apsis::testing::approximately;

namespace {

using Plummer = PlummerSoftening<double>;
using Newton = NoSoftening<double>;

/// Potential of a unit mass at the origin, at (x, 0, 0).
template <class Softening>
double unit_potential(Softening const& softening, double x) {
  PointMass<double> const source{0, 0, 0, 1};
  auto const r = separation(Point<double>{x, 0, 0}, source, softening.offset());
  return -softening.depth(source.m, softening.acceleration_factor(source.m, r), r);
}

/// Acceleration along x by the same mass.
template <class Softening>
double unit_acceleration(Softening const& softening, double x) {
  PointMass<double> const source{0, 0, 0, 1};
  auto const r = separation(Point<double>{x, 0, 0}, source, softening.offset());
  return softening.acceleration_factor(source.m, r) * r.x;
}

/// Central difference of order 4.
template <class Function>
auto derivative(Function const& f, double x, double h) {
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

/// A source that passes on a curve, relative to the origin: r(t) = r0 + v0 t + a t^2 / 2.
struct Pass {
  double t;
  double position(double r, double v, double a) const { return r + (v + 0.5 * a * t) * t; }
  double speed(double v, double a) const { return v + a * t; }
};

template <class Softening>
struct PassingSource {
  Softening softening;
  double scale;  ///< of the closest distance

  Separation<double> separation_at(Pass const& p) const {
    PointMass<double> const source{scale * p.position(1.0, -0.6, 0.3),
                                   scale * p.position(0.2, 0.5, -0.7),
                                   scale * p.position(-0.3, 0.1, 0.2), 1};
    return separation(Point<double>{0, 0, 0}, source, softening.offset());
  }
  Motion<double> velocity(Pass const& p) const {
    return {scale * p.speed(-0.6, 0.3), scale * p.speed(0.5, -0.7), scale * p.speed(0.1, 0.2)};
  }
  double f(double t) const { return softening.acceleration_factor(1.0, separation_at({t})); }
  double first(double t) const {
    Motion<double> const moving[] = {velocity({t})};
    auto const rates = forces::rates(softening, separation_at({t}), moving);
    return rates.f * rates.p;
  }
  Rates<double> rates(double t) const {
    Motion<double> const moving[] = {velocity({t}), {scale * 0.3, scale * -0.7, scale * 0.2}};
    return forces::rates(softening, separation_at({t}), moving);
  }
};

template <class Softening>
void check_law(Softening const& softening, std::initializer_list<double> distances) {
  for (double const x : distances) {
    CAPTURE(x);
    double const h = 1e-3 * x;  // a shorter step would difference the last digits of phi
    auto const phi = [&](double s) { return unit_potential(softening, s); };
    double const gradient = derivative(phi, x, h);
    CHECK(unit_acceleration(softening, x) == approximately(-gradient, 1e-9));

    PassingSource<Softening> const pass{softening, x};
    double const t = 0.2;
    auto const rates = pass.rates(t);
    CHECK(rates.f == approximately(pass.f(t), 1e-14));
    CHECK(rates.f * rates.p == approximately(pass.first(t), 1e-14));
    auto const f = [&](double s) { return pass.f(s); };
    auto const first = [&](double s) { return pass.first(s); };
    double const size = std::abs(rates.f);
    CHECK(std::abs(rates.f * rates.p - derivative(f, t, 1e-3)) < 1e-8 * size);
    CHECK(std::abs(rates.f * rates.q - derivative(first, t, 1e-3)) < 1e-7 * size);
  }
}

/// Mass of a source within x, from its force: rises from 0 to 1 and is 1 outside.
template <class Softening>
double mass_within(Softening const& softening, double x) {
  return -unit_acceleration(softening, x) * x * x;
}

}  // namespace

TEST_CASE("the pair law gives values computed by hand") {
  // 3-4-12-13: distance 12 with softening 5 is 13, mass 2197 = 13^3.
  PointMass<double> const source{12, 0, 0, 2197};
  auto const softening = Plummer::make(5.0);
  auto const r = separation(Point<double>{0, 0, 0}, source, softening.offset());
  CHECK(r.squared == 169.0);
  double const f = softening.acceleration_factor(source.m, r);
  CHECK(f == approximately(1.0, 1e-15));
  CHECK(softening.depth(source.m, f, r) == approximately(169.0, 1e-15));
  CHECK(r.x == 12.0);
}

TEST_CASE(
    "potential, acceleration, jerk and snap of every softening are derivatives of each other") {
  for (double const eps : {0.1, 2.0}) {
    CAPTURE(eps);
    // Within the spline's core, at its edge, in the outermost part and beyond each kernel.
    auto const distances = {0.03 * eps, 0.7 * eps, 1.1 * eps, 1.9 * eps, 2.6 * eps, 4.0 * eps};
    check_law(Plummer::make(eps), distances);
    check_law(SplineSoftening<double>::make(eps), distances);
    check_law(WendlandSoftening<double>::make(eps), distances);
  }
  check_law(Newton(), {0.3, 1.0, 5.0});
}

TEST_CASE_TEMPLATE("sources of finite size keep their digits in single up to the Newtonian range",
                   Kernel, Spline, WendlandC2) {
  auto const narrow = CompactSoftening<Kernel, float>::make(0.25f);
  auto const wide = CompactSoftening<Kernel, double>::make(0.25);
  for (int k = 1; k <= 110; ++k) {
    CAPTURE(k);
    float const x = 0.01f * static_cast<float>(k) * narrow.H;
    auto const single = narrow.profile(Separation<float>{x, 0.0f, 0.0f, x * x});
    double const squared = x * x;
    auto const exact = wide.profile(Separation<double>{x, 0.0, 0.0, squared});
    CHECK(single.f == approximately(exact.f, 1e-6));
    CHECK(single.g * single.w == approximately(exact.g * exact.w, 2e-6));
  }
}

TEST_CASE("softened potentials have the depth 1 / eps and become Newtonian outside") {
  double const eps = 0.7;
  auto const spline = SplineSoftening<double>::make(eps);
  auto const wendland = WendlandSoftening<double>::make(eps);
  CHECK(unit_potential(Plummer::make(eps), 0.0) == approximately(-1.0 / eps, 1e-15));
  CHECK(unit_potential(spline, 0.0) == approximately(-1.0 / eps, 1e-15));
  CHECK(unit_potential(wendland, 0.0) == approximately(-1.0 / eps, 1e-15));
  for (double const x : {2.8 * eps, 3.0 * eps, 10.0}) {
    CHECK(unit_potential(spline, x) == approximately(-1.0 / x, 1e-15));
    CHECK(unit_acceleration(spline, x) == approximately(-1.0 / (x * x), 1e-15));
  }
  for (double const x : {3.0 * eps, 10.0}) {
    CHECK(unit_potential(wendland, x) == approximately(-1.0 / x, 1e-15));
    CHECK(unit_acceleration(wendland, x) == approximately(-1.0 / (x * x), 1e-15));
  }
  // The pieces of a law join continuously, and no shell has negative mass.
  for (double const x : {1.4 * eps, 2.8 * eps}) {
    double const below = x * (1 - 1e-12), above = x * (1 + 1e-12);
    CHECK(unit_potential(spline, below) == approximately(unit_potential(spline, above), 1e-11));
    CHECK(unit_acceleration(spline, below) ==
          approximately(unit_acceleration(spline, above), 1e-11));
  }
  double last_spline = 0.0, last_wendland = 0.0;
  for (double x = 0.01 * eps; x < 3.1 * eps; x += 0.01 * eps) {
    CHECK(mass_within(spline, x) > last_spline - 1e-14);
    CHECK(mass_within(wendland, x) > last_wendland - 1e-14);
    last_spline = mass_within(spline, x);
    last_wendland = mass_within(wendland, x);
  }
  CHECK(mass_within(spline, 0.25 * 2.8 * eps) ==
        approximately((32.0 / 3.0 - 38.4 / 16.0 + 0.5) / 64.0, 1e-13));
}

TEST_CASE("coincident bodies exert no force and no jerk") {
  PointMass<double> const source{1, 2, 3, 4};
  auto const r = separation(Point<double>{1, 2, 3}, source, 0.0);
  CHECK(Newton().acceleration_factor(source.m, r) == 0.0);
  Motion<double> const moving[] = {{1, 2, 3}, {1, 2, 3}};
  auto const newton = rates(Newton(), r, moving);
  CHECK(newton.f == 0.0);
  CHECK(newton.p == 0.0);
  CHECK(newton.q == 0.0);
  auto const spline = rates(SplineSoftening<double>::make(0.5), r, moving);
  CHECK(std::isfinite(spline.f));
  CHECK(spline.p == 0.0);
  CHECK(std::isfinite(spline.q));
}

TEST_CASE("the smallest softening of single precision has finite derivatives") {
  float const eps = static_cast<float>(smallest_softening<float>);
  auto const r = separation(Point<float>{0, 0, 0}, PointMass<float>{eps, eps, 0, 1},
                            PlummerSoftening<float>::make(eps).offset());
  Motion<float> const moving[] = {{1, 2, 3}};
  auto const check = [&](auto const& softening) {
    auto const result = rates(softening, r, moving);
    CHECK(std::isfinite(result.f));
    CHECK(std::isfinite(result.p));
    auto const profile = softening.profile(r);
    CHECK(std::isfinite(profile.w));
  };
  check(PlummerSoftening<float>::make(eps));
  check(SplineSoftening<float>::make(eps));
  check(WendlandSoftening<float>::make(eps));
}
