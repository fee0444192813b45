// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/sphere_profiles.hpp"

#include <apsis/core/error.hpp>

#include <numbers>

namespace apsis::initial_conditions {

namespace {

constexpr std::size_t nodes = 2000;

/// Table of the running integral over equal intervals of length h, starting with `first`. Each
/// interval uses the cubic through the four nearest points; the first and last a straight line.
std::vector<double> running_integral(std::vector<double> const& y, double h, double first) {
  std::vector<double> sums{first};
  for (std::size_t k = 1; k < y.size(); ++k) {
    double area = 0.5 * (y[k - 1] + y[k]);
    if (k > 1 && k + 1 < y.size()) area += (y[k - 1] + y[k] - y[k - 2] - y[k + 1]) / 24.0;
    sums.push_back(sums.back() + h * area);
  }
  return sums;
}

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

DensityProfile double_power_law(double inner, double outer, double scale, double truncation) {
  // sech(40) is 1e-17. If 1e6 scale radii are the limit, 1e-6 of the mass is outside.
  double const outermost = std::min(40.0 * truncation, 1e6 * scale);
  return {[=](double r) {
            double const x = r / scale;
            return std::pow(x, -inner) * std::pow(1.0 + x, inner - outer) /
                   std::cosh(r / truncation);
          },
          [=](double r) {
            double const x = r / scale;
            return -inner + (inner - outer) * x / (1.0 + x) -
                   r / truncation * std::tanh(r / truncation);
          },
          1e-6 * std::min(scale, outermost), outermost};
}

SphericalModel::SphericalModel(DensityProfile const& profile, double mass, double G,
                               std::function<double(double)> const& other_mass) {
  double const h = std::log(profile.outermost / profile.innermost) / (nodes - 1.0);
  std::vector<double> density(nodes), potential_slope(nodes);
  radius_.resize(nodes);
  shell_.resize(nodes);
  for (std::size_t k = 0; k < nodes; ++k) {
    double const r = profile.innermost * std::exp(h * static_cast<double>(k));
    radius_[k] = r;
    density[k] = profile.density(r);
    shell_[k] = 4.0 * std::numbers::pi * density[k] * r * r * r;
  }
  mass_ = running_integral(shell_, h, shell_[0] / (3.0 + profile.slope(radius_[0])));
  double const factor = mass / mass_.back();
  for (std::size_t k = 0; k < nodes; ++k) {
    density[k] *= factor;
    mass_[k] *= factor;
    shell_[k] *= factor;
    potential_slope[k] = G * (mass_[k] + (other_mass ? other_mass(radius_[k]) : 0.0)) / radius_[k];
  }
  // The binding potential falls by `potential_slope` d ln(r), to G M / r at the last radius.
  energy_ = running_integral(potential_slope, h, 0.0);
  double const offset = energy_.back() + potential_slope.back();
  for (auto& energy : energy_) energy -= offset;

  // Eddington's formula. d rho / d Psi is taken as linear between two radii; the integral of d(d
  // rho / d Psi) / sqrt(E - Psi) over each interval is then exact.
  std::vector<double> gradient(nodes);
  for (std::size_t k = 0; k < nodes; ++k) {
    gradient[k] = -density[k] * profile.slope(radius_[k]) / potential_slope[k];
  }
  std::vector<double> f(nodes);
  for (std::size_t j = 0; j < nodes; ++j) {
    double sum = 0.0, near = 0.0;
    for (std::size_t k = j; k + 1 < nodes; ++k) {
      double const far = std::sqrt(energy_[k + 1] - energy_[j]);
      sum += (gradient[k] - gradient[k + 1]) / (near + far);
      near = far;
    }
    sum += gradient.back() / (near + std::sqrt(-energy_[j]));
    APSIS_VALIDATE(sum > 0.0,
                   {"bodies", "no equilibrium",
                    "no isotropic velocity distribution supports this density in this potential",
                    "reduce its scale radius, or increase its mass relative to the other mass"});
    constexpr double pi = std::numbers::pi;
    f[j] = sum / (std::numbers::sqrt2 * pi * pi);
    logarithm_.push_back(std::log(f[j]));
  }
  largest_.resize(nodes);
  for (std::size_t j = 0; j < nodes; ++j) {
    // Beyond the end of the table f falls as E^(5/2), and (Psi - E) E^(5/2) is largest at 5/7 Psi.
    double const outside = 5.0 / 7.0 * energy_.back();
    double largest = 2.0 * (outside - energy_[j]) * distribution_function(-outside);
    for (std::size_t k = j; k < nodes; ++k) {
      largest = std::max(largest, 2.0 * (energy_[k] - energy_[j]) * f[k]);
    }
    largest_[j] = largest;
  }
}

double SphericalModel::distribution_function(double energy) const {
  double const last = -energy_.back();
  if (energy <= 0.0) return 0.0;
  if (energy < last) return std::exp(logarithm_.back()) * std::pow(energy / last, 2.5);
  return std::exp(interpolated(energy_, logarithm_, -energy));
}

double SphericalModel::draw_speed(BodyRandom& random, double radius) const {
  auto const k = interval(radius_, radius);
  double const potential = binding_potential(radius);
  double const escape = std::sqrt(2.0 * potential);
  // The larger of the values at both ends, with a margin for values between the table entries.
  double const bound = 1.1 * std::max(largest_[k], largest_[k + 1]);
  for (;;) {
    double const v = escape * random.uniform();
    double const y = bound * random.uniform();
    if (y < v * v * distribution_function(potential - 0.5 * v * v)) return v;
  }
}

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
