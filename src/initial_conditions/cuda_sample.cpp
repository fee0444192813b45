// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

#include <algorithm>

/// The three initial configurations of NVIDIA's CUDA nbody sample, with G = 1 and masses 1.
namespace apsis::initial_conditions {

namespace {

ModelEntry sample_entry(std::string name, std::string doc,
                        HostBodies (*make)(Values const&, double G)) {
  return {std::move(name),
          std::move(doc),
          with_count_and_seed({positive("cluster_scale", "clusterScale of the sample [length]")
                                   .with_default_in_natural_units(1.54),
                               number("velocity_scale", "velocityScale of the sample [1 / time]")
                                   .at_least(0.0)
                                   .with_default_in_natural_units(8.0),
                               virial_ratio_key()}),
          requested_count,
          make,
          equilibrium_virial_ratio};
}

struct Scales {
  double cluster;
  double velocity;  ///< velocityScale of the sample times the scale of the configuration
};

/// `growth`: factor, a function of N, by which the sample multiplies clusterScale.
Scales scales(Values const& values, double growth) {
  double const cluster = values.number("cluster_scale") * growth;
  return {cluster, cluster * values.number("velocity_scale")};
}

Scales growing_scales(Values const& values) {
  return scales(values, std::max(1.0, static_cast<double>(requested_count(values)) / 1024.0));
}

HostBodies make_unit_masses(Values const& values, DrawBody const& draw) {
  HostBodies bodies(static_cast<std::size_t>(requested_count(values)));
  std::fill(bodies.mass.begin(), bodies.mass.end(), 1.0);
  draw_bodies(bodies, values, draw);
  return bodies;
}

Vec3<double> uniform_in_ball(BodyRandom& random) {
  for (;;) {
    auto const p = random.in_cube();
    if (dot(p, p) <= 1.0) return p;
  }
}

HostBodies make_random(Values const& values, double /*G*/) {
  auto const s = growing_scales(values);
  return make_unit_masses(values, [=](auto& random, auto& position, auto& velocity) {
    position = s.cluster * uniform_in_ball(random);
    velocity = s.velocity * uniform_in_ball(random);
  });
}

HostBodies make_expand(Values const& values, double /*G*/) {
  auto const s = growing_scales(values);
  return make_unit_masses(values, [=](auto& random, auto& position, auto& velocity) {
    auto const p = uniform_in_ball(random);
    position = s.cluster * p;
    velocity = s.velocity * p;
  });
}

/// Each component has its own random radius, as in the sample, so this is not an exact shell.
HostBodies make_shell(Values const& values, double /*G*/) {
  auto const s = scales(values, 1.0);
  double const inner = 2.5 * s.cluster;
  double const outer = 4.0 * s.cluster;
  return make_unit_masses(values, [=](auto& random, auto& x, auto& velocity) {
    auto const p = uniform_in_ball(random);
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
  return cited(
      sample_entry("random", "CUDA sample RANDOM: uniform ball, random velocities, masses 1",
                   make_random),
      {"Nyland2007", "Salmon2011"});
}

ModelEntry cuda_shell_entry() {
  return cited(sample_entry("shell", "CUDA sample SHELL: thick shell in rigid rotation, masses 1",
                            make_shell),
               {"Nyland2007", "Salmon2011"});
}

ModelEntry cuda_expand_entry() {
  return cited(
      sample_entry("expand",
                   "CUDA sample EXPAND: uniform ball, velocity proportional to position, masses 1",
                   make_expand),
      {"Nyland2007", "Salmon2011"});
}

}  // namespace apsis::initial_conditions
