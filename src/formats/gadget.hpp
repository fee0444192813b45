// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/formats/bodies_file.hpp>

#include <cstddef>
#include <filesystem>
#include <string_view>

/// Binary snapshots of GADGET-1 and GADGET-2 (SnapFormat 1 and 2).
namespace apsis::formats {

/// Layout of GADGET's binary formats 1 and 2 (Springel 2005, MNRAS 364, 1105; users' guide of
/// GADGET-2, section 6). A file is a sequence of Fortran records: the length [bytes], the data, the
/// length again.
///
///     format 1:                     | 256 | header | 256 |   | 12 N | POS ... | 12 N |   ...
///     format 2:  | 8 | HEAD  264 | 8 | 256 | header | 256 |   | 8 | POS  ... | 8 | 12 N | ...
///
/// In format 2 a record of 8 bytes before each block has its name and the distance to the next
/// name. Offsets and sizes are in bytes.
namespace gadget {

inline constexpr std::size_t types = 6;
inline constexpr std::size_t marker_bytes = 4, header_bytes = 256;
inline constexpr std::size_t name_bytes = 4, name_record_bytes = 16;

// Fields of the header.
inline constexpr std::size_t counts_at = 0;          ///< 6 i32, bodies of each type in this file
inline constexpr std::size_t masses_at = 24;         ///< 6 f64, mass of each body of a type, or 0
inline constexpr std::size_t time_at = 72;           ///< f64
inline constexpr std::size_t redshift_at = 80;       ///< f64
inline constexpr std::size_t totals_at = 96;         ///< 6 u32, bodies of each type in all files
inline constexpr std::size_t files_at = 124;         ///< i32
inline constexpr std::size_t box_size_at = 128;      ///< f64
inline constexpr std::size_t omega0_at = 136;        ///< f64
inline constexpr std::size_t omega_lambda_at = 144;  ///< f64
inline constexpr std::size_t hubble_at = 152;        ///< f64
inline constexpr std::size_t high_words_at = 168;    ///< 6 u32, high words of the totals
inline constexpr std::size_t double_at = 196;        ///< i32, whether blocks have 64-bit numbers

/// Names of the blocks that are read, in the order of format 1.
inline constexpr std::string_view header_name = "HEAD", position_name = "POS ",
                                  velocity_name = "VEL ", id_name = "ID  ", mass_name = "MASS";

}  // namespace gadget

BodiesFile read_gadget(std::filesystem::path const& path, CountCheck const& count = {},
                       bool with_ids = true);
/// Reads a snapshot in one file from memory.
BodiesFile read_gadget_image(std::string_view bytes, std::string const& source,
                             bool with_ids = true);

/// Variants of the format.
struct GadgetOptions {
  int format = 2;  ///< SnapFormat, 1 or 2
  bool big_endian = false;
  /// Numbers of 32 bits, to which the values are rounded. Otherwise numbers have 32 bits if these
  /// hold every value exactly, and 64 bits if not.
  bool single = false;
};

/// The bodies as a snapshot in one file, ordered by type, with all masses in the block MASS. Ids
/// have 32 bits if all are below 2^32, otherwise 64. Descriptions of data that the format cannot
/// hold are added to `lost`. Throws a bad-input error for more bodies than the 32-bit lengths of
/// the records allow, and with `single` for values that overflow 32 bits.
std::string write_gadget(BodiesFile const& file, GadgetOptions const& options,
                         std::string const& target, std::vector<std::string>& lost);

}  // namespace apsis::formats
