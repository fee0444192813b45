// SPDX-License-Identifier: Apache-2.0
#include "spherical_model.hpp"

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
}  // namespace

DensityProfile double_power_law(double inner, double outer, double scale, double truncation) {
  // sech(40) is 1e-17. If the truncation is so far out that 1e6 scale radii are the limit, 1e-6 of
  // the mass is outside.
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

double SphericalModel::radius_of_mass(double fraction) const {
  return radius_enclosing(radius_, mass_, fraction * mass_.back());
}

double SphericalModel::enclosed_mass(double radius) const {
  return interpolated(radius_, mass_, radius);
}

double SphericalModel::shell_mass(double radius) const {
  return interpolated(radius_, shell_, radius);
}

double SphericalModel::binding_potential(double radius) const {
  return -interpolated(radius_, energy_, radius);
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

}  // namespace apsis::initial_conditions
