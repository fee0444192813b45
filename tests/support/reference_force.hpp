// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/forces/gravity.hpp>

#include <cmath>
#include <vector>

namespace apsis::testing {

/// Potential depth and acceleration over distance, for a unit mass.
struct UnitForce {
  long double depth, acceleration_over_distance;
};

/// Softening kernels as in the papers of GADGET and SWIFT, with potential and force coded
/// separately.
inline UnitForce unit_force(long double squared, long double eps, forces::SofteningKernel kernel) {
  using forces::SofteningKernel;
  long double const s = std::sqrt(squared);
  if (kernel == SofteningKernel::plummer || kernel == SofteningKernel::none || eps == 0) {
    long double const d = std::sqrt(squared + eps * eps);
    return {1 / d, d == 0 ? 0 : 1 / (d * d * d)};
  }
  bool const spline = kernel == SofteningKernel::spline;
  long double const H = (spline ? 2.8L : 3.0L) * eps, u = s / H;
  if (u >= 1) return {1 / s, 1 / (s * s * s)};
  long double phi, f;
  if (!spline) {
    phi = 3 * powl(u, 7) - 15 * powl(u, 6) + 28 * powl(u, 5) - 21 * powl(u, 4) + 7 * u * u - 3;
    f = 21 * powl(u, 5) - 90 * powl(u, 4) + 140 * powl(u, 3) - 84 * u * u + 14;
  } else if (u < 0.5L) {
    phi = -2.8L + u * u * (16.0L / 3 + u * u * (6.4L * u - 9.6L));
    f = 32.0L / 3 + u * u * (32 * u - 38.4L);
  } else {
    phi = -3.2L + 1 / (15 * u) + u * u * (32.0L / 3 + u * (-16 + u * (9.6L - 32 * u / 15)));
    f = 64.0L / 3 - 48 * u + 38.4L * u * u - 32 * powl(u, 3) / 3 - 1 / (15 * powl(u, 3));
  }
  return {-phi / H, f / (H * H * H)};
}

/// Accelerations and potentials by a plain loop in long double, independent of the kernels: no
/// self-interaction, and no force between unsoftened bodies at the same position.
struct ReferenceForce {
  std::vector<Vec3<double>> acceleration;
  std::vector<double> potential;

  ReferenceForce(HostBodies const& bodies, double G, double softening,
                 forces::SofteningKernel kernel = forces::SofteningKernel::plummer) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      long double ax = 0, ay = 0, az = 0, phi = 0;
      for (std::size_t j = 0; j < bodies.size(); ++j) {
        if (i == j || bodies.mass[j] == 0) continue;
        long double const x = (long double)bodies.position[j].x - bodies.position[i].x;
        long double const y = (long double)bodies.position[j].y - bodies.position[i].y;
        long double const z = (long double)bodies.position[j].z - bodies.position[i].z;
        auto const unit = unit_force(x * x + y * y + z * z, softening, kernel);
        phi -= bodies.mass[j] * unit.depth;
        ax += bodies.mass[j] * x * unit.acceleration_over_distance;
        ay += bodies.mass[j] * y * unit.acceleration_over_distance;
        az += bodies.mass[j] * z * unit.acceleration_over_distance;
      }
      acceleration.push_back({double(G * ax), double(G * ay), double(G * az)});
      potential.push_back(double(G * phi));
    }
  }
};

/// Jerks and snaps of bodies on x + v t + a t^2 / 2, by finite differences of accelerations in long
/// double, independent of any formula for jerk or snap.
struct ReferenceMotion {
  std::vector<Vec3<double>> jerk, snap;

  ReferenceMotion(HostBodies const& bodies, std::vector<Vec3<double>> const& a, double G,
                  double softening, forces::SofteningKernel kernel) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      Wide first[3]{}, second[3]{};
      for (std::size_t j = 0; j < bodies.size(); ++j) {
        if (i == j || bodies.mass[j] == 0) continue;
        Wide x[3], v[3], b[3];
        relative(bodies.position[i], bodies.position[j], x);
        relative(bodies.velocity[i], bodies.velocity[j], v);
        relative(a[i], a[j], b);
        // The step is relative to the time scale of the pair. Kernels of finite extent have kinks
        // where the differences lose accuracy in proportion to the pairs near a kink: a shorter
        // step.
        Wide const fast = std::sqrt(square(v) / (square(x) + Wide(softening) * softening)) +
                          std::sqrt(std::sqrt(square(b) / (square(x) + 1e-30L))) + 1e-30L;
        bool const kinks = kernel == forces::SofteningKernel::spline ||
                           kernel == forces::SofteningKernel::wendland_c2;
        Wide const h = (kinks ? 1e-4L : 2e-3L) / fast;
        Wide samples[7][3];
        for (int k = -3; k <= 3; ++k) {
          Wide r[3];
          for (int c = 0; c < 3; ++c) r[c] = x[c] + (v[c] + b[c] * k * h / 2) * k * h;
          auto const unit = unit_force(square(r), softening, kernel);
          for (int c = 0; c < 3; ++c)
            samples[k + 3][c] = bodies.mass[j] * r[c] * unit.acceleration_over_distance;
        }
        for (int c = 0; c < 3; ++c) {
          auto const f = [&](int k) { return samples[k + 3][c]; };
          first[c] += (45 * (f(1) - f(-1)) - 9 * (f(2) - f(-2)) + (f(3) - f(-3))) / (60 * h);
          second[c] +=
              (270 * (f(1) + f(-1)) - 27 * (f(2) + f(-2)) + 2 * (f(3) + f(-3)) - 490 * f(0)) /
              (180 * h * h);
        }
      }
      jerk.push_back({double(G * first[0]), double(G * first[1]), double(G * first[2])});
      snap.push_back({double(G * second[0]), double(G * second[1]), double(G * second[2])});
    }
  }

 private:
  using Wide = long double;
  static void relative(Vec3<double> const& target_vector, Vec3<double> const& source_vector,
                       Wide (&difference)[3]) {
    difference[0] = Wide(source_vector.x) - target_vector.x;
    difference[1] = Wide(source_vector.y) - target_vector.y;
    difference[2] = Wide(source_vector.z) - target_vector.z;
  }
  static Wide square(Wide const (&x)[3]) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; }
};

}  // namespace apsis::testing
