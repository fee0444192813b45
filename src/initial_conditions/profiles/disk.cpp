// SPDX-License-Identifier: Apache-2.0
#include "disk.hpp"

#include <cmath>
#include <numbers>

namespace apsis::initial_conditions {

double exponential_disk_inside(double x) {
  // Near the centre the terms cancel, so a series replaces them.
  if (x < 1e-3) return x * x * (0.5 - x / 3.0);
  return 1.0 - (1.0 + x) * std::exp(-x);
}

double Disk::surface_density(double R) const {
  return mass / (2.0 * std::numbers::pi * scale_length * scale_length) *
         std::exp(-R / scale_length);
}

RotationCurve Disk::rotation(double R) const {
  // v^2 of the disk is 2 (G M / h) y^2 (I0 K0 - I1 K1) with y = R / 2h. At large radii this is a
  // difference of nearly equal numbers, and the disk is treated as a point mass.
  double const y = 0.5 * R / scale_length;
  double disk = G * mass / R;
  double disk_change = -disk;  // d v^2 / d ln R
  if (y < 50.0) {
    double const i0 = std::cyl_bessel_i(0.0, y), i1 = std::cyl_bessel_i(1.0, y);
    double const k0 = std::cyl_bessel_k(0.0, y), k1 = std::cyl_bessel_k(1.0, y);
    double const factor = 2.0 * G * mass / scale_length * y * y;
    disk = factor * (i0 * k0 - i1 * k1);
    // With I0' = I1, K0' = -K1, I1' = I0 - I1 / y and K1' = -K0 - K1 / y.
    disk_change = factor * 2.0 * (i0 * k0 + y * (i1 * k0 - i0 * k1));
  }
  double const halo_part = G * halo->enclosed_mass(R) / R;
  double const halo_change = G * halo->shell_mass(R) / R - halo_part;
  double const squared = disk + halo_part;
  // With Omega^2 = v^2 / R^2, kappa^2 = (d v^2 / d ln R + 2 v^2) / R^2.
  return {squared, (disk_change + halo_change + 2.0 * squared) / (R * R)};
}

double Disk::central_dispersion_squared() const {
  double const R = reference_radius();
  double const sigma =
      toomre_q * 3.36 * G * surface_density(R) / std::sqrt(rotation(R).epicyclic_squared);
  return sigma * sigma * std::exp(R / scale_length);
}

}  // namespace apsis::initial_conditions
