// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/forces/gravity.hpp>

#include <cmath>
#include <vector>

namespace apsis::testing {

/// What a unit mass at a distance does: potential depth, and acceleration over distance.
struct UnitPull {
  long double depth, pull;
};

/// The softenings as GADGET's and SWIFT's papers write them, potential and force each by itself.
inline UnitPull unit_pull(long double squared, long double eps, forces::SofteningKernel kernel) {
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

/// Accelerations and potentials by a plain loop in long double, written without a look at the
/// kernel: a body does not act on itself, and unsoftened bodies in one place do not pull.
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
        auto const unit = unit_pull(x * x + y * y + z * z, softening, kernel);
        phi -= bodies.mass[j] * unit.depth;
        ax += bodies.mass[j] * x * unit.pull;
        ay += bodies.mass[j] * y * unit.pull;
        az += bodies.mass[j] * z * unit.pull;
      }
      acceleration.push_back({double(G * ax), double(G * ay), double(G * az)});
      potential.push_back(double(G * phi));
    }
  }
};

/// Jerks and snaps of bodies on x + v t + a t^2 / 2, by differences of the accelerations of a plain
/// loop in long double: they know nothing of a formula for either.
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
        // The step in units of what the pair changes in. Sources of finite size have kinks, at
        // which the differences are good to the share of pairs that are that near: a shorter step.
        Wide const fast = std::sqrt(square(v) / (square(x) + Wide(softening) * softening)) +
                          std::sqrt(std::sqrt(square(b) / (square(x) + 1e-30L))) + 1e-30L;
        bool const kinks = kernel == forces::SofteningKernel::spline ||
                           kernel == forces::SofteningKernel::wendland_c2;
        Wide const h = (kinks ? 1e-4L : 2e-3L) / fast;
        Wide at[7][3];
        for (int k = -3; k <= 3; ++k) {
          Wide r[3];
          for (int c = 0; c < 3; ++c) r[c] = x[c] + (v[c] + b[c] * k * h / 2) * k * h;
          auto const unit = unit_pull(square(r), softening, kernel);
          for (int c = 0; c < 3; ++c) at[k + 3][c] = bodies.mass[j] * r[c] * unit.pull;
        }
        for (int c = 0; c < 3; ++c) {
          auto const f = [&](int k) { return at[k + 3][c]; };
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
  static void relative(Vec3<double> const& from, Vec3<double> const& to, Wide (&by)[3]) {
    by[0] = Wide(to.x) - from.x;
    by[1] = Wide(to.y) - from.y;
    by[2] = Wide(to.z) - from.z;
  }
  static Wide square(Wide const (&x)[3]) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; }
};

}  // namespace apsis::testing
