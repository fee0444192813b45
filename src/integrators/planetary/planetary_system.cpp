// SPDX-License-Identifier: Apache-2.0
#include "planetary_system.hpp"

#include "unresolved.hpp"
#include <apsis/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace apsis::integrators {

namespace {

std::size_t whole_packs(std::size_t count) {
  return (count + orbit_lanes - 1) / orbit_lanes * orbit_lanes;
}

/// 1 / a of an orbit.
double inverse_axis(double mu, Vec3<double> const& position, Vec3<double> const& velocity) {
  return 2.0 / norm(position) - dot(velocity, velocity) / mu;
}

/// The bodies with the dominant one first, then by rising semi-major axis.
std::vector<MassiveBody> as_chain(double G, std::vector<MassiveBody> bodies) {
  auto const heavier = [](MassiveBody const& a, MassiveBody const& b) { return a.mass < b.mass; };
  std::iter_swap(bodies.begin(), std::max_element(bodies.begin(), bodies.end(), heavier));
  auto const first = bodies.front();
  auto const key = [&](MassiveBody const& body) {
    return inverse_axis(G * (first.mass + body.mass), body.position - first.position,
                        body.velocity - first.velocity);
  };
  std::sort(bodies.begin() + 1, bodies.end(), [&](MassiveBody const& a, MassiveBody const& b) {
    double const ka = key(a), kb = key(b);
    return ka != kb ? ka > kb : a.index < b.index;
  });
  return bodies;
}

std::vector<double> masses_of(std::vector<MassiveBody> const& bodies) {
  std::vector<double> masses;
  for (auto const& body : bodies) masses.push_back(body.mass);
  return masses;
}
std::vector<std::uint64_t> indices_of(std::vector<MassiveBody> const& bodies) {
  std::vector<std::uint64_t> indices;
  for (auto const& body : bodies) indices.push_back(body.index);
  return indices;
}

}  // namespace

void check_dominant_body(std::vector<double> const& masses) {
  double const total = std::accumulate(masses.begin(), masses.end(), 0.0);
  double const largest = masses.empty() ? 0.0 : *std::max_element(masses.begin(), masses.end());
  APSIS_VALIDATE(largest > total - largest,
                 {"integrator.name", "'wisdom_holman' needs a dominant body",
                  "no body has more than half of the mass of all bodies",
                  "choose another integrator, such as 'blanes_moan6' or 'hermite6'"});
}

PlanetarySystem::PlanetarySystem(double G, bool is_democratic, std::vector<double> masses,
                                 std::vector<std::uint64_t> indices)
    : G_(G),
      is_democratic_(is_democratic),
      stride_(whole_packs(masses.size() - 1)),
      mass_(std::move(masses)),
      index_(std::move(indices)) {
  std::size_t const count = mass_.size();
  for (double const m : mass_) strength_.push_back(G_ * m);
  sum_.resize(count);
  std::partial_sum(mass_.begin(), mass_.end(), sum_.begin());
  constexpr double slow = 1e-15;
  mu_.assign(stride_, slow * slow);
  for (std::size_t p = 0; p + 1 < count; ++p)
    mu_[p] = G_ * (is_democratic_ ? mass_[0] : sum_[p + 1]);
  state_.assign(coordinates + 12 * stride_, 0.0);
  // Unused lanes of the last pack are on a circle, which every step resolves.
  for (std::size_t p = planets(); p < stride_; ++p) {
    x(0)[p] = 1.0;
    v(1)[p] = slow;
  }
  for (int axis = 0; axis < 3; ++axis) {
    position_[axis].assign(whole_packs(count), 1.0);
    acceleration_[axis].assign(whole_packs(count), 0.0);
    perturbation_[axis].assign(stride_, 0.0);
    frame_[axis].assign(is_democratic_ ? 1 : count, 0.0);
    frame_acceleration_[axis].assign(is_democratic_ ? 1 : count, 0.0);
  }
  program_.source_count = count;
  program_.frame_count = frame_[0].size();
  set_encounter_ratios();
}

/// Squared ratio of the encounter distance and the distance from the dominant body of a pair with
/// this mass: (3 (m / 3 M)^(1/3))^2.
double PlanetarySystem::encounter_ratio(double mass) const {
  double const hill = encounter_hill_radii * std::cbrt(mass / (3.0 * mass_[0]));
  return hill * hill;
}

void PlanetarySystem::set_encounter_ratios() {
  std::size_t const first = is_democratic_ ? 1 : 0, count = size() - first;
  std::size_t const lanes = whole_packs(count);
  encounter_ratio_.assign(count * lanes, 0.0);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t i = 0; i < count; ++i) {
      if (i == j || i + first == 0 || j + first == 0) continue;
      encounter_ratio_[j * lanes + i] = encounter_ratio(mass_[i + first] + mass_[j + first]);
    }
  }
}

std::vector<double> PlanetarySystem::encounter_ratios() const {
  std::vector<double> ratios{0.0};
  for (std::size_t j = 1; j < size(); ++j) ratios.push_back(encounter_ratio(mass_[j]));
  return ratios;
}

PlanetarySystem::PlanetarySystem(double G, bool is_democratic, std::vector<MassiveBody> bodies) {
  bodies = as_chain(G, std::move(bodies));
  *this = PlanetarySystem(G, is_democratic, masses_of(bodies), indices_of(bodies));
  set_coordinates(bodies);
  bodies_ = std::move(bodies);
}

void PlanetarySystem::set_coordinates(std::vector<MassiveBody> const& bodies) {
  Vec3<double> position_sum{}, velocity_sum{};
  for (std::size_t i = 0; i < size(); ++i) {
    auto const& body = bodies[i];
    if (i > 0) {
      auto const centre = is_democratic_ ? bodies[0].position : (1.0 / sum_[i - 1]) * position_sum;
      auto const relative = body.position - centre;
      auto const speed =
          is_democratic_ ? body.velocity : body.velocity - (1.0 / sum_[i - 1]) * velocity_sum;
      double const position[]{relative.x, relative.y, relative.z},
          velocity[]{speed.x, speed.y, speed.z};
      for (int axis = 0; axis < 3; ++axis) {
        x(axis)[i - 1] = position[axis];
        v(axis)[i - 1] = velocity[axis];
      }
    }
    position_sum += body.mass * body.position;
    velocity_sum += body.mass * body.velocity;
  }
  auto const centre = (1.0 / sum_.back()) * position_sum;
  auto const speed = (1.0 / sum_.back()) * velocity_sum;
  double const numbers[]{centre.x, centre.y, centre.z, speed.x, speed.y, speed.z};
  std::copy(numbers, numbers + 6, state_.begin() + centre_position);
  if (!is_democratic_) return;
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t p = 0; p < planets(); ++p) v(axis)[p] -= state_[centre_velocity + axis];
  }
}

bool PlanetarySystem::is_within(double largest_square) const {
  double squares = 0.0, zeros = 0.0;
  auto const* const numbers = state_.data();
  for (int axis = 0; axis < 3; ++axis) {
    double const centre = numbers[centre_position + axis];
    squares += centre * centre;
    zeros += numbers[centre_velocity + axis] - numbers[centre_velocity + axis];
  }
  auto const half = coordinates + 3 * stride_;
  for (std::size_t i = coordinates; i < half; ++i) squares += numbers[i] * numbers[i];
  for (std::size_t i = half; i < half + 3 * stride_; ++i) zeros += numbers[i] - numbers[i];
  // The distance of a body is at most the sum of size() + 1 distances. The square of a sum is at
  // most the number of terms times the sum of their squares (Cauchy-Schwarz inequality).
  return squares * static_cast<double>(size() + 1) + zeros <= largest_square;
}

std::vector<MassiveBody> const& PlanetarySystem::bodies() {
  bodies_.resize(size());
  double* const columns[]{x(0), x(1), x(2), v(0), v(1), v(2)};
  for (int column = 0; column < 6; ++column) {
    double const* const values = columns[column];
    auto const component = [&](std::size_t i) -> double& {
      auto& vector = column < 3 ? bodies_[i].position : bodies_[i].velocity;
      return column % 3 == 0 ? vector.x : column % 3 == 1 ? vector.y : vector.z;
    };
    double centre = state_[centre_position + column];
    if (is_democratic_) {
      double sum = 0.0;
      for (std::size_t i = 1; i < size(); ++i) sum += mass_[i] * values[i - 1];
      double const first = centre - sum / (column < 3 ? sum_.back() : mass_[0]);
      double const origin = column < 3 ? first : centre;
      for (std::size_t i = 1; i < size(); ++i) component(i) = origin + values[i - 1];
      component(0) = first;
      continue;
    }
    for (std::size_t i = size() - 1; i > 0; --i) {
      centre -= mass_[i] / sum_[i] * values[i - 1];
      component(i) = values[i - 1] + centre;
    }
    component(0) = centre;
  }
  for (std::size_t i = 0; i < size(); ++i) {
    bodies_[i].mass = mass_[i];
    bodies_[i].index = index_[i];
  }
  return bodies_;
}

std::vector<double> PlanetarySystem::frames() {
  auto const& all = bodies();
  std::vector<double> result;
  auto const append = [&](Vec3<double> const& position, Vec3<double> const& velocity) {
    for (double const number :
         {position.x, position.y, position.z, velocity.x, velocity.y, velocity.z}) {
      result.push_back(number);
    }
  };
  if (is_democratic_) {
    double const* const velocity = state_.data() + centre_velocity;
    append(all[0].position, {velocity[0], velocity[1], velocity[2]});
    return result;
  }
  Vec3<double> position{}, velocity{};
  for (std::size_t i = 0; i < size(); ++i) {
    position += mass_[i] * all[i].position;
    velocity += mass_[i] * all[i].velocity;
    append((1.0 / sum_[i]) * position, (1.0 / sum_[i]) * velocity);
  }
  return result;
}

std::vector<double> PlanetarySystem::strengths() const {
  auto result = strength_;
  for (std::size_t k = 0; k < program_.frame_count; ++k) result.push_back(G_ * sum_[k]);
  return result;
}

int PlanetarySystem::frame_of(Vec3<double> const& position, Vec3<double> const& velocity) const {
  if (is_democratic_) return 0;
  auto const& first = bodies_[0];
  double const binding =
      inverse_axis(strength_[0], position - first.position, velocity - first.velocity);
  int frame = 0;
  while (frame + 1 < static_cast<int>(size())) {
    auto const& next = bodies_[static_cast<std::size_t>(frame) + 1];
    double const other = inverse_axis(G_ * (first.mass + next.mass), next.position - first.position,
                                      next.velocity - first.velocity);
    if (!(other > binding)) break;
    ++frame;
  }
  return frame;
}

}  // namespace apsis::integrators
