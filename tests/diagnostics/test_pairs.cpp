// SPDX-License-Identifier: Apache-2.0
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/pair_distances.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>

using namespace apsis;
using namespace apsis::testing;

namespace {

long double distance(HostBodies const& bodies, std::size_t i, std::size_t j) {
  long double const x = (long double)bodies.position[j].x - bodies.position[i].x;
  long double const y = (long double)bodies.position[j].y - bodies.position[i].y;
  long double const z = (long double)bodies.position[j].z - bodies.position[i].z;
  return std::sqrt(x * x + y * y + z * z);
}

/// Distances from a plain loop over pairs in long double.
struct PlainDistances {
  long double minimum = 1e300L, mean = 0, maximum = 0;
  std::size_t first = 0, second = 0;

  explicit PlainDistances(HostBodies const& bodies) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      for (std::size_t j = i + 1; j < bodies.size(); ++j) {
        long double const r = distance(bodies, i, j);
        if (r < minimum) {
          minimum = r;
          first = i;
          second = j;
        }
        maximum = std::max(maximum, r);
        mean += r;
      }
    }
    mean /= (long double)(bodies.size() * (bodies.size() - 1) / 2);
  }
};

/// Densities from sorted distances of each body.
std::vector<double> plain_densities(HostBodies const& bodies) {
  std::vector<double> densities;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    std::vector<std::pair<long double, std::size_t>> neighbours;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
      if (j != i) neighbours.emplace_back(distance(bodies, i, j), j);
    }
    std::sort(neighbours.begin(), neighbours.end());
    long double mass = 0;
    for (std::size_t k = 0; k < 5; ++k) mass += bodies.mass[neighbours[k].second];
    long double const r = neighbours[5].first;
    densities.push_back(double(mass / (4 * std::numbers::pi_v<long double> / 3 * r * r * r)));
  }
  return densities;
}

template <class Real>
HostBodies as_stored(HostBodies const& bodies) {
  return sizeof(Real) == 4 ? rounded_to_single(bodies) : bodies;
}

}  // namespace

TEST_CASE_TEMPLATE("pair distances agree with a plain loop over pairs in long double" *
                       testing::thread_counts,
                   Real, float, double) {
  ExecutionSpace const space;
  for (std::size_t const count : {2, 3, 7, 8, 9, 33, 512, 513, 1100}) {
    CAPTURE(count);
    auto const host = as_stored<Real>(sample_bodies(count));
    PlainDistances const plain(host);
    auto const bodies = to_device<Real>(space, host);
    auto const result = diagnostics::pair_distances(space, bodies);
    auto const closest = diagnostics::closest_pair(space, bodies);
    REQUIRE(result.has_value());
    REQUIRE(closest.has_value());
    auto const close = [](double a, long double b) { return std::abs(double(a / b - 1)) < 1e-15; };
    CHECK(close(result->closest.distance, plain.minimum));
    CHECK(close(result->mean, plain.mean));
    CHECK(close(result->maximum, plain.maximum));
    CHECK(result->closest.first == plain.first);
    CHECK(result->closest.second == plain.second);
    CHECK(closest->distance == result->closest.distance);
    CHECK(closest->first == plain.first);
    CHECK(closest->second == plain.second);
  }
}

TEST_CASE("the closest pair is found at any indices of its bodies" * testing::thread_counts) {
  ExecutionSpace const space;
  auto const host = sample_bodies(600);
  for (auto const& [i, j] : {std::pair{0, 1}, {0, 599}, {16, 17}, {511, 512}, {130, 530}}) {
    auto near = host;
    auto const first = static_cast<std::size_t>(i), second = static_cast<std::size_t>(j);
    near.position[second] = near.position[first] + Vec3<double>{1e-9, 0.0, 0.0};
    auto const result = diagnostics::closest_pair(space, to_device<double>(space, near));
    CHECK(result->first == first);
    CHECK(result->second == second);
    CHECK(result->distance == approximately(1e-9, 1e-6));
    // Two bodies at one position have the distance 0; a body is no pair with itself.
    near.position[second] = near.position[first];
    auto const touching = diagnostics::pair_distances(space, to_device<double>(space, near));
    CHECK(touching->closest.first == first);
    CHECK(touching->closest.second == second);
    CHECK(touching->closest.distance == 0.0);
  }
}

TEST_CASE("of equally close pairs the first is returned" * testing::thread_counts) {
  ExecutionSpace const space;
  HostBodies line(40);
  std::fill(line.mass.begin(), line.mass.end(), 1.0);
  for (std::size_t i = 0; i < line.size(); ++i) {
    double const x = static_cast<double>((i + 1) / 2);
    line.position[i] = {i % 2 == 1 ? x : -x, 0.0, 0.0};
  }
  auto const result = diagnostics::pair_distances(space, to_device<double>(space, line));
  CHECK(result->closest.first == 0);
  CHECK(result->closest.second == 1);
  CHECK(result->closest.distance == 1.0);
  CHECK(result->maximum == 39.0);
  CHECK(result->mean == approximately(41.0 / 3.0, 1e-15));  // (N + 1) / 3
}

TEST_CASE("zero bodies and one body have no pair") {
  ExecutionSpace const space;
  for (std::size_t const count : {0, 1}) {
    auto const bodies = to_device<float>(space, sample_bodies(count));
    CHECK_FALSE(diagnostics::closest_pair(space, bodies).has_value());
    CHECK_FALSE(diagnostics::pair_distances(space, bodies).has_value());
  }
}

TEST_CASE_TEMPLATE("densities agree with those from sorted distances" * testing::thread_counts,
                   Real, float, double) {
  ExecutionSpace const space;
  for (std::size_t const count : {7, 8, 100, 1100}) {
    CAPTURE(count);
    auto const host = as_stored<Real>(sample_bodies(count));
    auto const plain = plain_densities(host);
    auto const result = diagnostics::neighbour_densities(space, to_device<Real>(space, host));
    REQUIRE(result.size() == count);
    double worst = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      worst = std::max(worst, std::abs(result[i] / plain[i] - 1.0));
    }
    CHECK(worst < 3e-15);
  }
}

TEST_CASE("the density of a cubic lattice agrees with the estimator") {
  // The six nearest neighbours of an inner body are equally far: five masses in 4 pi / 3 cells.
  ExecutionSpace const space;
  HostBodies lattice(343);
  for (std::size_t i = 0; i < 343; ++i) {
    lattice.mass[i] = 2.0;
    lattice.position[i] = {0.5 * double(i % 7), 0.5 * double(i / 7 % 7), 0.5 * double(i / 49)};
  }
  auto const result = diagnostics::neighbour_densities(space, to_device<double>(space, lattice));
  CHECK(result[171] == approximately(5.0 * 2.0 / (std::numbers::pi / 6.0), 1e-15));
  auto const centre = diagnostics::density_centre(lattice, result);
  REQUIRE(centre.has_value());
  CHECK(norm(centre->position - Vec3<double>{1.5, 1.5, 1.5}) < 1e-14);
}

TEST_CASE("the mean of the density estimates is unbiased for a uniform density") {
  ExecutionSpace const space;
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> uniform;
  HostBodies cube(4000);
  for (std::size_t i = 0; i < cube.size(); ++i) {
    cube.mass[i] = 1.0 / 4000.0;
    cube.position[i] = {uniform(generator), uniform(generator), uniform(generator)};
  }
  auto const density = diagnostics::neighbour_densities(space, to_device<double>(space, cube));
  double sum = 0.0;
  int inside = 0;
  for (std::size_t i = 0; i < cube.size(); ++i) {
    auto const from_centre = cube.position[i] - Vec3<double>{0.5, 0.5, 0.5};
    if (norm(from_centre) > 0.4) continue;
    sum += density[i];
    ++inside;
  }
  // About a thousand bodies with a relative error of 0.5 each. An estimate that includes the sixth
  // neighbour or the body itself would have the mean 1.2.
  CHECK(sum / inside == approximately(1.0, 0.05));
}

TEST_CASE("too few bodies, and seven bodies at one position, have no core") {
  ExecutionSpace const space;
  auto const core = [&](HostBodies const& host) {
    auto const density = diagnostics::neighbour_densities(space, to_device<double>(space, host));
    return diagnostics::density_centre(host, density);
  };
  for (std::size_t const count : {0, 1, 6}) CHECK_FALSE(core(sample_bodies(count)).has_value());
  CHECK(core(sample_bodies(7)).has_value());
  auto coincident = sample_bodies(20);
  for (std::size_t i = 0; i < 7; ++i) coincident.position[2 * i] = {1.0, 2.0, 3.0};
  CHECK_FALSE(core(coincident).has_value());
  for (std::size_t i = 0; i < 7; ++i) coincident.mass[2 * i] = 0.0;  // mass 0 in volume 0
  REQUIRE(core(coincident).has_value());
  CHECK(std::isfinite(core(coincident)->core_radius));
  for (auto& m : coincident.mass) m = 0.0;
  CHECK_FALSE(core(coincident).has_value());
}
