// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace apsis::initial_conditions {

/// Returns the interval of an ascending table that contains `x`, as the index of its lower end. A
/// value outside the table belongs to the first or the last interval. Precondition: the table has
/// at least two values.
inline std::size_t interval(std::vector<double> const& table, double x) {
  auto const above = std::upper_bound(table.begin() + 1, table.end() - 1, x);
  return static_cast<std::size_t>(above - table.begin()) - 1;
}

/// Linear interpolation: y at x, from two tables, the first one ascending. Constant outside.
inline double interpolated(std::vector<double> const& xs, std::vector<double> const& ys, double x) {
  auto const k = interval(xs, x);
  double const t = std::clamp((x - xs[k]) / (xs[k + 1] - xs[k]), 0.0, 1.0);
  return ys[k] + t * (ys[k + 1] - ys[k]);
}

/// Radius that encloses a mass, for a density that is constant between two radii of the table.
inline double radius_enclosing(std::vector<double> const& radii, std::vector<double> const& masses,
                               double mass) {
  auto const k = interval(masses, mass);
  double const t = std::clamp((mass - masses[k]) / (masses[k + 1] - masses[k]), 0.0, 1.0);
  double const inner = radii[k] * radii[k] * radii[k];
  double const outer = radii[k + 1] * radii[k + 1] * radii[k + 1];
  return std::cbrt(inner + t * (outer - inner));
}

}  // namespace apsis::initial_conditions
