// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "initial_conditions/sphere_profiles.hpp"

namespace apsis::initial_conditions {

/// Squared circular speed and squared epicyclic frequency kappa at a radius.
struct RotationCurve {
  double speed_squared;      ///< [length^2 / time^2]
  double epicyclic_squared;  ///< kappa^2 = R d(Omega^2)/dR + 4 Omega^2 [1 / time^2]
};

/// Fraction of the mass of an exponential disk inside x [scale lengths]: 1 - (1 + x) exp(-x).
double exponential_disk_inside(double x);

/// Disk in a halo: surface density M / (2 pi h^2) exp(-R / h), vertical density sech^2(z / z0).
struct Disk {
  double mass;          ///< M
  double scale_length;  ///< h
  double scale_height;  ///< z0
  double toomre_q;      ///< Toomre's Q at `reference_radius`
  double G;
  SphericalModel const* halo;

  /// Radius of Toomre's Q [length]: that of the Sun, 8.5 kpc for h = 3.5 kpc (Hernquist 1993).
  double reference_radius() const { return 8.5 / 3.5 * scale_length; }

  double surface_density(double R) const;
  /// Rotation curve in the plane. The disk is thin: Freeman 1970, ApJ 160, 811, equation 10.
  RotationCurve rotation(double R) const;
  /// Squared radial velocity dispersion, extrapolated to the centre [length^2 / time^2]. It is
  /// proportional to exp(-R / h), with Toomre's Q = sigma_R kappa / (3.36 G Sigma) equal to
  /// toomre_q at the reference radius (Toomre 1964, ApJ 139, 1217; Hernquist 1993, ApJS 86, 389,
  /// section 2.2.3).
  double central_dispersion_squared() const;
};

}  // namespace apsis::initial_conditions
