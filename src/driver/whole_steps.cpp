// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace apsis::driver {

namespace {

/// 3 * 0.01 is written 0.03, not 0.030000000000000002.
std::string rounded_product(double whole, double time_step) {
  double const product = whole * time_step;
  for (int digits = 1; digits <= 17; ++digits) {
    double const value = std::strtod(formatted("%.*g", digits, product).c_str(), nullptr);
    if (std::abs(value - product) <= 1e-12 * std::abs(product)) return shortest(value);
  }
  return shortest(product);
}

}  // namespace

std::optional<std::uint64_t> whole_steps(std::string const& path, double time, double time_step,
                                         double fewest, DeckProblems& problems) {
  double const ratio = time / time_step;
  double const whole = std::max(fewest, std::round(ratio));
  if (!(whole <= 0x1p53)) {
    problems.add(path, "too many steps", shortest(time) + " is " + shortest(ratio) + " time steps",
                 "increase integrator.time_step");
    return std::nullopt;
  }
  // Decimal fractions are not exact in binary: 0.01 / 0.001 is 10 only to rounding.
  if (std::abs(ratio - whole) > std::min(1e-9 * std::max(1.0, ratio), 1e-3)) {
    problems.add(
        path, "not a whole number of steps",
        shortest(time) + " is " + shortest(ratio) + " time steps of " + shortest(time_step),
        "the nearest time that is one is " + rounded_product(whole, time_step));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(whole);
}

}  // namespace apsis::driver
