// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace apsis {

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
