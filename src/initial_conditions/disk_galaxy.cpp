// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/disk_galaxy.hpp"

#include "entries.hpp"

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

namespace {

/// Radius [scale lengths] that encloses a fraction of the mass of the disk.
double disk_radius(double fraction) {
  // Newton's method, started below the root with the approximation x^2 / 2 of small x.
  double x = std::sqrt(2.0 * fraction);
  for (int step = 0; step < 100; ++step) {
    double const error = exponential_disk_inside(x) - fraction;
    double const next = x - error / (x * std::exp(-x));
    if (std::abs(next - x) <= 1e-12 * x) return next;
    x = next;
  }
  return x;
}

/// Draws one body of the disk. The velocity is from the moments of the collisionless Boltzmann
/// equation: Hernquist 1993, ApJS 86, 389, section 2.2.
void draw_disk_body(Disk const& disk, double central_dispersion_squared, BodyRandom& random,
                    Vec3<double>& position, Vec3<double>& velocity) {
  double const h = disk.scale_length, z0 = disk.scale_height;
  double const R = h * disk_radius(random.uniform());
  double const z = z0 * std::atanh(random.symmetric());
  double const angle = 2.0 * std::numbers::pi * random.uniform();
  auto const curve = disk.rotation(R);
  double const radial = central_dispersion_squared * std::exp(-R / h);
  // Epicyclic approximation: squared azimuthal over radial dispersion, kappa^2 / (4 Omega^2).
  double const ratio = curve.epicyclic_squared * R * R / (4.0 * curve.speed_squared);
  // Asymmetric drift, for a squared radial dispersion proportional to the surface density.
  double const mean_squared = curve.speed_squared + radial * (1.0 - ratio - 2.0 * R / h);
  double const mean = std::sqrt(std::max(0.0, mean_squared));
  // The squared vertical dispersion of the isothermal sheet is pi G Sigma z0. The halo adds the
  // mean of z times its vertical acceleration over the layer, in which the mean of z^2 is pi^2 z0^2
  // / 12.
  double const thickness = std::numbers::pi * std::numbers::pi / 12.0 * z0 * z0;
  double const r = std::sqrt(R * R + thickness);
  double const vertical = std::numbers::pi * disk.G * disk.surface_density(R) * z0 +
                          disk.G * disk.halo->enclosed_mass(r) / (r * r * r) * thickness;
  double const outwards = std::sqrt(radial) * random.normal();
  double const along = mean + std::sqrt(radial * ratio) * random.normal();
  double const up = std::sqrt(vertical) * random.normal();
  double const c = std::cos(angle), s = std::sin(angle);
  position = {R * c, R * s, z};
  velocity = {outwards * c - along * s, outwards * s + along * c, up};
}

HostBodies make_disk_galaxy(Values const& values, double G) {
  auto const count = static_cast<std::size_t>(requested_count(values));
  auto const in_disk = static_cast<std::size_t>(
      std::llround(values.number("disk_fraction") * static_cast<double>(count)));
  HostBodies bodies(count);
  if (count == 0) return bodies;
  double const disk_mass = values.number("disk_mass");
  double const halo_mass = values.number("halo_mass");
  double const h = values.number("scale_length");
  double const scale = values.number("halo_scale_radius");
  // The gravity of the disk on the halo is approximated by that of a spherical mass distribution.
  SphericalModel const halo(
      double_power_law(1.0, 4.0, scale, values.number("halo_truncation") * scale), halo_mass, G,
      [=](double r) { return disk_mass * exponential_disk_inside(r / h); });
  Disk const disk{disk_mass, h, values.number("scale_height"), values.number("toomre_q"), G, &halo};
  double const central = disk.central_dispersion_squared();
  for (std::size_t i = 0; i < count; ++i) {
    BodyRandom random(requested_seed(values), i);
    if (i < in_disk) {
      bodies.mass[i] = disk_mass / static_cast<double>(in_disk);
      draw_disk_body(disk, central, random, bodies.position[i], bodies.velocity[i]);
    } else {
      bodies.mass[i] = halo_mass / static_cast<double>(count - in_disk);
      double const radius = halo.radius_of_mass(random.uniform());
      bodies.position[i] = radius * random.direction();
      double const speed = halo.draw_speed(random, radius);
      bodies.velocity[i] = speed * random.direction();
    }
  }
  bodies.species.assign(count, species_types::dark);
  std::fill_n(bodies.species.begin(), in_disk, species_types::disk);
  // Disk and halo separately, so that they do not move relative to each other.
  bring_to_rest(bodies, 0, in_disk);
  bring_to_rest(bodies, in_disk, count - in_disk);
  return bodies;
}

}  // namespace

ModelEntry disk_galaxy_entry() {
  return cited(
      ModelEntry{
          "disk_galaxy",
          "exponential disk, rotating about +z, in a live Hernquist halo, close to equilibrium "
          "(Hernquist 1993), at the origin; bodies of the disk (species disk) come first, then "
          "those of the halo (species dark)",
          with_count_and_seed(
              {positive("disk_fraction", "fraction of the bodies that are in the disk")
                   .below(1.0)
                   .with_default(0.25),
               positive("disk_mass", "mass of the disk [mass]").with_default_in_natural_units(1.0),
               positive("scale_length", "h of the surface density exp(-R / h) [length]")
                   .with_default_in_natural_units(1.0),
               positive("scale_height", "z0 of the vertical density sech^2(z / z0) [length]")
                   .with_default_in_natural_units(0.2),
               number("toomre_q",
                      "Toomre's Q of the disk at R = 8.5 / 3.5 h; below 1 it is unstable")
                   .at_least(0.0)
                   .at_most(10.0)
                   .with_default(1.5),
               positive("halo_mass", "mass of the halo [mass]").with_default_in_natural_units(5.0),
               positive("halo_scale_radius", "Hernquist's a [length]")
                   .with_default_in_natural_units(3.0),
               number("halo_truncation", "r_t / a of the truncation of the halo by sech(r / r_t)")
                   .at_least(0.1)
                   .at_most(1e6)
                   .with_default(20.0)}),
          requested_count, make_disk_galaxy, equilibrium_virial_ratio},
      {"Hernquist1993", "Toomre1964", "Salmon2011"});
}

}  // namespace apsis::initial_conditions
