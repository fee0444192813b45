// SPDX-License-Identifier: Apache-2.0
#include "apsis/diagnostics/system_scales.hpp"

#include <apsis/diagnostics/orbital_elements.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace apsis::diagnostics {

namespace {
/// Weighted median of coordinates along an axis. The weights are the masses, or 1 for each body if
/// no body has mass.
double median(std::vector<std::pair<double, double>> coordinate_and_weight) {
  std::sort(coordinate_and_weight.begin(), coordinate_and_weight.end());
  double sum = 0.0, below = 0.0;
  for (auto const& one : coordinate_and_weight) sum += one.second;
  for (auto const& [coordinate, weight] : coordinate_and_weight) {
    below += weight;
    if (below >= 0.5 * sum) return coordinate;
  }
  return 0.0;
}
/// Pericentre passage of a body at `x` with velocity `v` about `gravity` = G M. Empty for an
/// unbound body that recedes and for motion along a line.
std::optional<SystemScales::Passage> passage(double gravity, Vec3<double> const& x,
                                             Vec3<double> const& v) {
  auto const spin = cross(x, v);
  double const energy = 0.5 * dot(v, v) - gravity / norm(x);
  double const parameter = dot(spin, spin) / gravity;  // q (1 + e)
  if (energy >= 0.0 && dot(x, v) > 0.0) return std::nullopt;
  double const e = std::sqrt(std::max(0.0, 1.0 + 2.0 * energy * parameter / gravity));
  double const q = parameter / (1.0 + e);
  double const time = 2.0 * std::numbers::pi * q * std::sqrt(q / (gravity * (1.0 + e)));
  if (!(time > 0.0 && std::isfinite(time))) return std::nullopt;
  return SystemScales::Passage{time, q};
}

/// Sets the scales of orbits about the heaviest body if it has half of the mass or more.
void set_orbit_scales(HostBodies const& bodies, double G, SystemScales& scales) {
  if (scales.heaviest < 0.5 * scales.mass) return;
  auto const heaviest = static_cast<std::size_t>(
      std::find(bodies.mass.begin(), bodies.mass.end(), scales.heaviest) - bodies.mass.begin());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (i == heaviest) continue;
    double const gravity = G * (scales.heaviest + bodies.mass[i]);
    auto const x = bodies.position[i] - bodies.position[heaviest];
    auto const v = bodies.velocity[i] - bodies.velocity[heaviest];
    double const r = norm(x);
    if (!(r > 0.0 && gravity > 0.0)) continue;
    scales.fastest = std::max(scales.fastest.value_or(0.0), norm(v) * std::sqrt(r / gravity));
    auto const body_passage = passage(gravity, x, v);
    if (body_passage &&
        (!scales.shortest_passage || body_passage->time < scales.shortest_passage->time)) {
      scales.shortest_passage = body_passage;
    }
    double const a = 1.0 / (2.0 / r - dot(v, v) / gravity);  // vis-viva
    if (!(a > 0.0 && std::isfinite(a))) continue;
    double const period = kepler_period(a, gravity);
    if (!scales.shortest_period || period < *scales.shortest_period)
      scales.shortest_period = period;
  }
}
}  // namespace

SystemScales system_scales(HostBodies const& bodies, double G) {
  SystemScales scales;
  std::size_t massive = 0;
  for (double const m : bodies.mass) {
    if (!(m > 0.0)) continue;
    scales.mass += m;
    scales.lightest = massive == 0 ? m : std::min(scales.lightest, m);
    scales.heaviest = std::max(scales.heaviest, m);
    ++massive;
  }
  scales.massless = bodies.size() - massive;
  auto const median_along = [&](double Vec3<double>::*axis) {
    std::vector<std::pair<double, double>> coordinates;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      coordinates.emplace_back(bodies.position[i].*axis, massive > 0 ? bodies.mass[i] : 1.0);
    }
    return median(std::move(coordinates));
  };
  Vec3<double> const centre{median_along(&Vec3<double>::x), median_along(&Vec3<double>::y),
                            median_along(&Vec3<double>::z)};
  for (auto const& x : bodies.position) scales.radius = std::max(scales.radius, norm(x - centre));
  if (massive == 0) return scales;
  std::vector<std::pair<double, double>> by_distance;
  by_distance.reserve(massive);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.mass[i] > 0.0) {
      by_distance.emplace_back(norm(bodies.position[i] - centre), bodies.mass[i]);
    }
  }
  std::sort(by_distance.begin(), by_distance.end());
  scales.half_number_radius = by_distance[(massive - 1) / 2].first;
  double inside = 0.0;
  for (auto const& [distance, mass] : by_distance) {
    inside += mass;
    scales.half_mass_radius = distance;
    if (inside >= 0.5 * scales.mass * (1.0 - 1e-12)) break;
  }
  double const half = scales.half_mass_radius;
  set_orbit_scales(bodies, G, scales);
  if (massive < 16 || scales.heaviest >= 0.5 * scales.mass || !(half > 0.0)) return scales;
  double const dynamical = std::sqrt(half * half * half / (G * scales.mass));
  scales.crossing_time = 2.0 * std::numbers::sqrt2 * dynamical;
  auto const N = static_cast<double>(massive);
  scales.relaxation_time = 0.138 * N / std::log(0.11 * N) * dynamical;
  return scales;
}

}  // namespace apsis::diagnostics
