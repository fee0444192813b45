// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/philox.hpp"
#include <apsis/core/vec3.hpp>

namespace apsis::initial_conditions {

/// Random numbers of one body. They depend on the seed and the body only, so a model is independent
/// of the number of threads and of the order in which its bodies are created.
class BodyRandom {
 public:
  BodyRandom(std::uint64_t seed, std::uint64_t body) : seed_(seed), body_(body) {}

  /// Uniform in (0, 1), both ends excluded, with 53 bits.
  double uniform();
  /// Uniform in (-1, 1).
  double symmetric() { return 2.0 * uniform() - 1.0; }
  /// Point uniform in the cube (-1, 1)^3.
  Vec3<double> in_cube();
  /// Normal variable with mean 0 and variance 1.
  double normal();
  /// Vector of three normal variables.
  Vec3<double> normal_vector() {
    double const x = normal(), y = normal(), z = normal();
    return {x, y, z};
  }
  /// Direction uniform on the unit sphere.
  Vec3<double> direction();

 private:
  std::uint64_t seed_;
  std::uint64_t body_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  int unused_ = 0;
};

}  // namespace apsis::initial_conditions
