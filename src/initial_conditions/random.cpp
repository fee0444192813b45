// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/random.hpp"

#include <cmath>
#include <numbers>

namespace apsis::initial_conditions {

double BodyRandom::uniform() {
  if (unused_ == 0) {
    words_ = philox(block_, body_, seed_);
    ++block_;
    unused_ = 4;
  }
  unused_ -= 2;
  auto const index = static_cast<std::size_t>(unused_);
  return unit_interval(words_[index], words_[index + 1]);
}

Vec3<double> BodyRandom::in_cube() {
  double const x = symmetric();
  double const y = symmetric();
  double const z = symmetric();
  return {x, y, z};
}

double BodyRandom::normal() {
  // Box & Muller 1958; the second variable of the pair is discarded.
  double const radius = std::sqrt(-2.0 * std::log(uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

Vec3<double> BodyRandom::direction() {
  double const z = symmetric();
  double const angle = 2.0 * std::numbers::pi * uniform();
  double const radius = std::sqrt(1.0 - z * z);
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

}  // namespace apsis::initial_conditions
