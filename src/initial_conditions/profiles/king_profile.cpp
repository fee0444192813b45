// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/king_profile.hpp"

#include "spherical_model.hpp"

#include <numbers>

namespace apsis::initial_conditions {

double king_density(double potential) {
  if (potential <= 0.0) return 0.0;
  double const root = std::sqrt(potential);
  constexpr double factor = 2.0 * std::numbers::inv_sqrtpi;
  if (potential > 1.0) {
    return std::exp(potential) * std::erf(root) - factor * root * (1.0 + potential * (2.0 / 3.0));
  }
  // The terms above cancel for small W. The series of e^W erf(sqrt W) is the sum over n of
  // 2 / sqrt(pi) * 2^n W^(n + 1/2) / (2n + 1)!!; its first two terms are those that are subtracted.
  double term = factor * root * potential * (2.0 / 3.0);
  double sum = 0.0;
  for (int n = 2; n < 20; ++n) {
    term *= 2.0 * potential / (2.0 * n + 1.0);
    sum += term;
  }
  return sum;
}

namespace {

/// State of the integration over W: s = R^2 and the mean density mu = m / R^3, with m the integral
/// of rho / rho_0 R^2 dR. Both are smooth at the centre, where s = 0 and mu = 1/3.
struct State {
  double s, mu;
};

State plus(State const& a, double h, State const& slope) {
  return {a.s + h * slope.s, a.mu + h * slope.mu};
}

/// Derivatives with respect to W. Poisson's equation gives dW/dR = -9 m / R^2, hence ds/dW = -2 /
/// (9 mu) and dmu/dW = (1 - rho / (3 mu rho_0)) / (3 s).
State slope(State const& y, double W, double W0) {
  double const central = king_density(W0);
  if (y.s == 0.0) {
    // Near the centre rho / rho_0 = 1 - 3/2 s dln(rho)/dW.
    double const change = (central + std::sqrt(4.0 * W0 / std::numbers::pi) * (2.0 / 3.0) * W0) /
                          central;  // d rho / dW = rho + sqrt(4 W / pi) 2 W / 3
    return {-2.0 / (9.0 * y.mu), 0.2 * change};
  }
  double const density = king_density(W) / central;
  return {-2.0 / (9.0 * y.mu), (1.0 - density / (3.0 * y.mu)) / (3.0 * y.s)};
}

}  // namespace

KingProfile king_profile(double central_potential) {
  constexpr std::size_t steps = 4000;
  double const W0 = central_potential;
  double const h = -W0 / static_cast<double>(steps);
  KingProfile king{};
  State y{0.0, 1.0 / 3.0};
  double integral = 0.0;  // integral of m dW, equal to that of W dm
  double W = W0;
  auto const record = [&] {
    king.radius.push_back(std::sqrt(y.s));
    king.potential.push_back(W);
    king.mass.push_back(y.mu * y.s * king.radius.back());
  };
  record();
  for (std::size_t i = 1; i <= steps; ++i) {
    auto const k1 = slope(y, W, W0);
    auto const k2 = slope(plus(y, 0.5 * h, k1), W + 0.5 * h, W0);
    auto const k3 = slope(plus(y, 0.5 * h, k2), W + 0.5 * h, W0);
    auto const k4 = slope(plus(y, h, k3), W + h, W0);
    y.s += h / 6.0 * (k1.s + 2.0 * k2.s + 2.0 * k3.s + k4.s);
    y.mu += h / 6.0 * (k1.mu + 2.0 * k2.mu + 2.0 * k3.mu + k4.mu);
    W = W0 * (static_cast<double>(steps - i) / static_cast<double>(steps));
    double const before = king.mass.back();
    record();
    integral -= 0.5 * h * (before + king.mass.back());
  }
  // Up to here lengths are in core radii and masses in units of 9 sigma^2 r_c / G. The potential
  // energy is half the integral of -(G M / r_t + sigma^2 W) over the mass.
  double const edge = king.radius.back();
  double const mass = 9.0 * king.mass.back();
  double const energy = -0.5 * (mass * mass / edge + 9.0 * integral);
  // In Henon units G M^2 / (2 |energy|) is 1.
  king.core_radius = -2.0 * energy / (mass * mass);
  king.velocity_scale = std::sqrt(1.0 / (mass * king.core_radius));
  king.concentration = std::log10(edge);
  double const total = king.mass.back();
  for (auto& r : king.radius) r *= king.core_radius;
  for (auto& m : king.mass) m /= total;
  king.tidal_radius = king.radius.back();
  king.half_mass_radius = king.radius_of_mass(0.5);
  return king;
}

double draw_king_speed(BodyRandom& random, double potential) {
  double const W = potential;
  if (W <= 0.0) return 0.0;
  // With x = v^2 / 2 the density is largest where exp(W - x) (1 - x) = 1. The logarithm of the left
  // side is concave and the start is above the root, so Newton's method converges from above.
  double x = -std::expm1(-W);
  for (int step = 0; step < 20; ++step) {
    x += (W - x + std::log1p(-x)) / (1.0 + 1.0 / (1.0 - x));
  }
  double const bound = (1.0 + 1e-9) * 2.0 * x * std::expm1(W - x);
  for (;;) {
    double const v = std::sqrt(2.0 * W) * random.uniform();
    double const y = bound * random.uniform();
    if (y < v * v * std::expm1(W - 0.5 * v * v)) return v;
  }
}

double KingProfile::radius_of_mass(double fraction) const {
  return radius_enclosing(radius, mass, fraction);
}

double KingProfile::potential_at(double r) const {
  return interpolated(radius, potential, r);
}

}  // namespace apsis::initial_conditions
