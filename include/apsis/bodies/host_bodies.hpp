// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace apsis {

/// Species of bodies: the particle types of GADGET files and their names.
namespace species_types {
inline constexpr std::uint8_t gas = 0, dark = 1, disk = 2, bulge = 3, stars = 4, other = 5;
inline constexpr std::size_t count = 6;
inline constexpr std::array<char const*, count> names{"gas",   "dark",  "disk",
                                                      "bulge", "stars", "other"};
}  // namespace species_types

/// Bodies on the host in double precision, as created by initial conditions and written by outputs.
struct HostBodies {
  std::vector<double> mass;            ///< [mass]
  std::vector<Vec3<double>> position;  ///< [length]
  std::vector<Vec3<double>> velocity;  ///< [length / time]
  std::vector<std::uint64_t> id;       ///< unique
  std::vector<std::uint8_t> species;   ///< species of each body; empty if all are `dark`
  std::vector<double> radius;          ///< radius of each body [length]; empty if all are points
  std::vector<std::string> name;       ///< name of each body, or ""; empty if no body has a name

  HostBodies() = default;
  /// Creates `count` bodies with all values 0 and ids 0 ... count - 1.
  explicit HostBodies(std::size_t count)
      : mass(count), position(count), velocity(count), id(count) {
    std::iota(id.begin(), id.end(), std::uint64_t{0});
  }

  std::size_t size() const { return mass.size(); }
  std::uint8_t species_of(std::size_t i) const {
    return species.empty() ? species_types::dark : species[i];
  }
  double radius_of(std::size_t i) const { return radius.empty() ? 0.0 : radius[i]; }
  /// Name of a body; "" if it has none.
  std::string name_of(std::size_t i) const { return name.empty() ? std::string() : name[i]; }
  /// Whether any body is of this species.
  bool has_species(std::uint8_t kind) const {
    if (species.empty()) return kind == species_types::dark && size() > 0;
    return std::find(species.begin(), species.end(), kind) != species.end();
  }
};

/// Returns the bodies begin ... end - 1.
inline HostBodies slice(HostBodies const& bodies, std::size_t begin, std::size_t end) {
  HostBodies result;
  auto const copy = [&](auto const& input, auto& output) {
    if (!input.empty()) {
      output.assign(input.begin() + static_cast<std::ptrdiff_t>(begin),
                    input.begin() + static_cast<std::ptrdiff_t>(end));
    }
  };
  copy(bodies.mass, result.mass);
  copy(bodies.position, result.position);
  copy(bodies.velocity, result.velocity);
  copy(bodies.id, result.id);
  copy(bodies.species, result.species);
  copy(bodies.radius, result.radius);
  copy(bodies.name, result.name);
  return result;
}

/// Host memory per body [bytes].
inline constexpr std::size_t host_bytes_per_body = 7 * sizeof(double) + sizeof(std::uint64_t) + 1;

/// Position [length] and velocity [length / time] of a centre of mass; 0 without mass.
struct CentreOfMass {
  Vec3<double> position;
  Vec3<double> velocity;
};

/// Computes the centre of mass. O(N), on the host.
CentreOfMass centre_of_mass(HostBodies const& bodies);

/// Centre of mass of bodies that are added one after the other.
struct RunningCentre {
  double mass = 0.0;
  Vec3<double> position{}, velocity{};

  /// Adds a body; without any mass so far there is no change.
  void add(double m, Vec3<double> const& x, Vec3<double> const& v) {
    if (!(mass + m > 0.0)) return;
    double const share = m / (mass + m);
    position = position + share * (x - position);
    velocity = velocity + share * (v - velocity);
    mass += m;
  }
};

/// Columns of bodies in host memory that the caller owns. Vectors are stored as three columns: x of
/// all bodies, then y, then z.
template <class Real>
struct ColumnSpans {
  std::span<Real const> position;        ///< 3 N [length]
  std::span<Real const> velocity;        ///< 3 N [length / time]
  std::span<Real const> mass;            ///< N [mass]
  std::span<std::uint64_t const> id;     ///< N
  std::span<Real const> acceleration{};  ///< 3 N [length / time^2], or nothing
  std::span<double const> potential{};   ///< N [length^2 / time^2], or nothing
  /// N, below species_types::count, or nothing if all are `dark`. Snapshots group the bodies
  /// by type.
  std::span<std::uint8_t const> species{};
  std::span<double const> radius{};      ///< N [length], or nothing
  std::span<std::string const> names{};  ///< N, "" for none, or nothing if no body has a name
};

}  // namespace apsis
