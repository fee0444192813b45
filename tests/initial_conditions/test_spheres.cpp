// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/sphere_profiles.hpp"
#include "support/measured.hpp"
#include "support/models.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

using namespace apsis;
using namespace apsis::initial_conditions;
using apsis::testing::model;
using apsis::testing::relative_error;
using apsis::testing::values_for;

namespace {

using std::numbers::pi;

std::vector<double> sorted_radii(HostBodies const& bodies) {
  std::vector<double> radii;
  for (auto const& x : bodies.position) radii.push_back(norm(x));
  std::sort(radii.begin(), radii.end());
  return radii;
}

/// Mean square of one velocity component of the bodies between two radii, and their number.
struct Dispersion {
  double squared = 0.0;
  double radial_squared = 0.0;
  int count = 0;

  Dispersion(HostBodies const& bodies, double inner, double outer) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      double const r = norm(bodies.position[i]);
      if (r < inner || r >= outer) continue;
      squared += dot(bodies.velocity[i], bodies.velocity[i]) / 3.0;
      radial_squared += std::pow(dot(bodies.velocity[i], bodies.position[i]) / r, 2);
      ++count;
    }
    squared /= count;
    radial_squared /= count;
  }
};

double integral(std::function<double(double)> const& f, double low, double high, int steps) {
  double const h = (high - low) / steps;
  double sum = 0.0;
  for (int k = 0; k < steps; ++k) sum += h * f(low + h * (k + 0.5));
  return sum;
}

/// Sphere of mass 1 with G = 1 and this density, by plain sums on a grid of ln(r).
class Sphere {
 public:
  Sphere(std::function<double(double)> const& density, double outermost) {
    double const step = std::log(outermost / 1e-6) / count;
    double sum = 0.0;
    for (int k = 0; k < count; ++k) {
      double const r = 1e-6 * std::exp(step * (k + 0.5));
      sum += r * r * r * density(r);
      radius_.push_back(r);
      density_.push_back(density(r));
      mass_.push_back(sum);
    }
    for (double& m : mass_) m /= sum;
    // Isotropic Jeans equation (Binney & Tremaine 2008, equation 4.216): sigma^2 is 1 / rho times
    // the integral of rho G M / r^2 outwards.
    pressure_.resize(count);
    double outwards = 0.0;
    for (auto k = static_cast<std::size_t>(count); k-- > 0;) {
      outwards += step * density_[k] * mass_[k] / radius_[k];
      pressure_[k] = outwards;
    }
  }
  double mass(double r) const { return mass_[index(r)]; }
  double dispersion_squared(double r) const { return pressure_[index(r)] / density_[index(r)]; }

 private:
  static constexpr int count = 20000;
  std::size_t index(double r) const {
    auto const bound = std::lower_bound(radius_.begin(), radius_.end() - 1, r);
    return static_cast<std::size_t>(bound - radius_.begin());
  }
  std::vector<double> radius_, density_, mass_, pressure_;
};

}  // namespace

TEST_CASE("a uniform sphere is uniform and has the requested virial ratio") {
  auto const& entry = model("uniform_sphere");
  constexpr std::int64_t count = 4000;
  auto values = values_for(entry, count);
  values.set("radius", 2.0);
  values.set("mass", 3.0);
  auto const cold = entry.make(values, 5.0);
  auto const radii = sorted_radii(cold);
  for (double const fraction : {0.1, 0.5, 0.9}) {
    auto const index = static_cast<std::size_t>(fraction * count);
    CHECK(relative_error(radii[index], 2.0 * std::cbrt(fraction)) < 0.03);
  }
  CHECK(radii.back() <= 2.0);
  for (auto const& v : cold.velocity) CHECK_UNARY(norm(v) == 0.0);
  auto const system = testing::measured<double>(cold, {5.0, 0.0});
  CHECK(relative_error(system.potential, -0.6 * 5.0 * 9.0 / 2.0) < 0.02);

  values.set("virial_ratio", 0.3);
  auto const warm = testing::measured<double>(entry.make(values, 5.0), {5.0, 0.0});
  CHECK(relative_error(warm.kinetic, 0.3 * 0.6 * 5.0 * 9.0 / 2.0) < 0.03);
  CHECK(norm(warm.momentum) < 1e-13);
  CHECK(entry.virial_ratio(values) == 0.3);
}

TEST_CASE("Eddington's formula gives the analytic distribution function of Hernquist") {
  SphericalModel const sphere(double_power_law(1.0, 4.0, 1.0, 1e9), 1.0, 1.0);
  for (double const r : {1e-3, 0.1, 1.0, 10.0, 1e3}) {
    CHECK(relative_error(sphere.binding_potential(r), 1.0 / (1.0 + r)) < 6e-5);
    CHECK(relative_error(sphere.radius_of_mass(std::pow(r / (1.0 + r), 2)), r) < 2e-3);
  }
  // Hernquist 1990, equation 17, for G = M = a = 1.
  for (double const energy : {1e-4, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97}) {
    CAPTURE(energy);
    double const q = std::sqrt(energy);
    double const f = (3.0 * std::asin(q) + q * std::sqrt(1.0 - q * q) * (1.0 - 2.0 * q * q) *
                                               (8.0 * std::pow(q, 4) - 8.0 * q * q - 3.0)) /
                     (8.0 * std::numbers::sqrt2 * std::pow(pi, 3) * std::pow(1.0 - q * q, 2.5));
    CHECK(relative_error(sphere.distribution_function(energy), f) < 2.5e-3);
  }
}

TEST_CASE("drawn speeds follow v^2 times the distribution function") {
  // Kolmogorov-Smirnov test: the distance exceeds 1.95 / sqrt(N) with probability 0.001.
  constexpr int count = 20000;
  auto const distance = [](std::function<double(BodyRandom&)> const& draw,
                           std::function<double(double)> const& density, double fastest) {
    std::vector<double> speeds;
    for (std::uint64_t i = 0; i < count; ++i) {
      BodyRandom random(9, i);
      speeds.push_back(draw(random));
    }
    std::sort(speeds.begin(), speeds.end());
    double const step = fastest / 4000;
    double below = 0.0, largest = 0.0;
    double const whole = integral(density, 0.0, fastest, 4000);
    for (int k = 0; k < 4000; ++k) {
      below += step * density(step * (k + 0.5)) / whole;
      auto const counted =
          std::lower_bound(speeds.begin(), speeds.end(), step * (k + 1)) - speeds.begin();
      largest = std::max(largest, std::abs(below - static_cast<double>(counted) / count));
    }
    return largest;
  };
  SphericalModel const sphere(double_power_law(1.0, 4.0, 1.0, 50.0), 1.0, 1.0);
  for (double const r : {0.01, 1.0, 30.0}) {
    CAPTURE(r);
    double const potential = sphere.binding_potential(r);
    CHECK(distance([&](BodyRandom& random) { return sphere.draw_speed(random, r); },
                   [&](double v) {
                     return v * v * sphere.distribution_function(potential - 0.5 * v * v);
                   },
                   std::sqrt(2.0 * potential)) < 1.95 / std::sqrt(count));
  }
  for (double const W : {0.01, 1.0, 9.0}) {
    CAPTURE(W);
    CHECK(distance([W](BodyRandom& random) { return draw_king_speed(random, W); },
                   [W](double v) { return v * v * std::expm1(W - 0.5 * v * v); },
                   std::sqrt(2.0 * W)) < 1.95 / std::sqrt(count));
  }
}

TEST_CASE("the velocity integral of the distribution function is the density") {
  for (auto const& slopes : {std::pair{1.0, 4.0}, {2.0, 4.0}, {1.0, 3.0}}) {
    double const inner = slopes.first, outer = slopes.second;
    CAPTURE(inner);
    CAPTURE(outer);
    double const truncation = 5.0, G = 3.0, mass = 2.0;
    auto const shape = double_power_law(inner, outer, 1.0, truncation);
    SphericalModel const sphere(shape, mass, G);
    double const shell = integral(
        [&](double x) { return 4.0 * pi * std::exp(3.0 * x) * shape.density(std::exp(x)); },
        std::log(1e-6), std::log(200.0), 100000);
    for (double const r : {0.01, 0.3, 2.0, 8.0}) {
      CAPTURE(r);
      double const potential = sphere.binding_potential(r);
      auto const speeds = [&](double v) {
        return 4.0 * pi * v * v * sphere.distribution_function(potential - 0.5 * v * v);
      };
      double const density = integral(speeds, 0.0, std::sqrt(2.0 * potential), 20000);
      CHECK(relative_error(density, mass * shape.density(r) / shell) < 2e-3);
    }
  }
}

TEST_CASE("Hernquist, Jaffe and NFW have the correct mass profile and Jeans dispersions") {
  // Check of the sums of this test against equation 10 of Hernquist 1990.
  Sphere const uncut([](double r) { return std::pow(1.0 + r, -3) / r; }, 1e6);
  for (double const s : {0.1, 0.5, 2.0}) {
    double const squared = (12.0 * s * std::pow(1.0 + s, 3) * std::log((1.0 + s) / s) -
                            s / (1.0 + s) * (25.0 + 52.0 * s + 42.0 * s * s + 12.0 * s * s * s)) /
                           12.0;
    CHECK(relative_error(uncut.dispersion_squared(s), squared) < 4e-3);
  }
  constexpr std::int64_t count = 20000;
  struct {
    char const* name;
    double inner, outer, scale, truncation;
  } const models[] = {{"hernquist", 1.0, 4.0, 1.0 / 3.0, 30.0},
                      {"jaffe", 2.0, 4.0, 1.0, 10.0},
                      {"nfw", 1.0, 3.0, 2.0, 8.0}};
  for (auto const& parameters : models) {
    CAPTURE(parameters.name);
    auto const& [name, inner, outer, scale, truncation] = parameters;
    auto const density = [near = inner, far = outer, cut = truncation](double x) {
      return std::pow(x, -near) * std::pow(1.0 + x, near - far) / std::cosh(x / cut);
    };
    Sphere const sphere(density, 30.0 * truncation);
    auto values = values_for(model(name), count);
    values.set("scale_radius", scale);
    values.set("truncation", truncation);
    auto const bodies = model(name).make(values, 1.0);
    auto const radii = sorted_radii(bodies);
    for (double const fraction : {0.1, 0.5, 0.9}) {
      double const inside = sphere.mass(radii[static_cast<std::size_t>(fraction * count)] / scale);
      // Three standard deviations.
      CHECK(std::abs(inside - fraction) < 3.0 * std::sqrt(fraction * (1.0 - fraction) / count));
    }
    CHECK(radii.back() > 4.0 * truncation * scale);
    CHECK(radii.back() < 30.0 * truncation * scale);
    auto const system = testing::measured<double>(bodies, {1.0, 0.0});
    CHECK(relative_error(system.virial_ratio(), 0.5) < 0.03);
    for (double const s : {0.3, 1.0, 4.0}) {
      CAPTURE(s);
      Dispersion const shell(bodies, 0.9 * s * scale, 1.1 * s * scale);
      double const squared = sphere.dispersion_squared(s) / scale;
      double const scatter = std::sqrt(2.0 / shell.count);
      CHECK(relative_error(shell.squared, squared) < 3.0 * scatter / std::sqrt(3.0));
      CHECK(relative_error(shell.radial_squared, squared) < 3.0 * scatter);
    }
  }
}

TEST_CASE("King models: concentrations and radii in Henon units agree with a table") {
  // The table is from an independent integration of Poisson's equation over the radius, in long
  // double with 10^5 steps, with the potential energy as the integral of G M dM / r.
  struct {
    double W0, concentration, core, half_mass, tidal;
  } const table[] = {
      {1.0, 0.295507, 1.299281, 0.857390, 2.565726},  {3.0, 0.672043, 0.666270, 0.838793, 3.131075},
      {5.0, 1.029264, 0.407366, 0.813742, 4.357611},  {6.0, 1.255070, 0.303692, 0.803833, 5.463914},
      {7.0, 1.527740, 0.206927, 0.811333, 6.975221},  {9.0, 2.118532, 0.063582, 0.979871, 8.353450},
      {12.0, 2.738938, 0.0113255, 0.978624, 6.208634}};
  for (auto const& row : table) {
    CAPTURE(row.W0);
    auto const king = king_profile(row.W0);
    CHECK(std::abs(king.concentration - row.concentration) < 6e-7);
    CHECK(relative_error(king.core_radius, row.core) < 3e-6);
    CHECK(relative_error(king.half_mass_radius, row.half_mass) < 3e-6);
    CHECK(relative_error(king.tidal_radius, row.tidal) < 1e-6);
  }
  // Near the centre the mean density is rho_0 (1 - 0.9 s dln(rho)/dW), s = (R / r_c)^2.
  for (double const W0 : {1.0, 9.0}) {
    auto const king = king_profile(W0);
    auto const s = [&](std::size_t k) { return std::pow(king.radius[k] / king.core_radius, 2); };
    auto const density = [&](std::size_t k) { return king.mass[k] / std::pow(king.radius[k], 3); };
    double const change =
        (king_density(W0 + 1e-4) - king_density(W0 - 1e-4)) / (2e-4 * king_density(W0));
    double const fall = (density(1) - density(4)) / density(1);
    CHECK(relative_error(fall, 0.9 * change * (s(4) - s(1))) < 0.02);
  }
  // The closed form and the series of the density agree at W = 1, where they are switched.
  CHECK(relative_error(king_density(1.0 + 1e-12), king_density(1.0 - 1e-12)) < 1e-11);
}

TEST_CASE("a King cluster has the correct radii, energy and velocity dispersion") {
  auto const& entry = model("king");
  constexpr std::int64_t count = 20000;
  for (double const W0 : {3.0, 9.0}) {
    CAPTURE(W0);
    auto values = values_for(entry, count);
    values.set("W0", W0);
    auto const king = king_profile(W0);
    auto const bodies = entry.make(values, 1.0);
    auto const radii = sorted_radii(bodies);
    CHECK(relative_error(radii[count / 2], king.half_mass_radius) < 0.03);
    CHECK(radii.back() <= king.tidal_radius);
    CHECK(radii.back() > 0.8 * king.tidal_radius);
    auto const system = testing::measured<double>(bodies, {1.0, 0.0});
    CHECK(relative_error(system.total(), -0.25) < 0.03);
    CHECK(relative_error(system.virial_ratio(), 0.5) < 0.02);
    // Shell at the half-mass radius: sigma^2 times the integrals of the lowered Maxwellian.
    double const r = king.half_mass_radius;
    double const W = king.potential_at(r);
    auto const moment = [W](double power) {
      return integral([=](double v) { return std::pow(v, power) * std::expm1(W - 0.5 * v * v); },
                      0.0, std::sqrt(2.0 * W), 2000);
    };
    double const squared = std::pow(king.velocity_scale, 2) * moment(4.0) / moment(2.0) / 3.0;
    Dispersion const shell(bodies, 0.9 * r, 1.1 * r);
    CHECK(relative_error(shell.squared, squared) < 4.0 * std::sqrt(2.0 / (3.0 * shell.count)));
  }
  auto values = values_for(entry, count);
  values.set("core_radius", 0.1);
  auto const radii = sorted_radii(entry.make(values, 1.0));
  CHECK(relative_error(radii[count / 2], 0.1 * 0.803833 / 0.303692) < 0.03);
  values.set("half_mass_radius", 2.0);
  auto const problems = entry.check(values, unit_systems().front());
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].where == "core_radius");
}
