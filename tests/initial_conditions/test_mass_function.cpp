// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/masses.hpp"
#include "initial_conditions/random.hpp"
#include "support/models.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace apsis;
using namespace apsis::initial_conditions;
using apsis::testing::model;
using apsis::testing::relative_error;
using apsis::testing::values_for;

namespace {

/// Integral of m^power dN/dm dm by a sum over a fine logarithmic grid, independent of closed forms.
double moment(std::function<double(double)> const& density, double low, double high, double power) {
  constexpr int steps = 200000;
  double const h = std::log(high / low) / steps;
  double sum = 0.0;
  for (int k = 0; k < steps; ++k) {
    double const m = low * std::exp(h * (k + 0.5));
    sum += h * m * std::pow(m, power) * density(m);
  }
  return sum;
}

double kroupa_density(double m) {
  if (m < 0.08) return std::pow(m / 0.08, -0.3);
  if (m < 0.5) return std::pow(m / 0.08, -1.3);
  return std::pow(0.5 / 0.08, -1.3) * std::pow(m / 0.5, -2.3);
}

/// Fraction of the bodies that are lighter than `mass`.
double fraction(MassFunction const& function, double mass) {
  double low = 0.0, high = 1.0;
  for (int step = 0; step < 60; ++step) {
    double const middle = 0.5 * (low + high);
    (function.mass(middle) < mass ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

void check_against(MassFunction const& function, std::function<double(double)> const& density,
                   double low, double high) {
  double const number = moment(density, low, high, 0.0);
  for (double const fraction_of_range : {0.1, 0.4, 0.9}) {
    double const m = low * std::pow(high / low, fraction_of_range);
    CHECK(relative_error(function.mass(moment(density, low, m, 0.0) / number), m) < 1e-4);
    CHECK(relative_error(function.mass(fraction(function, m)), m) < 1e-10);
  }
  CHECK(relative_error(function.mass(1e-17), low) < 1e-14);
  CHECK(relative_error(function.mass(1.0 - 1e-16), high) < 1e-6);
}

}  // namespace

TEST_CASE("quantiles of power laws agree with numerical integrals for all exponents") {
  for (double const exponent : {-1.0, 0.0, 1.0, 1.0 + 1e-14, 1.0 + 1e-9, 2.0, 2.35, 5.0}) {
    CAPTURE(exponent);
    check_against(
        MassFunction::power_law(exponent, 0.5, 20.0),
        [=](double m) { return std::pow(m, -exponent); }, 0.5, 20.0);
  }
}

TEST_CASE("quantiles of the Kroupa mass function agree with numerical integrals for all limits") {
  for (auto const& range : {std::pair{0.01, 100.0},
                            {0.08, 100.0},
                            {0.1, 0.4},
                            {0.02, 0.07},
                            {0.6, 50.0},
                            {0.03, 1.0},
                            {0.5, 0.6}}) {
    double const low = range.first, high = range.second;
    CAPTURE(low);
    CAPTURE(high);
    check_against(MassFunction::kroupa(low, high), kroupa_density, low, high);
  }
}

TEST_CASE("drawn masses follow their mass function") {
  // Kolmogorov-Smirnov test: the largest distance exceeds 1.95 / sqrt(N) with probability 0.001.
  constexpr int count = 20000;
  auto const function = MassFunction::kroupa(0.08, 100.0);
  std::vector<double> drawn;
  for (std::uint64_t i = 0; i < count; ++i)
    drawn.push_back(function.mass(BodyRandom(3, i).uniform()));
  std::sort(drawn.begin(), drawn.end());
  double distance = 0.0;
  for (int i = 0; i < count; ++i) {
    double const expected = fraction(function, drawn[static_cast<std::size_t>(i)]);
    distance = std::max({distance, expected - static_cast<double>(i) / count,
                         static_cast<double>(i + 1) / count - expected});
  }
  CHECK(distance < 1.95 / std::sqrt(count));
}

TEST_CASE("every cluster accepts a mass function, which does not change positions") {
  auto const kroupa = [](bool scaled) {
    Values masses;
    masses.set("function", std::string("kroupa"));
    masses.set("minimum", 0.1);
    masses.set("maximum", 50.0);
    masses.set("scaled", scaled);
    return std::make_shared<Values const>(std::move(masses));
  };
  double const kroupa_mean =
      moment(kroupa_density, 0.1, 50.0, 1.0) / moment(kroupa_density, 0.1, 50.0, 0.0);
  int clusters = 0;
  for (auto const& entry : models()) {
    auto values = values_for(entry, 2000);
    if (!values.has("masses")) continue;
    CAPTURE(entry.name);
    ++clusters;
    values.set("mass", 3.0);
    auto const equal = entry.make(values, 1.0);
    values.set("masses", kroupa(true));
    CHECK(entry.check(values, unit_systems().front()).empty());
    auto const scaled = entry.make(values, 1.0);
    values.set("masses", kroupa(false));
    auto const drawn = entry.make(values, 1.0);
    double scaled_sum = 0.0, drawn_sum = 0.0;
    for (std::size_t i = 0; i < 2000; ++i) {
      scaled_sum += scaled.mass[i];
      drawn_sum += drawn.mass[i];
      CHECK_UNARY(drawn.mass[i] >= 0.1);
      CHECK_UNARY(drawn.mass[i] <= 50.0);
      auto const difference = drawn.position[i] - equal.position[i];
      CHECK_UNARY(norm(difference) <= 1e-12 * norm(equal.position[i]));
    }
    CHECK(equal.mass[5] == 3.0 / 2000);
    CHECK(relative_error(scaled_sum, 3.0) < 1e-13);
    // The scatter of the mean of 2000 masses is 4 %.
    CHECK(relative_error(drawn_sum, 2000 * kroupa_mean) < 0.2);
    // Velocities scale with the square root of the total mass.
    double const speed = norm(drawn.velocity[7] - drawn.velocity[8]);
    double const slower = norm(equal.velocity[7] - equal.velocity[8]);
    CHECK(std::abs(speed - slower * std::sqrt(drawn_sum / 3.0)) <= 1e-9 * slower);
  }
  CHECK(clusters == 8);
}

TEST_CASE("limits of a mass function that are not ascending are reported") {
  auto const& entry = model("plummer");
  auto values = values_for(entry, 10);
  Values masses;
  masses.set("function", std::string("power_law"));
  masses.set("exponent", 2.35);
  masses.set("minimum", 2.0);
  masses.set("maximum", 2.0);
  masses.set("scaled", true);
  values.set("masses", std::make_shared<Values const>(masses));
  auto const problems = entry.check(values, unit_systems().front());
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].where == "masses.minimum");
}
