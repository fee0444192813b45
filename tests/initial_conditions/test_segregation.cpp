// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/masses.hpp"
#include "support/models.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace apsis;
using namespace apsis::initial_conditions;
using apsis::testing::model;
using apsis::testing::relative_error;
using apsis::testing::values_for;

namespace {

constexpr std::size_t star_count = 4000;

std::shared_ptr<Values const> kroupa(double segregation) {
  Values masses;
  masses.set("function", std::string("kroupa"));
  masses.set("minimum", 0.1);
  masses.set("maximum", 20.0);
  masses.set("scaled", true);
  masses.set("segregation", segregation);
  return std::make_shared<Values const>(std::move(masses));
}

HostBodies sphere(std::string const& name, double segregation) {
  auto values = values_for(model(name), star_count);
  values.set("masses", kroupa(segregation));
  return model(name).make(values, 1.0);
}

/// Radius that encloses a fraction of the weights.
double enclosing(HostBodies const& bodies, std::vector<double> const& weight, double fraction) {
  std::vector<std::size_t> order(bodies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return norm(bodies.position[a]) < norm(bodies.position[b]); });
  double const total = std::accumulate(weight.begin(), weight.end(), 0.0);
  double sum = 0.0;
  for (auto const i : order) {
    sum += weight[i];
    if (sum >= fraction * total) return norm(bodies.position[i]);
  }
  return 0.0;
}

/// Kinetic energy over |W|, without softening.
double virial_ratio(HostBodies const& bodies) {
  double kinetic = 0.0, potential = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    kinetic += 0.5 * bodies.mass[i] * dot(bodies.velocity[i], bodies.velocity[i]);
    for (std::size_t j = 0; j < i; ++j) {
      potential += bodies.mass[i] * bodies.mass[j] / norm(bodies.position[i] - bodies.position[j]);
    }
  }
  return kinetic / potential;
}

/// Specific energy in the potential of an infinite Plummer sphere of mass 1.
double plummer_energy(Vec3<double> x, Vec3<double> v) {
  double const a = values_for(model("plummer")).number("scale_radius");
  double const inside = std::pow(1.0 + 1.0 / (38.7 * 38.7), -1.5);
  return 0.5 * dot(v, v) - 1.0 / inside / std::sqrt(dot(x, x) + a * a);
}

}  // namespace

TEST_CASE("the order of segregation is that of the masses at 1 and random at 0") {
  std::vector<double> mass;
  for (std::size_t i = 0; i < 1000; ++i) {
    mass.push_back(BodyRandom(3, i).uniform());
    if (i % 3 == 0) mass.back() = 0.5;  // equal masses keep their order
  }
  auto const rank_correlation = [&](std::vector<std::size_t> const& order) {
    // Spearman's, with the ranks in the order of the masses.
    auto const sorted = segregated_order(mass, 1.0, 0);
    std::vector<double> rank(mass.size());
    for (std::size_t k = 0; k < sorted.size(); ++k) rank[sorted[k]] = static_cast<double>(k);
    double sum = 0.0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      sum += std::pow(rank[order[k]] - static_cast<double>(k), 2);
    }
    auto const n = static_cast<double>(order.size());
    return 1.0 - 6.0 * sum / (n * (n * n - 1.0));
  };
  double last = -0.2;
  for (double const segregation : {0.0, 0.3, 0.6, 0.8, 1.0}) {
    CAPTURE(segregation);
    auto const order = segregated_order(mass, segregation, 7);
    auto places = order;
    std::sort(places.begin(), places.end());
    for (std::size_t k = 0; k < places.size(); ++k) CHECK_UNARY(places[k] == k);
    double const correlation = rank_correlation(order);
    CHECK(correlation > last + 0.05);
    last = correlation;
    // The heaviest body takes place (1 - X^(1 - S)) N, with the mean N (1 - S) / (2 - S).
    auto const heaviest =
        static_cast<std::size_t>(std::max_element(mass.begin(), mass.end()) - mass.begin());
    double mean = 0.0;
    constexpr int seeds = 400;
    for (int seed = 0; seed < seeds; ++seed) {
      auto const one = segregated_order(mass, segregation, static_cast<std::uint64_t>(seed));
      mean +=
          static_cast<double>(std::find(one.begin(), one.end(), heaviest) - one.begin()) / seeds;
    }
    CHECK(std::abs(mean / 1000.0 - (1.0 - segregation) / (2.0 - segregation)) < 0.05);
  }
  CHECK(last == 1.0);
  CHECK(std::abs(rank_correlation(segregated_order(mass, 0.0, 7))) < 0.1);
  auto const sorted = segregated_order(mass, 1.0, 7);
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    bool const descends = mass[sorted[k]] < mass[sorted[k - 1]];
    bool const is_equal = mass[sorted[k]] == mass[sorted[k - 1]];
    CHECK_UNARY((descends || (is_equal && sorted[k] > sorted[k - 1])));
  }
  CHECK(segregated_order({}, 0.5, 1).empty());
  CHECK((segregated_order({2.0}, 0.5, 1) == std::vector<std::size_t>{0}));
}

TEST_CASE("a segregated sphere keeps its mass profile and its equilibrium, and heavy bodies sink") {
  std::vector<double> const one(star_count, 1.0);
  for (auto const* name : {"plummer", "king", "hernquist"}) {
    CAPTURE(name);
    auto const plain = sphere(name, 0.0);
    auto equal = values_for(model(name), star_count);
    auto const profile = model(name).make(equal, 1.0);
    double last = 0.0;
    for (double const segregation : {0.5, 1.0}) {
      CAPTURE(segregation);
      auto const bodies = sphere(name, segregation);
      CHECK((bodies.mass == plain.mass));
      // The mass is distributed as in the model. Few heavy bodies scatter the inner radii: a tenth
      // of the mass is that of ten bodies.
      for (double const fraction : {0.25, 0.5, 0.75}) {
        CHECK(relative_error(enclosing(bodies, bodies.mass, fraction),
                             enclosing(profile, one, fraction)) < 0.1);
      }
      // The bodies are further out the more the mass is concentrated.
      double const ratio = enclosing(bodies, one, 0.5) / enclosing(bodies, bodies.mass, 0.5);
      CHECK(ratio > last + 0.15);
      CHECK(ratio > 1.2);
      last = ratio;
      CHECK(std::abs(virial_ratio(bodies) - 0.5) < 0.03);
      Vec3<double> momentum;
      for (std::size_t i = 0; i < star_count; ++i) momentum += bodies.mass[i] * bodies.velocity[i];
      CHECK(norm(momentum) < 1e-14);
    }
  }
}

TEST_CASE("with full segregation heavier bodies are more bound, and each has an orbit of its own") {
  auto const bodies = sphere("plummer", 1.0);
  auto const order = segregated_order(bodies.mass, 1.0, 1);
  std::vector<double> energy;
  for (auto const i : order) {
    energy.push_back(plummer_energy(bodies.position[i], bodies.velocity[i]));
  }
  // Energies of the model and of the shells of the pool differ by sampling errors.
  for (std::size_t k = 1; k < star_count; ++k) CHECK_UNARY(energy[k] > energy[k - 1] - 0.03);
  CHECK(std::adjacent_find(energy.begin(), energy.end()) == energy.end());
  // The energy of a body is between those below which the sphere has the mass of the bodies before
  // it, without and with its own.
  auto values = values_for(model("plummer"), 16 * star_count);
  auto const pool = model("plummer").make(values, 1.0);
  std::vector<double> of_pool;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    of_pool.push_back(plummer_energy(pool.position[i], pool.velocity[i]));
  }
  std::sort(of_pool.begin(), of_pool.end());
  double before = 0.0;
  for (std::size_t k = 0; k < star_count; ++k) {
    auto const energy_of_rank = [&](double mass) {
      return of_pool[static_cast<std::size_t>(std::min(mass, 1.0) *
                                              static_cast<double>(pool.size() - 1))];
    };
    double const after = before + bodies.mass[order[k]];
    CHECK_UNARY(energy[k] > energy_of_rank(before) - 0.03);
    CHECK_UNARY(energy[k] < energy_of_rank(after) + 0.03);
    before = after;
  }
  // A cold sphere is segregated by radius.
  auto const cold = sphere("uniform_sphere", 1.0);
  std::vector<double> radius;
  for (auto const i : segregated_order(cold.mass, 1.0, 1)) {
    radius.push_back(norm(cold.position[i]));
  }
  CHECK(std::is_sorted(radius.begin(), radius.end()));
}

TEST_CASE("orbits are ordered by their energy in equal shells, with half of the own shell inside") {
  constexpr std::size_t count = 64, pool = 16 * count;
  // Orbits at 0.001 to 1, with kinetic energies up to the potential of all mass at the centre.
  auto const draw = [](BodyRandom& random, Vec3<double>& position, Vec3<double>& velocity) {
    position = {std::pow(10.0, -3.0 * random.uniform()), 0.0, 0.0};
    velocity = {0.0, std::sqrt(2.0 * random.uniform() / position.x), 0.0};
  };
  for (std::int64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    std::vector<double> radius(pool), energy(pool);
    for (std::size_t i = 0; i < pool; ++i) {
      BodyRandom random(static_cast<std::uint64_t>(seed), i);
      Vec3<double> position, velocity;
      draw(random, position, velocity);
      radius[i] = position.x;
      energy[i] = 0.5 * dot(velocity, velocity);
    }
    for (std::size_t i = 0; i < pool; ++i) {
      double depth = 0.5 / radius[i];
      for (std::size_t j = 0; j < pool; ++j) {
        if (j != i) depth += 1.0 / std::max(radius[i], radius[j]);
      }
      energy[i] -= depth / static_cast<double>(pool);
    }
    HostBodies bodies(count);
    bodies.mass.assign(count, 1.0 / static_cast<double>(count));
    Values values;
    values.set("seed", seed);
    draw_segregated(bodies, values, 1.0, 1.0, draw);
    // The most bound body has one of the first 16 orbits, and so on.
    for (std::size_t k = 0; k < count; ++k) {
      auto const orbit = static_cast<std::size_t>(
          std::find(radius.begin(), radius.end(), bodies.position[k].x) - radius.begin());
      REQUIRE(orbit < pool);
      auto const rank = static_cast<std::size_t>(std::count_if(
          energy.begin(), energy.end(), [&](double other) { return other < energy[orbit]; }));
      CHECK(rank / 16 == k);
    }
  }
}
