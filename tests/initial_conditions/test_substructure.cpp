// SPDX-License-Identifier: Apache-2.0
#include "support/models.hpp"
#include "support/relative.hpp"
#include <apsis/initial_conditions/model.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

/// Uniform cubes and fractals.
using namespace apsis;
using namespace apsis::initial_conditions;
using apsis::testing::model;
using apsis::testing::relative_error;
using apsis::testing::values_for;

namespace {

/// Sum of m / r over all pairs, for |W| with G = 1.
double pair_energy(HostBodies const& bodies) {
  double sum = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      sum += bodies.mass[i] * bodies.mass[j] / norm(bodies.position[i] - bodies.position[j]);
    }
  }
  return sum;
}

double kinetic_energy(HostBodies const& bodies) {
  double sum = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    sum += 0.5 * bodies.mass[i] * dot(bodies.velocity[i], bodies.velocity[i]);
  }
  return sum;
}

/// Number of cubes of side 2^(1 - level) with bodies, in the cube of side 1 about the origin, which
/// the surface of the unit sphere does not cut.
std::size_t occupied_boxes(HostBodies const& bodies, int level) {
  std::set<std::array<long, 3>> boxes;
  double const per_length = std::exp2(level - 1);
  for (auto const& x : bodies.position) {
    if (std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)}) >= 0.5) continue;
    boxes.insert({std::lround(std::floor(x.x * per_length)),
                  std::lround(std::floor(x.y * per_length)),
                  std::lround(std::floor(x.z * per_length))});
  }
  return boxes.size();
}

HostBodies fractal(double dimension, std::int64_t count, std::int64_t seed) {
  auto const& entry = model("fractal");
  auto values = values_for(entry, count, seed);
  values.set("dimension", dimension);
  return entry.make(values, 1.0);
}

/// Box-counting dimension between two levels, a mean over several fractals.
double box_dimension(double dimension, std::int64_t count, int coarse, int fine) {
  constexpr int fractals = 4;
  double sum = 0.0;
  for (int seed = 1; seed <= fractals; ++seed) {
    auto const bodies = fractal(dimension, count, seed);
    sum += std::log2(static_cast<double>(occupied_boxes(bodies, fine)) /
                     static_cast<double>(occupied_boxes(bodies, coarse))) /
           (fine - coarse);
  }
  return sum / fractals;
}

/// Mean squared velocity difference of a body and its nearest neighbour, in units of that of all
/// pairs: 1 without coherence.
double incoherence(HostBodies const& bodies) {
  double near = 0.0, all = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double nearest = 1e300, of_nearest = 0.0, sum = 0.0;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
      if (i == j) continue;
      auto const dx = bodies.position[i] - bodies.position[j];
      auto const dv = bodies.velocity[i] - bodies.velocity[j];
      sum += dot(dv, dv);
      if (dot(dx, dx) >= nearest) continue;
      nearest = dot(dx, dx);
      of_nearest = dot(dv, dv);
    }
    near += of_nearest;
    all += sum / static_cast<double>(bodies.size() - 1);
  }
  return near / all;
}

}  // namespace

TEST_CASE("a uniform cube has the moments, the energy and the virial ratio of its density") {
  auto const& entry = model("uniform_cube");
  constexpr std::int64_t count = 4000;
  auto values = values_for(entry, count);
  values.set("side", 3.0);
  values.set("mass", 2.0);
  auto const cold = entry.make(values, 5.0);
  Vec3<double> mean, squares;
  double product = 0.0;
  for (std::size_t i = 0; i < cold.size(); ++i) {
    auto const x = cold.position[i];
    for (double const c : {x.x, x.y, x.z}) CHECK_UNARY(std::abs(c) < 1.5);
    CHECK_UNARY(norm(cold.velocity[i]) == 0.0);
    mean += (1.0 / count) * x;
    squares += (1.0 / count) * Vec3<double>{x.x * x.x, x.y * x.y, x.z * x.z};
    product += x.x * x.y / count;
  }
  // Variance L^2 / 12, and its sampling error L^2 sqrt(1 / 80 - 1 / 144) / sqrt(N).
  double const error = 1.0 / std::sqrt(double(count));
  for (double const c : {mean.x, mean.y, mean.z})
    CHECK(std::abs(c) < 4.0 * std::sqrt(0.75) * error);
  for (double const c : {squares.x, squares.y, squares.z}) {
    CHECK(std::abs(c - 0.75) < 4.0 * 9.0 * 0.0745 * error);
  }
  CHECK(std::abs(product) < 4.0 * 0.75 * error);
  // |W| = 0.94116 G M^2 / L.
  double const energy = 0.9411563221948303 * 4.0 / 3.0;
  CHECK(relative_error(pair_energy(cold), energy) < 0.01);
  values.set("virial_ratio", 0.3);
  CHECK(relative_error(kinetic_energy(entry.make(values, 5.0)), 0.3 * 5.0 * energy) < 0.04);
}

TEST_CASE("a fractal has its dimension by box counting") {
  // Levels with many boxes, and with several bodies in each.
  for (double const dimension : {1.6, 2.0}) {
    CAPTURE(dimension);
    CHECK(std::abs(box_dimension(dimension, 20000, 3, 5) - dimension) < 0.1);
  }
  // D = 3 is a uniform sphere, but for the noise of the first generations: with tens of bodies in
  // each box no box is empty.
  CHECK(std::abs(box_dimension(3.0, 10000, 2, 3) - 3.0) < 0.05);
  double squares = 0.0;
  for (int seed = 1; seed <= 8; ++seed) {
    for (auto const& x : fractal(3.0, 4000, seed).position) {
      CHECK_UNARY(norm(x) <= 1.0);
      squares += dot(x, x) / 32000.0;
    }
  }
  CHECK(relative_error(squares, 0.6) < 0.05);
  CHECK(relative_error(pair_energy(fractal(3.0, 3000, 2)), 0.6) < 0.08);
}

TEST_CASE("velocities of a fractal are coherent, at rest as a whole, and scale with its energy") {
  auto const& entry = model("fractal");
  auto values = values_for(entry, 2000, 3);
  values.set("dimension", 1.6);
  values.set("radius", 2.0);
  values.set("mass", 3.0);
  auto const bodies = entry.make(values, 5.0);
  Vec3<double> momentum;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    CHECK_UNARY(norm(bodies.position[i]) <= 2.0);
    momentum += bodies.mass[i] * bodies.velocity[i];
  }
  CHECK(norm(momentum) < 1e-12);
  CHECK(relative_error(kinetic_energy(bodies), 0.5 * 0.6 * 5.0 * 9.0 / 2.0) < 1e-12);
  CHECK(incoherence(bodies) < 0.4);
  values.set("virial_ratio", 0.0);
  for (auto const& v : entry.make(values, 5.0).velocity) CHECK_UNARY(norm(v) == 0.0);
  // Few bodies, also at the lowest dimension, where many trees die out.
  for (std::int64_t const count : {1, 2, 3, 17}) {
    for (std::int64_t seed = 0; seed < 20; ++seed) {
      CHECK(static_cast<std::int64_t>(fractal(1.0, count, seed).size()) == count);
    }
  }
}
