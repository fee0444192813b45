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
/// value outside belongs to the first or the last. Precondition: at least two values.
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
/// Jaffe, and 1, 3 for Navarro, Frenk & White. Untruncated, their mean radius is infinite.
DensityProfile double_power_law(double inner, double outer, double scale, double truncation);

/// Sphere of bodies with isotropic velocities, in equilibrium in its own gravity and that of other
/// mass. Tables on a logarithmic grid of radii. The construction costs some 10^6 square roots.
class SphericalModel {
 public:
  /// `mass` is the mass of the bodies; other_mass(r) is the other mass inside a radius (may be
  /// empty). Throws a bad-input error if there is no isotropic equilibrium.
  SphericalModel(DensityProfile const& profile, double mass, double G,
                 std::function<double(double)> const& other_mass = {});

  /// Radius that encloses this fraction of the mass of the bodies [length].
  double radius_of_mass(double fraction) const {
    return radius_enclosing(radius_, mass_, fraction * mass_.back());
  }
  /// Mass of the bodies inside a radius [mass].
  double enclosed_mass(double radius) const { return interpolated(radius_, mass_, radius); }
  /// Derivative of enclosed_mass() with respect to ln(radius) [mass].
  double shell_mass(double radius) const { return interpolated(radius_, shell_, radius); }
  /// Negative potential [length^2 / time^2]; positive, falls outwards.
  double binding_potential(double radius) const { return -interpolated(radius_, energy_, radius); }
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

/// King model (King 1966, AJ 71, 64) in Henon units, G = M = 1 and E = -1/4. W is the depth of the
/// potential below its value at the tidal radius, in units of the squared velocity scale sigma^2.
struct KingProfile {
  double concentration;     ///< c = log10(tidal_radius / core_radius)
  double core_radius;       ///< King's r_c, with 4 pi G rho_0 r_c^2 = 9 sigma^2
  double half_mass_radius;  ///< encloses half the mass
  double tidal_radius;      ///< radius at which the density becomes 0
  double velocity_scale;    ///< sigma of the distribution function exp(W - v^2 / (2 sigma^2)) - 1

  /// Tables of the model from the centre outwards on one grid, on which W falls from W0 to 0.
  std::vector<double> radius;
  std::vector<double> potential;  ///< W
  std::vector<double> mass;       ///< enclosed mass

  /// Radius that encloses a fraction of the mass.
  double radius_of_mass(double fraction) const;
  /// W at a radius.
  double potential_at(double radius) const;
};

/// Density of a King model, up to a constant factor: the integral of the distribution function over
/// all bound velocities, e^W erf(sqrt W) - sqrt(4 W / pi) (1 + 2 W / 3). King 1966, equation 8;
/// Binney & Tremaine 2008, equation 4.111.
double king_density(double potential);

/// Solves Poisson's equation W'' + 2 W' / R = -9 rho(W) / rho(W0) (Binney & Tremaine 2008, equation
/// 4.112) with fourth-order Runge-Kutta steps in W. W0 > 0 is the central potential.
KingProfile king_profile(double central_potential);

/// Draws a speed in units of sigma at the potential W from v^2 (exp(W - v^2 / 2) - 1), the lowered
/// Maxwellian of King 1966, equation 4, by rejection.
double draw_king_speed(BodyRandom& random, double potential);

}  // namespace apsis::initial_conditions
