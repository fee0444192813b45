// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <array>
#include <cstddef>
#include <string_view>

/// Layout of a tipsy file; all offsets and sizes in bytes.
namespace apsis::io::tipsy {

inline constexpr std::size_t word_bytes = 4;
inline constexpr std::size_t nbodies_at = 8, ndim_at = 12, counts_at = 16;
inline constexpr std::size_t header_bytes = 28, pad_bytes = 4;

/// A species of bodies. Its records consist of the mass, three components of the position, three of
/// the velocity, the fields named here, and the potential.
struct Species {
  std::string_view name;
  std::array<std::string_view, 4> fields;
  std::size_t field_count;
  std::uint8_t type;  ///< value in species_types

  constexpr std::size_t potential_at() const { return (7 + field_count) * word_bytes; }
  constexpr std::size_t record_bytes() const { return potential_at() + word_bytes; }
};

/// The species in the order of the counts in the header and of the records.
inline constexpr std::array<Species, 3> species{{
    {"gas", {"density", "temperature", "smoothing length", "metals"}, 4, species_types::gas},
    {"dark", {"softening"}, 1, species_types::dark},
    {"star", {"metals", "formation time", "softening"}, 3, species_types::stars},
}};
inline constexpr std::size_t dark = 1;
static_assert(species[0].record_bytes() == 48 && species[dark].record_bytes() == 36 &&
              species[2].record_bytes() == 44);

}  // namespace apsis::io::tipsy
