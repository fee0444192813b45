// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/disk_galaxy.hpp"
#include "support/measured.hpp"
#include "support/models.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace apsis;
using namespace apsis::initial_conditions;
using apsis::testing::approximately;
using apsis::testing::model;
using apsis::testing::relative_error;
using apsis::testing::values_for;

namespace {

using std::numbers::pi;

/// Cylindrical coordinates and velocities of a body about the z axis.
struct Cylindrical {
  double R, z, radial, azimuthal, vertical;

  Cylindrical(Vec3<double> const& x, Vec3<double> const& v)
      : R(std::hypot(x.x, x.y)),
        z(x.z),
        radial((x.x * v.x + x.y * v.y) / R),
        azimuthal((x.x * v.y - x.y * v.x) / R),
        vertical(v.z) {}
};

/// Moments of the disk bodies between two radii.
struct Ring {
  double mean_azimuthal = 0.0, radial_squared = 0.0, azimuthal_squared = 0.0;
  double vertical_squared = 0.0, z_squared = 0.0;
  int count = 0;

  Ring(HostBodies const& bodies, std::size_t in_disk, double inner, double outer) {
    for (std::size_t i = 0; i < in_disk; ++i) {
      Cylindrical const body(bodies.position[i], bodies.velocity[i]);
      if (body.R < inner || body.R >= outer) continue;
      mean_azimuthal += body.azimuthal;
      radial_squared += body.radial * body.radial;
      azimuthal_squared += body.azimuthal * body.azimuthal;
      vertical_squared += body.vertical * body.vertical;
      z_squared += body.z * body.z;
      ++count;
    }
    for (auto* sum :
         {&mean_azimuthal, &radial_squared, &azimuthal_squared, &vertical_squared, &z_squared}) {
      *sum /= count;
    }
    azimuthal_squared -= mean_azimuthal * mean_azimuthal;
  }
};

}  // namespace

TEST_CASE("the rotation curve agrees with direct sums over an exponential disk and a halo") {
  double const G = 2.0, mass = 1.5, h = 0.7, halo_mass = 4.0, a = 2.0;
  SphericalModel const halo(double_power_law(1.0, 4.0, a, 1e9), halo_mass, G);
  Disk const disk{mass, h, 0.1, 1.2, G, &halo};
  for (double const R : {0.3, 0.5, 1.5, 6.0}) {
    CAPTURE(R);
    // Acceleration by the disk as a direct sum over rings of a thin disk with little softening.
    double acceleration = 0.0;
    constexpr int rings = 4000, sectors = 720;
    double const width = 15.0 * h / rings;
    for (int i = 0; i < rings; ++i) {
      double const s = width * (i + 0.5);
      double const ring = disk.surface_density(s) * s * width * 2.0 * pi / sectors;
      for (int k = 0; k < sectors; ++k) {
        double const angle = 2.0 * pi * (k + 0.5) / sectors;
        double const x = R - s * std::cos(angle), y = s * std::sin(angle);
        acceleration += G * ring * x * std::pow(x * x + y * y + 1e-4 * R * R, -1.5);
      }
    }
    double const halo_part = G * halo_mass * R / ((R + a) * (R + a));
    auto const curve = disk.rotation(R);
    CHECK(relative_error(curve.speed_squared, acceleration * R + halo_part) < 0.01);
    // kappa^2 from finite differences of v^2.
    double const high = disk.rotation(1.02 * R).speed_squared;
    double const low = disk.rotation(R / 1.02).speed_squared;
    double const slope = (high - low) / (2.0 * std::log(1.02));
    CHECK(relative_error(curve.epicyclic_squared, (slope + 2.0 * curve.speed_squared) / (R * R)) <
          2e-3);
  }
  // At large radii the galaxy is a point mass, and kappa = Omega.
  auto const far = disk.rotation(2000.0 * h);
  CHECK(relative_error(far.speed_squared, G * (mass + halo_mass) / (2000.0 * h)) < 0.01);
  CHECK(relative_error(far.epicyclic_squared, far.speed_squared / std::pow(2000.0 * h, 2)) < 0.01);
  CHECK(relative_error(exponential_disk_inside(1e-3 * (1.0 - 1e-9)),
                       exponential_disk_inside(1e-3 * (1.0 + 1e-9))) < 1e-6);
}

TEST_CASE("a disk galaxy of 4000 bodies is close to equilibrium") {
  auto const& entry = model("disk_galaxy");
  for (double const q : {1.2, 2.0}) {
    auto values = values_for(entry, 4000);
    values.set("toomre_q", q);
    auto const bodies = entry.make(values, 1.0);
    auto const system = testing::measured<double>(bodies, {1.0, 0.0});
    CHECK(relative_error(system.mass, 6.0) < 1e-13);
    CHECK(relative_error(system.virial_ratio(), 0.5) < 0.03);
    CHECK(norm(system.momentum) < 1e-13);
    // The disk rotates about +z.
    Vec3<double> spin;
    for (std::size_t i = 0; i < 1000; ++i) spin += cross(bodies.position[i], bodies.velocity[i]);
    CHECK(spin.z > 0.99 * norm(spin));
  }
}

TEST_CASE("the disk has the requested profile, Toomre Q and velocity dispersions") {
  auto const& entry = model("disk_galaxy");
  constexpr std::int64_t count = 60000;
  double const G = 3.0, h = 2.0, z0 = 0.3, Q = 1.4;
  auto values = values_for(entry, count);
  values.set("disk_fraction", 0.9);
  values.set("scale_length", h);
  values.set("scale_height", z0);
  values.set("halo_scale_radius", 5.0);
  values.set("toomre_q", Q);
  auto const bodies = entry.make(values, G);
  constexpr std::size_t in_disk = 54000;
  CHECK(relative_error(bodies.mass[in_disk - 1], 1.0 / in_disk) < 1e-14);
  CHECK(relative_error(bodies.mass[in_disk], 5.0 / 6000.0) < 1e-14);
  for (double const x : {0.5, 1.68, 4.0}) {
    std::size_t inside = 0;
    for (std::size_t i = 0; i < in_disk; ++i) {
      inside += std::hypot(bodies.position[i].x, bodies.position[i].y) < x * h ? 1 : 0;
    }
    CHECK(relative_error(static_cast<double>(inside) / in_disk, 1.0 - (1.0 + x) * std::exp(-x)) <
          0.02);
  }

  double z_squared = 0.0;
  for (std::size_t i = 0; i < in_disk; ++i)
    z_squared += std::pow(bodies.position[i].z, 2) / in_disk;
  CHECK(relative_error(z_squared, pi * pi / 12.0 * z0 * z0) < 0.03);

  // Potential of the model: the truncated Hernquist halo and Freeman's disk.
  SphericalModel const halo(double_power_law(1.0, 4.0, 5.0, 100.0), 5.0, G);
  Disk const disk{1.0, h, z0, Q, G, &halo};
  double const R = disk.reference_radius();
  CHECK(R == approximately(8.5 / 3.5 * h));
  Ring const ring(bodies, in_disk, 0.95 * R, 1.05 * R);
  double const scatter = std::sqrt(2.0 / ring.count);
  auto const curve = disk.rotation(R);
  double const kappa = std::sqrt(curve.epicyclic_squared);
  double const surface = 1.0 / (2.0 * pi * h * h) * std::exp(-R / h);
  double const measured_q = std::sqrt(ring.radial_squared) * kappa / (3.36 * G * surface);
  CHECK(relative_error(measured_q, Q) < 2.0 * scatter);
  double const ratio = curve.epicyclic_squared * R * R / (4.0 * curve.speed_squared);
  CHECK(relative_error(ring.azimuthal_squared / ring.radial_squared, ratio) < 6.0 * scatter);
  CHECK(relative_error(ring.z_squared, pi * pi / 12.0 * z0 * z0) < 4.0 * scatter);
  // Q = sigma_R kappa / (3.36 G Sigma) is exact at the reference radius.
  double const sigma = std::sqrt(disk.central_dispersion_squared() * std::exp(-R / h));
  CHECK(sigma * kappa / (G * surface) == approximately(3.36 * Q, 1e-13));
  // Squared velocities of all bodies in units of the local squared dispersion. An error of 2 % of a
  // dispersion is 4 % of its square; the scatter of the mean is 0.6 %.
  double radial = 0.0, vertical = 0.0;
  for (std::size_t i = 0; i < in_disk; ++i) {
    Cylindrical const body(bodies.position[i], bodies.velocity[i]);
    double const layer = pi * pi / 12.0 * z0 * z0, r = std::sqrt(body.R * body.R + layer);
    double const sheet_part = pi * G * disk.surface_density(body.R) * z0;
    double const halo_part = G * halo.enclosed_mass(r) / (r * r * r) * layer;
    radial += body.radial * body.radial / (sigma * sigma * std::exp((R - body.R) / h)) / in_disk;
    vertical += body.vertical * body.vertical / (sheet_part + halo_part) / in_disk;
  }
  CHECK(radial == approximately(1.0, 0.025));
  CHECK(vertical == approximately(1.0, 0.025));
  // Radial Jeans equation (Binney & Tremaine 2008, equation 4.227) for the mean rotation.
  double const drift = ring.radial_squared * (1.0 - ratio - 2.0 * R / h);
  CHECK(relative_error(ring.mean_azimuthal * ring.mean_azimuthal, curve.speed_squared + drift) <
        0.02);
  // Vertical virial theorem of the layer, <v_z^2> = <z K_z>, with the accelerations by all bodies.
  double virial = 0.0;
  int sampled = 0;
  for (std::size_t i = 0; i < in_disk && sampled < 300; ++i) {
    Cylindrical const body(bodies.position[i], bodies.velocity[i]);
    if (body.R < 0.95 * R || body.R >= 1.05 * R) continue;
    double acceleration = 0.0;
    for (std::size_t j = 0; j < count; ++j) {
      auto const separation = bodies.position[i] - bodies.position[j];
      acceleration += G * bodies.mass[j] * separation.z *
                      std::pow(dot(separation, separation) + 0.03 * 0.03, -1.5);
    }
    virial += body.z * acceleration;
    ++sampled;
  }
  CHECK(relative_error(ring.vertical_squared, virial / sampled) < 0.15);
}
