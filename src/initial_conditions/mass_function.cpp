// SPDX-License-Identifier: Apache-2.0
#include "mass_function.hpp"

#include <algorithm>
#include <cmath>

namespace apsis::initial_conditions {

namespace {

/// Integral over (m / low)^-exponent dm / low, from low to high; accurate also for exponents
/// near 1.
double integral(double exponent, double low, double high) {
  double const power = 1.0 - exponent;
  double const span = std::log(high / low);
  if (std::abs(power * span) < 1e-12) return span;
  return std::expm1(power * span) / power;
}

/// Returns the upper limit for which integral() has this value.
double upper_limit(double exponent, double low, double value) {
  double const power = 1.0 - exponent;
  if (std::abs(power * value) < 1e-12) return low * std::exp(value);
  return low * std::exp(std::log1p(power * value) / power);
}

}  // namespace

MassFunction::MassFunction(std::vector<double> const& limits,
                           std::vector<double> const& exponents) {
  double weight = 1.0, sum = 0.0;
  for (std::size_t k = 0; k < exponents.size(); ++k) {
    double const low = limits[k], high = limits[k + 1];
    // Continuity: a segment starts with the value at the end of the segment before.
    if (k > 0) weight *= std::pow(low / limits[k - 1], -exponents[k - 1]);
    segments_.push_back({exponents[k], low, high, weight, sum});
    sum += weight * low * integral(exponents[k], low, high);
  }
  for (auto& segment : segments_) {
    segment.weight /= sum;
    segment.below /= sum;
  }
}

MassFunction MassFunction::power_law(double exponent, double minimum, double maximum) {
  return {{minimum, maximum}, {exponent}};
}

MassFunction MassFunction::kroupa(double minimum, double maximum) {
  constexpr double breaks[] = {0.08, 0.5};
  constexpr double slopes[] = {0.3, 1.3, 2.3};
  std::vector<double> limits{minimum}, exponents;
  for (std::size_t k = 0; k < 3; ++k) {
    double const end = k < 2 ? std::min(breaks[k], maximum) : maximum;
    if (end <= limits.back()) continue;
    exponents.push_back(slopes[k]);
    limits.push_back(end);
  }
  return {limits, exponents};
}

double MassFunction::mass(double u) const {
  auto segment = segments_.begin();
  while (segment + 1 != segments_.end() && u >= (segment + 1)->below) ++segment;
  double const value = (u - segment->below) / (segment->weight * segment->low);
  double const m = upper_limit(segment->exponent, segment->low, value);
  return std::clamp(m, segment->low, segment->high);
}

}  // namespace apsis::initial_conditions
