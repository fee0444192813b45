// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/input.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/formats/bodies_file.hpp>

/// Tipsy, the binary format of the N-Body Shop's program `tipsy` (its `tipsydefs.h`): a header
/// {f64 time; i32 nbodies, ndim, nsph, ndark, nstar}, with or without a pad of four bytes, then the
/// records of gas, dark and star bodies, which consist of 32-bit numbers. In the variants of
/// PKDGRAV and ChaNGa positions, or positions and velocities, have 64 bits.
namespace apsis::formats {

/// Layout of a file; all offsets and sizes in bytes.
namespace tipsy {

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

}  // namespace tipsy

/// Meaning of the last field of a record: potential, or ids as in the CUDA sample `nbody`.
enum class TipsyIds {
  automatic,  ///< ids if all are >= 0 as integers and unique (potentials are negative), else none
  integers,   ///< 32-bit ids
  none,       ///< potentials
};

/// Reads a whole tipsy file.
///
/// - Byte order: the one in which `ndim` is 1, 2 or 3.
/// - Pad: detected from the file size. A file with a pad that lost its last four bytes cannot be
///   distinguished from a file without one.
/// - Size of positions and velocities: from the file size. 64-bit velocities with 32-bit positions
///   cannot be distinguished from the reverse, which is assumed.
/// - Records always have three components. All are read even if `ndim` is below three, which is
///   noted in `unused`.
/// - Gas, dark and star bodies are all read, in file order.
/// - Softening lengths, potentials, metals, formation times and gas quantities are not used. If any
///   is not zero, their values are described in `unused`.
///
/// Throws bad-input errors; if counts and file size disagree, before it allocates. Cost O(N log N).
/// Memory: the bodies and a copy of their ids.
BodiesFile read_tipsy(files::Input&& input, TipsyIds ids = TipsyIds::automatic,
                      CountCheck const& count = {});

/// Variants of the format. The defaults are standard tipsy.
struct TipsyOptions {
  bool little_endian = false;
  bool pad = true;
  bool integer_ids = false;        ///< ids in place of the potentials
  double softening = 0.0;          ///< softening length of every body [length]
  bool double_positions = false;   ///< 64-bit positions
  bool double_velocities = false;  ///< 64-bit velocities; only with 64-bit positions
};

/// Size of a file of `count` dark bodies [bytes]. Throws a bad-input error if `count` does not fit
/// the 32-bit counts of the header.
std::size_t tipsy_bytes(std::size_t count, TipsyOptions const& options, std::string const& target);

/// The bodies as a tipsy file, with potentials and the quantities of gas and stars set to zero.
/// Bodies of the species `gas` and `stars` are gas and star bodies, all others dark bodies.
/// Descriptions of data that the format cannot hold are added to `lost`. Throws a bad-input error
/// for values that do not fit in 32 bits.
std::string write_tipsy(BodiesFile const& file, TipsyOptions const& options,
                        std::string const& target, std::vector<std::string>& lost);

}  // namespace apsis::formats
