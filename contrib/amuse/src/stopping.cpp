// SPDX-License-Identifier: Apache-2.0
#include "stopping.hpp"

#include <algorithm>
#include <numeric>

namespace apsis::amuse {

bool StoppingConditions::is_supported(int type) {
  switch (static_cast<StoppingType>(type)) {
    case StoppingType::collision:
    case StoppingType::timeout:
    case StoppingType::number_of_steps:
    case StoppingType::out_of_box:
      return true;
    default:
      return false;
  }
}

bool StoppingConditions::is_set(int type) const {
  return std::any_of(events_.begin(), events_.end(),
                     [&](auto const& event) { return static_cast<int>(event.type) == type; });
}

bool StoppingConditions::any() const {
  return std::find(enabled_.begin(), enabled_.end(), true) != enabled_.end();
}

bool StoppingConditions::check(Particles const& particles, EvolveProgress const& progress) {
  if (is_enabled(StoppingType::collision)) add_collisions(particles);
  if (is_enabled(StoppingType::timeout) && progress.seconds > timeout) {
    events_.push_back({StoppingType::timeout, {}});
  }
  if (is_enabled(StoppingType::number_of_steps) &&
      progress.steps >= static_cast<std::uint64_t>(number_of_steps)) {
    events_.push_back({StoppingType::number_of_steps, {}});
  }
  if (is_enabled(StoppingType::out_of_box)) add_escapes(particles);
  return !events_.empty();
}

void StoppingConditions::add_collisions(Particles const& particles) {
  auto const& position = particles.rows().position;
  auto const& radius = particles.radius();
  // Points do not collide with each other, but with spheres.
  if (std::none_of(radius.begin(), radius.end(), [](double r) { return r > 0.0; })) return;
  std::vector<std::size_t> order(radius.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // A pair that overlaps, overlaps along x: sorted by its lower end, each interval is compared with
  // those that begin before it ends.
  auto const lower = [&](std::size_t i) { return position[i].x - radius[i]; };
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return lower(i) < lower(j); });
  for (std::size_t a = 0; a < order.size(); ++a) {
    auto const i = order[a];
    double const upper = position[i].x + radius[i];
    for (std::size_t b = a + 1; b < order.size() && lower(order[b]) <= upper; ++b) {
      auto const j = order[b];
      auto const d = position[j] - position[i];
      double const contact = radius[i] + radius[j];
      if (dot(d, d) >= contact * contact) continue;
      auto const [first, second] = std::minmax({particles.index_of(i), particles.index_of(j)});
      events_.push_back({StoppingType::collision, {first, second}});
    }
  }
}

void StoppingConditions::add_escapes(Particles const& particles) {
  auto const& bodies = particles.rows();
  Vec3<double> centre{};
  if (box_follows_centre_of_mass) centre = centre_of_mass(bodies).position;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (norm(bodies.position[i] - centre) > box_size) {
      events_.push_back({StoppingType::out_of_box, {particles.index_of(i)}});
    }
  }
}

}  // namespace apsis::amuse
