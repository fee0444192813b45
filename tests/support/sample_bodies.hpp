// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cmath>
#include <random>

namespace apsis::testing {

/// Returns bodies with normally distributed coordinates and unequal masses; the same for equal
/// counts.
inline HostBodies sample_bodies(std::size_t count) {
  std::mt19937_64 generator(1234 + count);
  std::normal_distribution<double> normal;
  HostBodies bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    bodies.mass[i] = (1.0 + 0.5 * std::sin(static_cast<double>(i))) / static_cast<double>(count);
    bodies.position[i] = {normal(generator), normal(generator), normal(generator)};
    bodies.velocity[i] = {normal(generator), normal(generator), normal(generator)};
  }
  return bodies;
}

/// Rounds to single precision, so that a reference in double starts from the same values as the
/// kernel.
inline HostBodies rounded_to_single(HostBodies bodies) {
  auto const round = [](Vec3<double>& v) {
    v = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  };
  for (auto& x : bodies.position) round(x);
  for (auto& v : bodies.velocity) round(v);
  for (auto& m : bodies.mass) m = static_cast<float>(m);
  return bodies;
}

/// Returns two bodies of mass 1/2 on a Kepler orbit with a = 1, G = 1, starting at apocentre;
/// period 2 pi.
inline HostBodies kepler_orbit(double eccentricity) {
  HostBodies bodies(2);
  double const r = 1.0 + eccentricity;
  double const v = std::sqrt((1.0 - eccentricity) / (1.0 + eccentricity));
  bodies.mass = {0.5, 0.5};
  bodies.position = {{0.5 * r, 0.0, 0.0}, {-0.5 * r, 0.0, 0.0}};
  bodies.velocity = {{0.0, 0.5 * v, 0.0}, {0.0, -0.5 * v, 0.0}};
  return bodies;
}

}  // namespace apsis::testing
