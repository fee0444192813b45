// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/binaries.hpp"

#include <apsis/bodies/transfer.hpp>
#include <apsis/diagnostics/orbital_elements.hpp>
#include <apsis/diagnostics/pair_distances.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace apsis::diagnostics {

namespace {

constexpr auto no_pair = std::numeric_limits<std::size_t>::max();

/// Massive bodies and centres of mass of binaries.
struct Objects {
  HostBodies bodies;                              ///< mass, position, velocity
  std::vector<std::vector<std::size_t>> members;  ///< bodies of each object
  std::vector<double> extent;                     ///< semi-major axis of a binary, else 0 [length]

  void add(double mass, Vec3<double> const& position, Vec3<double> const& velocity,
           std::vector<std::size_t> object_members, double semi_major_axis) {
    bodies.mass.push_back(mass);
    bodies.position.push_back(position);
    bodies.velocity.push_back(velocity);
    bodies.id.push_back(members.size());
    members.push_back(std::move(object_members));
    extent.push_back(semi_major_axis);
  }
};

/// Returns the pairs, each of which is the nearest object of the other, by rising first index.
std::vector<std::pair<std::size_t, std::size_t>> mutually_nearest(ExecutionSpace const& space,
                                                                  HostBodies const& bodies,
                                                                  Poll const& poll) {
  auto const nearest = nearest_bodies(space, to_device<double>(space, bodies), poll);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const [j, distance] = nearest[i];
    if (std::isfinite(distance) && i < j && nearest[j].index == i) pairs.emplace_back(i, j);
  }
  return pairs;
}

/// Returns the orbit of two objects if it is bound.
std::optional<BoundOrbit> bound_orbit(Objects const& objects, std::size_t i, std::size_t j,
                                      double G) {
  auto const& bodies = objects.bodies;
  auto const r = bodies.position[j] - bodies.position[i];
  auto const v = bodies.velocity[j] - bodies.velocity[i];
  double const product = bodies.mass[i] * bodies.mass[j], sum = bodies.mass[i] + bodies.mass[j];
  double const energy = product / sum * (0.5 * dot(v, v)) - G * product / norm(r);
  if (!(energy < 0.0) || !std::isfinite(energy)) return std::nullopt;
  auto const elements = orbital_elements(G, sum, r, v);
  auto members = objects.members[i];
  auto const& others = objects.members[j];
  // A binary before a single body.
  members.insert(members.size() < others.size() ? members.begin() : members.end(), others.begin(),
                 others.end());
  return BoundOrbit{std::move(members),
                    elements.semi_major_axis,
                    elements.eccentricity,
                    elements.period,
                    energy,
                    0.0};
}

bool is_outside(BoundOrbit const& orbit, double extent) {
  return orbit.semi_major_axis * (1.0 - orbit.eccentricity) > extent;
}

/// Kinetic energies of objects about their common centre of mass.
class KineticEnergies {
 public:
  explicit KineticEnergies(Objects const& objects) {
    auto const& bodies = objects.bodies;
    auto const mean = centre_of_mass(bodies).velocity;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      auto const v = bodies.velocity[i] - mean;
      energies_.push_back(0.5 * bodies.mass[i] * dot(v, v));
      sum_ += energies_.back();
    }
  }
  /// Mean over all objects except these [energy]; NaN if there are no others.
  double mean_without(std::initializer_list<std::size_t> excluded) const {
    double sum = sum_;
    for (std::size_t const i : excluded) sum -= energies_[i];
    std::size_t const others = energies_.size() - excluded.size();
    return others > 0 ? sum / static_cast<double>(others)
                      : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  std::vector<double> energies_;
  double sum_ = 0.0;
};

}  // namespace

std::vector<BoundOrbit> bound_orbits(ExecutionSpace const& space, HostBodies const& bodies,
                                     double G, Poll const& poll) {
  Objects singles;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.mass[i] > 0.0) {
      singles.add(bodies.mass[i], bodies.position[i], bodies.velocity[i], {i}, 0.0);
    }
  }
  std::vector<BoundOrbit> orbits;
  std::vector<std::size_t> partner(singles.members.size(), no_pair);
  std::vector<std::size_t> orbit_of(singles.members.size(), no_pair);
  for (auto const& [i, j] : mutually_nearest(space, singles.bodies, poll)) {
    auto orbit = bound_orbit(singles, i, j, G);
    if (!orbit) continue;
    partner[i] = j;
    partner[j] = i;
    orbit_of[i] = orbits.size();
    orbits.push_back(std::move(*orbit));
  }
  std::size_t const binaries = orbits.size();
  if (binaries == 0) return orbits;

  Objects objects;  // each binary in the place of its first body
  std::vector<std::size_t> object_of(binaries);
  for (std::size_t i = 0; i < singles.members.size(); ++i) {
    auto const& mass = singles.bodies.mass;
    auto const& position = singles.bodies.position;
    auto const& velocity = singles.bodies.velocity;
    if (partner[i] == no_pair) {
      objects.add(mass[i], position[i], velocity[i], singles.members[i], 0.0);
    } else if (orbit_of[i] != no_pair) {
      auto const& orbit = orbits[orbit_of[i]];
      RunningCentre centre{mass[i], position[i], velocity[i]};
      centre.add(mass[partner[i]], position[partner[i]], velocity[partner[i]]);
      object_of[orbit_of[i]] = objects.members.size();
      objects.add(centre.mass, centre.position, centre.velocity, orbit.members,
                  orbit.semi_major_axis);
    }
  }
  KineticEnergies const kinetic(objects);
  for (std::size_t k = 0; k < binaries; ++k) {
    orbits[k].hardness = -orbits[k].energy / kinetic.mean_without({object_of[k]});
  }
  for (auto const& [i, j] : mutually_nearest(space, objects.bodies, poll)) {
    if (objects.members[i].size() + objects.members[j].size() == 2) continue;
    auto orbit = bound_orbit(objects, i, j, G);
    if (!orbit || !is_outside(*orbit, objects.extent[i]) || !is_outside(*orbit, objects.extent[j]))
      continue;
    orbit->hardness = -orbit->energy / kinetic.mean_without({i, j});
    orbits.push_back(std::move(*orbit));
  }
  return orbits;
}

}  // namespace apsis::diagnostics
