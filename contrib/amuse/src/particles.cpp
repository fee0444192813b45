// SPDX-License-Identifier: Apache-2.0
#include "particles.hpp"

#include <apsis/core/error.hpp>

#include <algorithm>
#include <limits>

namespace apsis::amuse {

int Particles::add(double mass, Vec3<double> const& position, Vec3<double> const& velocity,
                   double radius) {
  APSIS_VALIDATE(
      last_index_ < std::numeric_limits<int>::max(),
      {"new_particle", "no index is left", "AMUSE has indices of 32 bits", "start another worker"});
  ++last_index_;
  bodies_.mass.push_back(mass);
  bodies_.position.push_back(position);
  bodies_.velocity.push_back(velocity);
  bodies_.id.push_back(static_cast<std::uint64_t>(last_index_));
  radius_.push_back(radius);
  is_removed_.push_back(false);
  return last_index_;
}

void Particles::remove(std::size_t row) {
  is_removed_[row] = true;
  ++removed_;
}

void Particles::compact() {
  if (removed_ == 0) return;
  std::size_t count = 0;
  for (std::size_t row = 0; row < bodies_.size(); ++row) {
    if (is_removed_[row]) continue;
    bodies_.mass[count] = bodies_.mass[row];
    bodies_.position[count] = bodies_.position[row];
    bodies_.velocity[count] = bodies_.velocity[row];
    bodies_.id[count] = bodies_.id[row];
    radius_[count] = radius_[row];
    ++count;
  }
  bodies_ = slice(bodies_, 0, count);
  radius_.resize(count);
  is_removed_.assign(count, false);
  removed_ = 0;
}

std::optional<std::size_t> Particles::row_of(int index) const {
  if (index <= 0) return std::nullopt;
  auto const id = static_cast<std::uint64_t>(index);
  auto const place = std::lower_bound(bodies_.id.begin(), bodies_.id.end(), id);
  if (place == bodies_.id.end() || *place != id) return std::nullopt;
  auto const row = static_cast<std::size_t>(place - bodies_.id.begin());
  if (is_removed_[row]) return std::nullopt;
  return row;
}

std::optional<std::size_t> Particles::next_row(std::size_t row) const {
  while (row < bodies_.size() && is_removed_[row]) ++row;
  if (row < bodies_.size()) return row;
  return std::nullopt;
}

HostBodies Particles::bodies() const {
  if (removed_ == 0) return bodies_;
  auto copy = *this;
  copy.compact();
  return copy.bodies_;
}

void Particles::take_motion(HostBodies const& bodies) {
  APSIS_EXPECT(bodies.id == bodies_.id, "rows of the simulation and of the worker agree");
  bodies_.position = bodies.position;
  bodies_.velocity = bodies.velocity;
}

}  // namespace apsis::amuse
