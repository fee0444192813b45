// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness.hpp"
#include <apsis/bodies/host_bodies.hpp>

#include <cstring>
#include <vector>

namespace apsis::fuzzing {

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline void require_same(HostBodies const& a, HostBodies const& b) {
  require(same_bits(a.mass, b.mass), "the same masses");
  require(same_bits(a.position, b.position), "the same positions");
  require(same_bits(a.velocity, b.velocity), "the same velocities");
  require(same_bits(a.id, b.id), "the same ids");
}

}  // namespace apsis::fuzzing
