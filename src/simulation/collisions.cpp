// SPDX-License-Identifier: Apache-2.0
#include "collisions.hpp"

#include "forces/with_softening.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace apsis::simulation {

namespace {

/// Relative tolerance of the distance at which bodies touch: the state at the time of a contact
/// differs from the interpolated path by the error of the integrator.
constexpr double contact_tolerance = 1e-9;
/// Distance of a body that is gone, but needs an orbit, from the centre of mass, in units of the
/// extent of the other bodies: it needs 10^9 dynamical times to fall back.
constexpr double parking_distance = 1e6;
/// Most rounds of bounces at one time: a body between two bodies may bounce for ever.
constexpr int most_rounds = 1000;
/// Row of no body.
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

}  // namespace

ChangingBodies::ChangingBodies(HostBodies& bodies, forces::Gravity const& gravity, double forceless)
    : bodies_(bodies), gravity_(gravity), forceless_(forceless), remaining_(bodies.size()) {
  std::iota(remaining_.begin(), remaining_.end(), std::size_t{0});
  for (std::size_t row = 0; row < bodies.size(); ++row) {
    if (!is_gone(bodies, row)) by_id_.push_back(row);
  }
  std::sort(by_id_.begin(), by_id_.end(),
            [&](std::size_t a, std::size_t b) { return bodies_.id[a] < bodies_.id[b]; });
}

bool ChangingBodies::is_any_beyond(HostBodies const& bodies, double distance) {
  constexpr double slack = 1.0 - 1e-9;
  RunningCentre centre;
  for (std::size_t row = 0; row < bodies.size(); ++row) {
    if (is_gone(bodies, row)) continue;
    centre.add(bodies.mass[row], bodies.position[row], bodies.velocity[row]);
  }
  for (std::size_t row = 0; row < bodies.size(); ++row) {
    if (is_gone(bodies, row)) continue;
    if (norm(bodies.position[row] - centre.position) > slack * distance) return true;
  }
  return false;
}

/// The heavier body first; of equal masses the one with the lower id.
ChangingBodies::Pair ChangingBodies::ordered(Pair pair) const {
  auto const [a, b] = pair;
  double const m = bodies_.mass[a], n = bodies_.mass[b];
  bool const swapped = m != n ? m < n : bodies_.id[a] > bodies_.id[b];
  return swapped ? Pair{b, a} : pair;
}

bool ChangingBodies::touch(Pair pair, double tolerance) const {
  auto const r = bodies_.position[pair.second] - bodies_.position[pair.first];
  double const reach = reach_of(pair) * (1.0 + tolerance);
  return reach > 0.0 && dot(r, r) <= reach * reach;
}

bool ChangingBodies::approach(Pair pair) const {
  auto const r = bodies_.position[pair.second] - bodies_.position[pair.first];
  auto const v = bodies_.velocity[pair.second] - bodies_.velocity[pair.first];
  return dot(r, v) < -integrators::least_approach * norm(r) * norm(v);
}

std::vector<std::pair<std::size_t, std::size_t>> ChangingBodies::touching_pairs() const {
  std::vector<Pair> pairs;
  for (std::size_t const i : by_id_) {
    if (!(bodies_.mass[i] > 0.0)) continue;
    for (std::size_t const j : by_id_) {
      bool const is_repeated = bodies_.mass[j] > 0.0 && bodies_.id[j] < bodies_.id[i];
      if (i == j || is_repeated) continue;
      if (touch({i, j}, contact_tolerance) && approach({i, j})) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

double ChangingBodies::pair_energy(double product_of_masses, double squared) const {
  if (product_of_masses == 0.0) return 0.0;
  double energy = 0.0;
  forces::with_softening(gravity_, [&](auto const& law) {
    forces::Separation<double> const r{0.0, 0.0, 0.0, squared + law.offset()};
    double const factor = law.acceleration_factor(1.0, r);
    energy = -gravity_.G * product_of_masses * law.depth(1.0, factor, r);
  });
  return energy;
}

double ChangingBodies::energy_with_others(Pair pair) const {
  double sum = 0.0;
  for (std::size_t const k : by_id_) {
    if (k == pair.first || k == pair.second) continue;
    for (std::size_t const body : {pair.first, pair.second}) {
      auto const r = bodies_.position[k] - bodies_.position[body];
      sum += pair_energy(bodies_.mass[k] * bodies_.mass[body], dot(r, r));
    }
  }
  return sum;
}

Event ChangingBodies::describe(EventKind kind, Pair pair, double time) const {
  auto const [a, b] = pair;
  return {.kind = kind,
          .time = time,
          .first = bodies_.id[a],
          .second = bodies_.id[b],
          .distance = norm(bodies_.position[b] - bodies_.position[a]),
          .speed = norm(bodies_.velocity[b] - bodies_.velocity[a]),
          .first_mass = bodies_.mass[a],
          .second_mass = bodies_.mass[b]};
}

void ChangingBodies::park(std::size_t row) {
  by_id_.erase(std::find(by_id_.begin(), by_id_.end(), row));
  bodies_.mass[row] = 0.0;
  bodies_.radius[row] = -1.0;
  if (forceless_ > 0.0) {
    bodies_.position[row] = {forceless_, 0.0, 0.0};
    bodies_.velocity[row] = {};
    return;
  }
  auto const centre = centre_without(none);
  double extent = 0.0;
  for (std::size_t const k : by_id_) {
    extent = std::max(extent, norm(bodies_.position[k] - centre.position));
  }
  double const distance = parking_distance * (extent > 0.0 ? extent : 1.0);
  bodies_.position[row] = centre.position + Vec3<double>{distance, 0.0, 0.0};
  bodies_.velocity[row] = centre.velocity;
}

Event ChangingBodies::merge(Pair pair, double time) {
  auto const [a, b] = pair = ordered(pair);
  auto event = describe(EventKind::merge, pair, time);
  double const m1 = bodies_.mass[a], m2 = bodies_.mass[b], mass = m1 + m2;
  auto const r = bodies_.position[b] - bodies_.position[a];
  auto const v = bodies_.velocity[b] - bodies_.velocity[a];
  double const reduced = m1 * m2 / mass;
  double const before = energy_with_others(pair);
  event.moved.angular_momentum = reduced * cross(r, v);
  event.moved.energy = 0.5 * reduced * dot(v, v) + pair_energy(m1 * m2, dot(r, r));
  bodies_.position[a] = bodies_.position[a] + (m2 / mass) * r;
  bodies_.velocity[a] = bodies_.velocity[a] + (m2 / mass) * v;
  bodies_.mass[a] = mass;
  double const s1 = bodies_.radius[a], s2 = bodies_.radius[b];
  // Massless bodies stand for small ones: they add neither mass nor volume.
  if (m2 > 0.0) bodies_.radius[a] = std::cbrt(s1 * s1 * s1 + s2 * s2 * s2);
  bodies_.mass[b] = 0.0;
  event.moved.energy += before - energy_with_others(pair);
  park(b);
  remaining_[b] = a;
  return event;
}

double ChangingBodies::restitution_of(Pair pair, deck::CollisionsPlan const& plan,
                                      double approach_speed) const {
  if (!(plan.restitution < 1.0)) return plan.restitution;
  double const reach = reach_of(pair), mass = bodies_.mass[pair.first] + bodies_.mass[pair.second];
  // The potential energy of the pair over its reduced mass.
  double const potential = mass * pair_energy(1.0, reach * reach);
  double const slowest = plan.slowest_rebound * std::sqrt(-2.0 * potential);
  return std::max(plan.restitution, slowest / approach_speed);
}

Event ChangingBodies::bounce(Pair pair, deck::CollisionsPlan const& plan, double time) {
  auto const [a, b] = pair = ordered(pair);
  auto event = describe(EventKind::bounce, pair, time);
  double const m1 = bodies_.mass[a], m2 = bodies_.mass[b], mass = m1 + m2;
  auto const r = bodies_.position[b] - bodies_.position[a];
  auto const v = bodies_.velocity[b] - bodies_.velocity[a];
  auto const normal = event.distance > 0.0 ? (1.0 / event.distance) * r : (-1.0 / event.speed) * v;
  double const reduced = m1 * m2 / mass, along = dot(v, normal);
  double const restitution = restitution_of(pair, plan, -along);
  auto const kick = (-(1.0 + restitution) * along) * normal;
  event.moved.energy = 0.5 * (1.0 - restitution * restitution) * reduced * along * along;
  bodies_.velocity[a] = bodies_.velocity[a] - (m2 / mass) * kick;
  bodies_.velocity[b] = bodies_.velocity[b] + (m1 / mass) * kick;
  double const overlap = reach_of(pair) - event.distance;
  if (!(overlap > 0.0)) return event;
  double const before = energy_with_others(pair) + pair_energy(m1 * m2, dot(r, r));
  auto const shift = overlap * normal;
  bodies_.position[a] = bodies_.position[a] - (m2 / mass) * shift;
  bodies_.position[b] = bodies_.position[b] + (m1 / mass) * shift;
  auto const apart = r + shift;
  event.moved.energy +=
      before - (energy_with_others(pair) + pair_energy(m1 * m2, dot(apart, apart)));
  event.moved.angular_momentum = -reduced * cross(shift, v + kick);
  return event;
}

std::vector<Event> ChangingBodies::collide(std::vector<Pair> pairs,
                                           deck::CollisionsPlan const& plan, double time) {
  std::vector<Event> events;
  bool const merges = plan.on_collision == deck::OnCollision::merge;
  auto const ids_of = [&](Pair const& pair) {
    return std::minmax({bodies_.id[pair.first], bodies_.id[pair.second]});
  };
  auto const remaining = [&](std::size_t row) {
    while (remaining_[row] != row) row = remaining_[row];
    return row;
  };
  int rounds = 0;
  while (!pairs.empty()) {
    std::sort(pairs.begin(), pairs.end(),
              [&](Pair const& a, Pair const& b) { return ids_of(a) < ids_of(b); });
    pairs.erase(std::unique(pairs.begin(), pairs.end(),
                            [&](Pair const& a, Pair const& b) { return ids_of(a) == ids_of(b); }),
                pairs.end());
    std::vector<std::size_t> changed;
    for (auto const& [first, second] : pairs) {
      Pair const pair{remaining(first), remaining(second)};
      if (pair.first == pair.second || (!merges && !approach(pair))) continue;
      events.push_back(merges ? merge(pair, time) : bounce(pair, plan, time));
      changed.push_back(remaining(pair.first));
      if (!merges) changed.push_back(pair.second);
    }
    pairs.clear();
    if (!merges && ++rounds == most_rounds) break;
    for (std::size_t const i : changed) {
      if (remaining(i) != i) continue;
      for (std::size_t const j : by_id_) {
        bool const has_mass = bodies_.mass[i] > 0.0 || bodies_.mass[j] > 0.0;
        if (i == j || !has_mass) continue;
        bool const hits =
            merges ? touch({i, j}, 0.0) : touch({i, j}, contact_tolerance) && approach({i, j});
        if (hits) pairs.emplace_back(i, j);
      }
    }
  }
  return events;
}

RunningCentre ChangingBodies::centre_without(std::size_t excluded) const {
  RunningCentre centre;
  for (std::size_t const k : by_id_) {
    if (k != excluded) centre.add(bodies_.mass[k], bodies_.position[k], bodies_.velocity[k]);
  }
  return centre;
}

std::vector<Event> ChangingBodies::remove(deck::RemovalPlan const& plan, double time) {
  std::vector<Event> events;
  if (by_id_.empty()) return events;
  std::size_t heaviest = by_id_.front();
  for (std::size_t const row : by_id_) heaviest = ordered({heaviest, row}).first;
  auto centre = centre_without(none);
  auto const candidates = by_id_;
  for (std::size_t const row : candidates) {
    double const mass = bodies_.mass[row];
    if (row == heaviest || (plan.only_massless && mass > 0.0)) continue;
    auto const x = bodies_.position[row], v = bodies_.velocity[row];
    double const distance = norm(x - centre.position), speed = norm(v - centre.velocity);
    if (!(distance > plan.beyond)) continue;
    double potential = 0.0;
    for (std::size_t const k : by_id_) {
      auto const r = bodies_.position[k] - x;
      if (k != row) potential += pair_energy(bodies_.mass[k], dot(r, r));
    }
    if (plan.only_unbound && !(0.5 * speed * speed + potential > 0.0)) continue;
    Event event{.kind = EventKind::removal,
                .time = time,
                .first = bodies_.id[row],
                .distance = distance,
                .speed = speed,
                .first_mass = mass};
    if (mass > 0.0) {
      // The kinetic energy in the centre-of-mass frame is that of the other bodies about their own
      // centre and that of the body and these about each other.
      auto const remainder = centre_without(row);
      auto const relative = v - remainder.velocity;
      double const reduced = mass * remainder.mass / (mass + remainder.mass);
      event.moved.energy = 0.5 * reduced * dot(relative, relative) + mass * potential;
      event.moved.momentum = mass * v;
      event.moved.angular_momentum = mass * cross(x, v);
    }
    park(row);
    centre = centre_without(none);
    events.push_back(event);
  }
  return events;
}

namespace {

void check_overlaps(HostBodies const& bodies, std::vector<Problem>& problems) {
  constexpr std::size_t most_problems = 20;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (bodies.mass[i] == 0.0 && bodies.mass[j] == 0.0) continue;
      double const distance = norm(bodies.position[i] - bodies.position[j]);
      double const radii = bodies.radius[i] + bodies.radius[j];
      if (!(distance < radii)) continue;
      if (problems.size() == most_problems) return;
      problems.push_back({"bodies",
                          "bodies " + std::to_string(bodies.id[j]) + " and " +
                              std::to_string(bodies.id[i]) + " overlap at the start",
                          "their distance is " + shortest(distance) + ", the sum of their radii " +
                              shortest(radii),
                          "move one of them, or reduce a radius"});
    }
  }
}

}  // namespace

void check_events(deck::Configuration const& run, HostBodies const& bodies) {
  std::vector<Problem> problems;
  if (run.events.collisions) {
    bool const has_radii = std::any_of(bodies.radius.begin(), bodies.radius.end(),
                                       [](double radius) { return radius > 0.0; });
    if (has_radii) {
      check_overlaps(bodies, problems);
    } else {
      problems.push_back({"collisions", "no body has a radius", "points never touch",
                          "give radii in bodies, or remove collisions"});
    }
  }
  if (run.events.removal && bodies.size() > 0) {
    auto const heaviest = static_cast<std::size_t>(
        std::max_element(bodies.mass.begin(), bodies.mass.end()) - bodies.mass.begin());
    double const distance = norm(bodies.position[heaviest] - centre_of_mass(bodies).position);
    if (distance > run.events.removal->beyond) {
      problems.push_back({"removal.beyond", "would remove the heaviest body",
                          "body " + std::to_string(bodies.id[heaviest]) + " is " +
                              shortest(distance) + " from the centre of mass",
                          "give a larger distance"});
    }
  }
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
}

integrators::Collision::Pair describe_collision(diagnostics::ClosestPair const& pair,
                                                HostBodies const& bodies, double G, double epsilon,
                                                double time) {
  integrators::Collision::Pair collision;
  collision.first = bodies.id[pair.first];
  collision.second = bodies.id[pair.second];
  collision.distance = pair.distance;
  collision.time = time;
  double const mass = bodies.mass[pair.first] + bodies.mass[pair.second];
  collision.dynamical_time = std::sqrt(std::pow(pair.distance, 3) / (G * mass));
  auto const centre = centre_of_mass(bodies).position;
  double coordinate = 0.0, from_centre = 0.0;
  for (auto const k : {pair.first, pair.second}) {
    auto const& x = bodies.position[k];
    coordinate = std::max({coordinate, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    from_centre = std::max(from_centre, norm(x - centre));
  }
  collision.spacing = epsilon * coordinate;
  collision.off_centre = norm(centre) > 10.0 * from_centre;
  return collision;
}

}  // namespace apsis::simulation
