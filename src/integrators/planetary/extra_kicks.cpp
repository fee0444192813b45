// SPDX-License-Identifier: Apache-2.0
#include "planetary_system.hpp"
#include <apsis/forces/extra.hpp>

#include <algorithm>

namespace apsis::integrators {

/// Adds the forces besides gravity to the perturbations. Jacobi coordinates are relative to the
/// centre of mass of the inner bodies, democratic velocities to that of all.
void PlanetarySystem::add_extra_forces() {
  std::size_t const count = size();
  // Bodies that are gone have rows too; no force acts on them.
  std::size_t const rows = *std::max_element(index_.begin(), index_.end()) + 1;
  extra_rows_.assign(10 * rows, 0.0);
  auto const column = [&](std::size_t k) { return extra_rows_.data() + k * rows; };
  for (auto const& body : bodies()) {
    auto const row = static_cast<std::size_t>(body.index);
    auto const& x = body.position;
    auto const& v = body.velocity;
    double const numbers[]{body.mass, x.x, x.y, x.z, v.x, v.y, v.z};
    for (std::size_t k = 0; k < 7; ++k) column(k)[row] = numbers[k];
  }
  extra_forces_->add_few({rows,
                          {column(1), column(2), column(3)},
                          {column(4), column(5), column(6)},
                          column(0),
                          {column(7), column(8), column(9)},
                          0.0});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const push = [&](std::size_t i) { return column(7 + axis)[index_[i]]; };
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += mass_[i] * push(i);
    centre_push_[axis] = sum / sum_.back();
    double mean = push(0), inner = mass_[0] * push(0);
    for (std::size_t i = 1; i < count; ++i) {
      perturbation_[axis][i - 1] += push(i) - (is_democratic_ ? centre_push_[axis] : mean);
      inner += mass_[i] * push(i);
      mean = inner / sum_[i];
    }
  }
}

}  // namespace apsis::integrators
