// SPDX-License-Identifier: Apache-2.0
#include "masses.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace apsis::initial_conditions {

namespace {

/// First body index of the random numbers for the order and for the ranks in the pool.
constexpr std::uint64_t order_stream = std::uint64_t{1} << 60;
constexpr std::uint64_t rank_stream = std::uint64_t{1} << 59;

/// Fewest and most orbits of the pool for each body.
constexpr double fewest_orbits = 16.0, most_orbits = 64.0;

/// Set of places 0 ... N - 1 from which places are taken by their rank among the free ones
/// (Fenwick 1994, Software: Practice and Experience 24, 327).
class FreePlaces {
 public:
  explicit FreePlaces(std::size_t count) : sums_(count + 1) {
    for (std::size_t k = 1; k <= count; ++k) sums_[k] = k & (~k + 1);
    while (2 * highest_ <= count) highest_ *= 2;
  }

  /// Returns the free place with this rank, counted from 0, and takes it. O(log N).
  std::size_t take(std::size_t rank) {
    std::size_t place = 0;
    for (std::size_t step = highest_; step > 0; step /= 2) {
      if (place + step >= sums_.size() || sums_[place + step] > rank) continue;
      place += step;
      rank -= sums_[place];
    }
    for (std::size_t k = place + 1; k < sums_.size(); k += k & (~k + 1)) --sums_[k];
    return place;
  }

 private:
  std::vector<std::size_t> sums_;
  std::size_t highest_ = 1;
};

/// Indices 0 ... N - 1 in ascending order of the keys; equal keys in the order of their indices.
std::vector<std::size_t> sorted_by(std::vector<double> const& key) {
  std::vector<std::size_t> order(key.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  return order;
}

/// Ranks of the pool's orbits by energy, the most bound first.
std::vector<std::size_t> orbits_by_energy(std::size_t count, Values const& values, double mass,
                                          double G, DrawBody const& draw) {
  std::vector<double> radius(count), energy(count);
  for (std::size_t i = 0; i < count; ++i) {
    Vec3<double> position, velocity;
    BodyRandom random(requested_seed(values), i);
    draw(random, position, velocity);
    radius[i] = norm(position);
    energy[i] = 0.5 * dot(velocity, velocity);
  }
  // Potential of equal shells: the mass inside and half of the own shell over r, and all shells
  // outside.
  auto const outwards = sorted_by(radius);
  double const shell = G * mass / static_cast<double>(count);
  double outside = 0.0;
  for (std::size_t k = count; k-- > 0;) {
    double const r = radius[outwards[k]];
    energy[outwards[k]] -= shell * ((static_cast<double>(k) + 0.5) / r + outside);
    outside += 1.0 / r;
  }
  return sorted_by(energy);
}

}  // namespace

std::vector<std::size_t> segregated_order(std::vector<double> const& mass, double segregation,
                                          std::uint64_t seed) {
  std::vector<double> lightness;
  lightness.reserve(mass.size());
  for (double const m : mass) lightness.push_back(-m);
  auto const heaviest_first = sorted_by(lightness);
  FreePlaces places(mass.size());
  std::vector<std::size_t> order(mass.size());
  for (std::size_t i = 0; i < mass.size(); ++i) {
    double const x = BodyRandom(seed, order_stream + i).uniform();
    std::size_t const free = mass.size() - i;
    auto const rank = static_cast<std::size_t>((1.0 - std::pow(x, 1.0 - segregation)) *
                                               static_cast<double>(free));
    order[places.take(std::min(rank, free - 1))] = heaviest_first[i];
  }
  return order;
}

void draw_segregated(HostBodies& bodies, Values const& values, double segregation, double G,
                     DrawBody const& draw) {
  std::size_t const count = bodies.size();
  if (count == 0) return;
  auto const seed = requested_seed(values);
  double const total = std::accumulate(bodies.mass.begin(), bodies.mass.end(), 0.0);
  double const lightest = *std::min_element(bodies.mass.begin(), bodies.mass.end());
  // Twice as many orbits as the share of the lightest body needs.
  double const needed = 2.0 * total / (lightest * static_cast<double>(count));
  auto const pool =
      count * static_cast<std::size_t>(std::clamp(needed, fewest_orbits, most_orbits));
  auto const orbits = orbits_by_energy(pool, values, total, G, draw);
  auto const order = segregated_order(bodies.mass, segregation, seed);
  double before = 0.0;
  std::size_t next = 0;  // first orbit that is free: no two bodies have the same
  for (std::size_t place = 0; place < count; ++place) {
    auto const body = order[place];
    double const share = BodyRandom(seed, rank_stream + place).uniform() * bodies.mass[body];
    auto const rank =
        static_cast<std::size_t>((before + share) / total * static_cast<double>(pool));
    auto const last = pool - (count - place);  // one orbit is left for each of the other bodies
    auto const orbit = std::min(std::max(rank, next), last);
    BodyRandom random(seed, orbits[orbit]);
    draw(random, bodies.position[body], bodies.velocity[body]);
    before += bodies.mass[body];
    next = orbit + 1;
  }
}

}  // namespace apsis::initial_conditions
