// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <array>
#include <cstddef>
#include <string_view>

/// Layout of a tipsy file; all offsets and sizes in bytes.
namespace apsis::formats::tipsy {

inline constexpr std::size_t word_bytes = 4;
inline constexpr std::size_t nbodies_at = 8, ndim_at = 12, counts_at = 16;
inline constexpr std::size_t header_bytes = 28, pad_bytes = 4;

/// Bytes of a component of positions and of velocities: 4, or 8 in the variants of PKDGRAV and
/// ChaNGa (bDoublePos, bDoubleVel).
struct Widths {
  std::size_t position = word_bytes, velocity = word_bytes;

  constexpr std::size_t velocity_at() const { return word_bytes + 3 * position; }
  /// Offset of the fields of a species in a record.
  constexpr std::size_t fields_at() const { return velocity_at() + 3 * velocity; }
};
/// The variants, which differ in the size of a file.
inline constexpr std::array<Widths, 3> all_widths{{{4, 4}, {8, 4}, {8, 8}}};

/// A species of bodies. Its records consist of the mass, three components of the position, three of
/// the velocity, the fields named here, and the potential.
struct Species {
  std::string_view name;
  std::array<std::string_view, 4> fields;
  std::size_t field_count;
  std::size_t length_field;  ///< index of the softening or smoothing length
  std::uint8_t type;         ///< value in species_types

  constexpr std::size_t potential_at(Widths widths) const {
    return widths.fields_at() + field_count * word_bytes;
  }
  constexpr std::size_t record_bytes(Widths widths = {}) const {
    return potential_at(widths) + word_bytes;
  }
};

/// The species in the order of the counts in the header and of the records.
inline constexpr std::array<Species, 3> species{{
    {"gas", {"density", "temperature", "smoothing length", "metals"}, 4, 2, species_types::gas},
    {"dark", {"softening"}, 1, 0, species_types::dark},
    {"star", {"metals", "formation time", "softening"}, 3, 2, species_types::stars},
}};
inline constexpr std::size_t gas = 0, dark = 1, star = 2;
static_assert(species[0].record_bytes() == 48 && species[dark].record_bytes() == 36 &&
              species[2].record_bytes() == 44 && species[dark].record_bytes(all_widths[1]) == 48);

}  // namespace apsis::formats::tipsy
