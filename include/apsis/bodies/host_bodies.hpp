// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace apsis {

/// What bodies are told apart by: the particle types of GADGET's files, by their names.
namespace species_types {
inline constexpr std::uint8_t gas = 0, dark = 1, disk = 2, bulge = 3, stars = 4, other = 5;
inline constexpr std::size_t count = 6;
inline constexpr std::array<char const*, count> names{"gas",   "dark",  "disk",
                                                      "bulge", "stars", "other"};
}  // namespace species_types

/// Bodies on the host in double precision: what initial conditions make and outputs write.
struct HostBodies {
  std::vector<double> mass;            ///< [mass]
  std::vector<Vec3<double>> position;  ///< [length]
  std::vector<Vec3<double>> velocity;  ///< [length / time]
  std::vector<std::uint64_t> id;       ///< unique
  std::vector<std::uint8_t> species;   ///< of each; empty if all are `dark`, as most models are

  HostBodies() = default;
  /// `count` bodies, all zero, with ids 0 ... count - 1.
  explicit HostBodies(std::size_t count)
      : mass(count), position(count), velocity(count), id(count) {
    std::iota(id.begin(), id.end(), std::uint64_t{0});
  }

  std::size_t size() const { return mass.size(); }
  std::uint8_t species_of(std::size_t i) const {
    return species.empty() ? species_types::dark : species[i];
  }
  /// Whether any is of this species.
  bool has_species(std::uint8_t kind) const {
    if (species.empty()) return kind == species_types::dark && size() > 0;
    return std::find(species.begin(), species.end(), kind) != species.end();
  }
};

/// The bodies from `begin` up to `end`.
inline HostBodies slice(HostBodies const& bodies, std::size_t begin, std::size_t end) {
  HostBodies some;
  auto const take = [&](auto const& from, auto& to) {
    if (!from.empty()) {
      to.assign(from.begin() + static_cast<std::ptrdiff_t>(begin),
                from.begin() + static_cast<std::ptrdiff_t>(end));
    }
  };
  take(bodies.mass, some.mass);
  take(bodies.position, some.position);
  take(bodies.velocity, some.velocity);
  take(bodies.id, some.id);
  take(bodies.species, some.species);
  return some;
}

inline constexpr std::size_t host_bytes_per_body = 7 * sizeof(double) + sizeof(std::uint64_t) + 1;

}  // namespace apsis
