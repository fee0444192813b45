// SPDX-License-Identifier: Apache-2.0
#include "support/models.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::model;
using apsis::testing::values_for;

/// Tests of the position of models: the deck sets the centre of the profile, not the centre of
/// mass, which a few distant bodies dominate.
namespace {

constexpr std::int64_t seeds = 24;

struct Range {
  std::string name;
  std::size_t first, end;
};

/// Components of a model of `count` bodies, each drawn about its own centre.
std::vector<Range> parts_of(std::string const& name, std::size_t count) {
  if (name != "disk_galaxy") return {{name, 0, count}};
  return {{"disk", 0, count / 4}, {"halo", count / 4, count}};
}

/// Largest excess over one half of the number of bodies on one side of a plane through `centre`, in
/// standard deviations. It tests the median and is independent of the profile.
double lopsidedness(HostBodies const& bodies, Range const& part, Vec3<double> const& centre) {
  double above[3] = {};
  for (std::size_t i = part.first; i < part.end; ++i) {
    auto const x = bodies.position[i] - centre;
    above[0] += x.x > 0.0 ? 1.0 : 0.0;
    above[1] += x.y > 0.0 ? 1.0 : 0.0;
    above[2] += x.z > 0.0 ? 1.0 : 0.0;
  }
  auto const count = static_cast<double>(part.end - part.first);
  double worst = 0.0;
  for (double const n : above) {
    worst = std::max(worst, std::abs(n - 0.5 * count) / (0.5 * std::sqrt(count)));
  }
  return worst;
}

/// Momentum of a part, relative to the sum of the magnitudes of the momenta of its bodies.
double relative_momentum(HostBodies const& bodies, Range const& part) {
  Vec3<double> sum;
  double magnitudes = 0.0;
  for (std::size_t i = part.first; i < part.end; ++i) {
    sum += bodies.mass[i] * bodies.velocity[i];
    magnitudes += bodies.mass[i] * norm(bodies.velocity[i]);
  }
  return magnitudes > 0.0 ? norm(sum) / magnitudes : 0.0;
}

/// Kolmogorov-Smirnov probability that uniform numbers in (0, 1) deviate more from uniform than
/// these, with Stephens' correction for their number (1970, J. R. Stat. Soc. B 32, 115).
double uniform_probability(std::vector<double> u) {
  std::sort(u.begin(), u.end());
  auto const n = static_cast<double>(u.size());
  double distance = 0.0;
  for (std::size_t k = 0; k < u.size(); ++k) {
    auto const below = static_cast<double>(k);
    distance = std::max({distance, u[k] - below / n, (below + 1.0) / n - u[k]});
  }
  double const x = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  double sum = 0.0;
  for (int k = 1; k < 100; ++k) {
    sum += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * x * x);
  }
  return x < 0.2 ? 1.0 : std::clamp(sum, 0.0, 1.0);
}

/// Smaller probability of the two direction angles of these vectors for an isotropic distribution.
double isotropic_probability(std::vector<Vec3<double>> const& vectors) {
  std::vector<double> polar, azimuth;
  for (auto const& a : vectors) {
    polar.push_back(0.5 + 0.5 * a.z / norm(a));
    azimuth.push_back(0.5 + 0.5 * std::atan2(a.y, a.x) * std::numbers::inv_pi);
  }
  return std::min(uniform_probability(std::move(polar)), uniform_probability(std::move(azimuth)));
}

/// Positions of the innermost quarter of the bodies; their directions are most sensitive to an
/// offset of the centre.
std::vector<Vec3<double>> innermost(HostBodies const& bodies, Range const& part) {
  auto const first = bodies.position.begin() + static_cast<std::ptrdiff_t>(part.first);
  auto const end = bodies.position.begin() + static_cast<std::ptrdiff_t>(part.end);
  std::vector<Vec3<double>> positions(first, end);
  std::sort(positions.begin(), positions.end(),
            [](auto const& a, auto const& b) { return dot(a, a) < dot(b, b); });
  positions.resize(positions.size() / 4);
  return positions;
}

}  // namespace

TEST_CASE("Kolmogorov-Smirnov probabilities agree with published tables") {
  // The 1 % point of sqrt(N) d, for the largest distance d, is 1.6276 for large N.
  std::vector<double> shifted;
  for (int k = 0; k < 10001; ++k) shifted.push_back(0.98 * (k + 0.5) / 10001.0);
  CHECK(uniform_probability(shifted) < 1e-3);
  std::vector<double> even;
  for (int k = 0; k < 101; ++k) even.push_back((k + 0.5) / 101.0);
  CHECK(uniform_probability(even) > 0.999);
  std::vector<double> edge;
  double const d = 1.6276 / (100.0 + 0.12 + 0.0011);
  for (int k = 0; k < 10000; ++k) edge.push_back((1.0 - d) * (k + 1.0) / 10000.0);
  CHECK(uniform_probability(edge) == approximately(0.01, 0.01));
}

TEST_CASE("every model is centred at the origin, at rest and isotropic") {
  for (std::string const name :
       {"plummer", "king", "hernquist", "jaffe", "nfw", "uniform_sphere", "disk_galaxy"}) {
    constexpr std::int64_t count = 1024;
    for (std::int64_t seed = 0; seed < seeds; ++seed) {
      auto const bodies = model(name).make(values_for(model(name), count, seed), 1.0);
      for (auto const& part : parts_of(name, count)) {
        CAPTURE(part.name);
        CAPTURE(seed);
        // Exceeded in about one of 5000 samples.
        CHECK(lopsidedness(bodies, part, {}) < 4.0);
        CHECK(relative_momentum(bodies, part) < 1e-14);
        if (part.name == "disk") continue;
        CHECK(isotropic_probability(innermost(bodies, part)) > 1e-3);
      }
    }
  }
}

TEST_CASE("a disk is in its plane even with few halo bodies") {
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    auto values = values_for(model("disk_galaxy"), 8192, seed);
    values.set("disk_fraction", 0.875);
    auto const bodies = model("disk_galaxy").make(values, 1.0);
    constexpr std::size_t in_disk = 7168;
    double height = 0.0;
    for (std::size_t i = 0; i < in_disk; ++i) height += bodies.position[i].z / in_disk;
    // <z^2> of sech^2(z / z0) is pi^2 z0^2 / 12.
    double const scatter = 0.2 * std::numbers::pi / std::sqrt(12.0 * in_disk);
    CHECK(std::abs(height) < 4.0 * scatter);
  }
}

TEST_CASE("parts of a composite are at the positions in the deck, and the composite is at rest") {
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    Vec3<double> const positions[] = {{-10.0, 0.0, 0.0}, {10.0, 3.0, -1.0}};
    std::vector<Values> parts;
    for (int k = 0; k < 2; ++k) {
      auto bodies = values_for(model("disk_galaxy"), 1024, 2 * seed + k);
      bodies.set("generator", std::string("disk_galaxy"));
      Values part;
      part.set("bodies", std::make_shared<Values const>(std::move(bodies)));
      part.set("position", positions[k]);
      part.set("velocity", Vec3<double>{0.5 - k, 0.0, 0.0});
      part.set("inclination", 60.0 * k);
      for (auto const* angle : {"node", "argument"}) part.set(angle, 30.0 * k);
      parts.push_back(std::move(part));
    }
    Values values;
    values.set("parts", parts);
    auto const bodies = model("composite").make(values, 1.0);
    for (std::size_t k = 0; k < 2; ++k) {
      for (auto part : parts_of("disk_galaxy", 1024)) {
        CAPTURE(part.name);
        part.first += 1024 * k;
        part.end += 1024 * k;
        CHECK(lopsidedness(bodies, part, positions[k]) < 4.0);
      }
    }
    CHECK(relative_momentum(bodies, {"all", 0, bodies.size()}) < 1e-14);
  }
}
