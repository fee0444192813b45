// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace apsis {

/// Bodies on the host in double precision: what initial conditions make and outputs write.
struct HostBodies {
  std::vector<double> mass;            ///< [mass]
  std::vector<Vec3<double>> position;  ///< [length]
  std::vector<Vec3<double>> velocity;  ///< [length / time]
  std::vector<std::uint64_t> id;       ///< unique

  HostBodies() = default;
  /// `count` bodies, all zero, with ids 0 ... count - 1.
  explicit HostBodies(std::size_t count)
      : mass(count), position(count), velocity(count), id(count) {
    std::iota(id.begin(), id.end(), std::uint64_t{0});
  }

  std::size_t size() const { return mass.size(); }
};

inline constexpr std::size_t host_bytes_per_body = 7 * sizeof(double) + sizeof(std::uint64_t);

}  // namespace apsis
