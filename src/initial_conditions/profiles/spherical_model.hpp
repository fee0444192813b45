// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "initial_conditions/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
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

/// Density profile of a sphere, up to a constant factor, as a function of the radius.
struct DensityProfile {
  std::function<double(double)> density;
  std::function<double(double)> slope;  ///< d ln(density) / d ln(radius)
  double innermost;                     ///< [length]; inside it the density is taken as constant
  double outermost;                     ///< [length]; outside it the density is 0
};

/// Double power law density r^-inner (1 + r / scale)^(inner - outer), times sech(r / truncation)
/// (McMillan & Dehnen 2007, MNRAS 378, 541). Inner and outer slope are 1, 4 for Hernquist, 2, 4 for
/// Jaffe, and 1, 3 for Navarro, Frenk & White. Without truncation the mean radius of all three is
/// infinite.
DensityProfile double_power_law(double inner, double outer, double scale, double truncation);

/// Sphere of bodies with isotropic velocities, in equilibrium in its own gravity and that of other
/// mass, if there is any. Uses tables on a logarithmic grid of radii. The construction costs some
/// 10^6 square roots.
class SphericalModel {
 public:
  /// `mass` is the mass of the bodies; other_mass(r) is the other mass inside a radius (may be
  /// empty). Throws a bad-input error if there is no isotropic equilibrium.
  SphericalModel(DensityProfile const& profile, double mass, double G,
                 std::function<double(double)> const& other_mass = {});

  /// Radius that encloses this fraction of the mass of the bodies [length].
  double radius_of_mass(double fraction) const;
  /// Mass of the bodies inside a radius [mass].
  double enclosed_mass(double radius) const;
  /// Derivative of enclosed_mass() with respect to ln(radius) [mass].
  double shell_mass(double radius) const;
  /// Negative potential [length^2 / time^2]; positive, falls outwards.
  double binding_potential(double radius) const;
  /// Distribution function f(E) of the bodies [mass time^3 / length^6], E = binding_potential - v^2
  /// / 2, by Eddington's formula: Binney & Tremaine 2008, equation 4.46b.
  double distribution_function(double energy) const;
  /// Draws the speed of a body at a radius from v^2 f by rejection [length / time].
  double draw_speed(BodyRandom& random, double radius) const;

 private:
  std::vector<double> radius_;     ///< ascending
  std::vector<double> mass_;       ///< mass of the bodies inside the radius
  std::vector<double> shell_;      ///< d mass / d ln(radius)
  std::vector<double> energy_;     ///< energy at rest, the negative binding potential; ascending
  std::vector<double> logarithm_;  ///< ln f at this energy
  std::vector<double> largest_;    ///< largest v^2 f at this radius
};

}  // namespace apsis::initial_conditions
