// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cmath>
#include <vector>

namespace apsis::testing {

/// Accelerations and potentials by a plain loop in long double, written without a look at the
/// kernel: a body does not act on itself, and unsoftened bodies in one place do not pull.
struct ReferenceForce {
  std::vector<Vec3<double>> acceleration;
  std::vector<double> potential;

  ReferenceForce(HostBodies const& bodies, double G, double softening) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      long double ax = 0, ay = 0, az = 0, phi = 0;
      for (std::size_t j = 0; j < bodies.size(); ++j) {
        if (i == j || bodies.mass[j] == 0) continue;
        long double const x = (long double)bodies.position[j].x - bodies.position[i].x;
        long double const y = (long double)bodies.position[j].y - bodies.position[i].y;
        long double const z = (long double)bodies.position[j].z - bodies.position[i].z;
        long double const d = std::sqrt(x * x + y * y + z * z + (long double)softening * softening);
        phi -= bodies.mass[j] / d;
        if (d == 0) continue;
        ax += bodies.mass[j] * x / (d * d * d);
        ay += bodies.mass[j] * y / (d * d * d);
        az += bodies.mass[j] * z / (d * d * d);
      }
      acceleration.push_back({double(G * ax), double(G * ay), double(G * az)});
      potential.push_back(double(G * phi));
    }
  }
};

}  // namespace apsis::testing
