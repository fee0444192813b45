// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "initial_conditions/random.hpp"

#include <vector>

namespace apsis::initial_conditions {

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
