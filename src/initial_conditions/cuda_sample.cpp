// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

#include <algorithm>
#include <cmath>

/// The three start configurations of NVIDIA's CUDA nbody sample: G = 1 and every mass 1.
namespace apsis::initial_conditions {

namespace {

ModelEntry sample_entry(std::string name, std::string doc,
                        HostBodies (*make)(Values const&, double G)) {
  return {std::move(name),
          std::move(doc),
          with_count_and_seed({number("cluster_scale", "the sample's clusterScale [length]")
                                   .above(0.0)
                                   .or_else_in_natural_units(1.54),
                               number("velocity_scale", "the sample's velocityScale [1 / time]")
                                   .at_least(0.0)
                                   .or_else_in_natural_units(8.0)}),
          requested_count,
          make,
          in_equilibrium};
}

struct Scales {
  double cluster;
  double velocity;  ///< the sample's velocityScale times the scale of the configuration
};

/// `growth`: what the sample multiplies clusterScale by, from N.
Scales scales(Values const& values, double growth) {
  double const cluster = values.number("cluster_scale") * growth;
  return {cluster, cluster * values.number("velocity_scale")};
}

Scales growing_scales(Values const& values) {
  return scales(values, std::max(1.0, static_cast<double>(requested_count(values)) / 1024.0));
}

HostBodies of_mass_one(Values const& values, Place const& place) {
  HostBodies bodies(static_cast<std::size_t>(requested_count(values)));
  std::fill(bodies.mass.begin(), bodies.mass.end(), 1.0);
  place_each(bodies, values, place);
  return bodies;
}

Vec3<double> in_ball(BodyRandom& random) {
  for (;;) {
    auto const p = random.in_cube();
    if (dot(p, p) <= 1.0) return p;
  }
}

HostBodies make_random(Values const& values, double /*G*/) {
  auto const s = growing_scales(values);
  return of_mass_one(values, [=](auto& random, auto& position, auto& velocity) {
    position = s.cluster * in_ball(random);
    velocity = s.velocity * in_ball(random);
  });
}

HostBodies make_expand(Values const& values, double /*G*/) {
  auto const s = growing_scales(values);
  return of_mass_one(values, [=](auto& random, auto& position, auto& velocity) {
    auto const p = in_ball(random);
    position = s.cluster * p;
    velocity = s.velocity * p;
  });
}

/// Not a shell in the strict sense: like the sample, each component gets a radius of its own.
HostBodies make_shell(Values const& values, double /*G*/) {
  auto const s = scales(values, 1.0);
  double const inner = 2.5 * s.cluster;
  double const outer = 4.0 * s.cluster;
  return of_mass_one(values, [=](auto& random, auto& x, auto& velocity) {
    auto const p = in_ball(random);
    auto const n = (1.0 / norm(p)) * p;
    auto const component = [&](double direction) {
      return direction * (inner + (outer - inner) * random.uniform());
    };
    x.x = component(n.x);
    x.y = component(n.y);
    x.z = component(n.z);
    Vec3<double> axis{0.0, 0.0, 1.0};
    if (1.0 - n.z < 1e-6) {
      axis = {n.y, n.x, 1.0};
      axis = (1.0 / norm(axis)) * axis;
    }
    velocity = s.velocity * cross(x, axis);
  });
}

}  // namespace

ModelEntry cuda_random_entry() {
  return sample_entry("random", "CUDA sample RANDOM: uniform ball, random velocities, masses 1",
                      make_random);
}

ModelEntry cuda_shell_entry() {
  return sample_entry("shell", "CUDA sample SHELL: thick shell in rigid rotation, masses 1",
                      make_shell);
}

ModelEntry cuda_expand_entry() {
  return sample_entry(
      "expand", "CUDA sample EXPAND: uniform ball, velocity proportional to position, masses 1",
      make_expand);
}

}  // namespace apsis::initial_conditions
